"""Contacts along a run: no step goes over a touch-down or a lift-off, however short the contact.

The gap of a contact along a step is a polynomial of degree 8 through its values on the interpolant
of the method.  Where there is none, an open contact follows the accelerations at the start of the
step, which know nothing of forces that the step met later, and a closed one the path between its
ends (`kinks.between`).  In Bernstein form it shows whether it has a root (`contact.bernstein`); the
first one of all contacts ends the step.  Where the points of a contact are too slow to meet within
the step, nothing is computed.

With U the relative velocity along the normal, by the speeds, the mass that a contact meets is
  1 / m = U M^-1 U^T                                                                          (1)
which with the speed v of approach gives its time T (`contact.law`).  An adaptive step after
touch-down begins with T / 50.  Fixed steps are T / 32 at most until the contact opens; the last of
them ends where the whole step would have ended.

A contact rests where its next flight would not rise above its static depth d, in which the elastic
force is m |a|, a being the acceleration of the gap before touch-down:  v^2 / (2 |a|) < d.  Then it
is quiet: its force acts, but the instants at which it opens and closes are not looked for until the
gap exceeds ten times d.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import inlined, uncounted
from ..contact.bernstein import DEGREE, first_root
from ..contact.friction import HOLD, SPEED
from ..contact.law import contact_time, elastic, static_depth
from ..layout import contact, run
from ..layout.contact import ContactNumbers, TouchRecord
from ..layout.rows import cut_as
from ..tree.external import apply_external
from ..tree.inverse import forces_tip_to_base
from ..tree.motion import motion_base_to_tip
from .contact_forces import gap_motion, normal_force, put_unit_forces
from .coordinates import moved
from .evaluate import solve_mass
from .explicit import dense_stages, interpolate
from .kinks import between
from .load_rows import place_slots
from .motions import drive
from .slots import SLOT_RECORD, clear_wrenches, put_wrenches

MOMENT = 2.0**-46  # of the time, below which instants are the same
SHORTEST = 1e-3  # part of a step that has a polynomial of its own
FIRST_STEP, FIXED_STEPS = 50.0, 32.0  # parts of the time of contact
STABLE_STEPS = 12.0  # explicit fixed steps in a period of vibration on a quiet contact
RELEASE = 10.0  # static depths
WHOLE = 0.999  # part of a fixed step above which it is not divided
SLOWEST = 1e-12  # speed of approach that counts [m/s]
# Gauss's rule on a step, for impulses: points and weights
GAUSS = (
    (0.04691007703066800, 0.11846344252809454),
    (0.23076534494715845, 0.23931433524968324),
    (0.5, 0.28444444444444444),
    (0.76923465505284155, 0.23931433524968324),
    (0.95308992296933200, 0.11846344252809454),
)
MARGIN = 1.5  # of the speeds at the ends of a step over those within

cut_gaps = cut_as(run.GapPlaces)


@inlined
def _places(r):
    """The workspace of this module."""
    return cut_gaps(r.work.whole, run.PlanHeader(r.arrays.plan, 0).at_gaps)


@inlined
def _load(plan, k):
    """Row of contact k."""
    return run.LoadRow(plan, plan[run.PlanHeader(plan, 0).contacts.first + k])


@uncounted
def _measure(r, t, at, exact):
    """Write gaps, their rates, normal forces and speeds of all contacts in a state."""
    head, w = run.PlanHeader(r.arrays.plan, 0), _places(r)
    plan, table, memory = r.arrays
    place_slots(r.system, r.arrays, r.work, at.q, at.v)
    for k in range(head.contacts.count):
        load = _load(plan, k)
        a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
        w.gap[k], w.rate[k], w.press[k], w.speed[k], w.slip[k] = gap_motion(
            load, table, memory, r.work.slots, a, b, exact
        )
    w.time[0] = t


@uncounted
def begin_contacts(r, t):
    """Look at all contacts at the start of a run, or after an event has changed its state."""
    head, w = run.PlanHeader(r.arrays.plan, 0), _places(r)
    plan, _table, memory = r.arrays
    _measure(r, t, r.start, False)
    memory[run.CONTACT_STEP] = math.inf
    for k in range(head.contacts.count):
        touch = TouchRecord(memory, _load(plan, k).touch)
        if touch.state == contact.NEW:
            touch.state = contact.OPEN if w.gap[k] > 0.0 else contact.QUIET
            touch.since, touch.step = t, math.inf
        _note(touch, w, k)
        if touch.state != contact.OPEN:
            memory[run.CONTACT_STEP] = min(memory[run.CONTACT_STEP], touch.step)


@inlined
def _note(touch, w, k):
    """Take gap, rate and force as those at the start of the next step."""
    touch.gap, touch.rate, touch.press = w.gap[k], w.rate[k], w.press[k]
    touch.speed = w.speed[k]


@uncounted
def look_at_contacts(r, t, h, t1, interpolated):
    """Instant at which the first contact closes or opens within a step, else t1; a status; ready.

    interpolated: whether the method has an interpolant in this step.  ready: whether its further
    stages are there.
    """
    head, w = run.PlanHeader(r.arrays.plan, 0), _places(r)
    plan, table, memory = r.arrays
    _measure(r, t1, r.end, False)
    doubtful = False
    for k in range(head.contacts.count):
        load = _load(plan, k)
        touch = TouchRecord(memory, load.touch)
        near = ContactNumbers(table, load.constants).tolerance
        doubt = memory[load.active] != 0.0 and _may_change(touch, w, k, h, near)
        w.doubt[k] = 1.0 if doubt else 0.0
        doubtful = doubtful or doubt
    if not doubtful:
        return t1, 0, False
    if interpolated:
        status = dense_stages(r.system, r.arrays, r.work, t, h, r.start, r.inside, r.stages)
        if status != 0:
            return t1, status, False
    first, ahead = 1.0, run.METHOD_PATH if interpolated else run.FREE_PATH
    for k in range(head.contacts.count):
        if w.doubt[k] != 0.0:
            is_open = TouchRecord(memory, _load(plan, k).touch).state == contact.OPEN
            root = _root(r, w, k, t, h, ahead if is_open or interpolated else run.END_PATH, first)
            if root >= first and is_open and not interpolated and w.gap[k] <= 0.0:
                root = _root(r, w, k, t, h, run.END_PATH, first)
            first = min(first, root)
    _measure(r, t1, r.end, True)
    instant, moment = t + first * h, MOMENT * max(abs(t), abs(t1))
    if first >= 1.0 or not t + moment < instant < t1 - moment:
        return t1, 0, interpolated
    return instant, 0, interpolated


@uncounted
def _may_change(touch, w, k, h, near):
    """Whether a contact may close or open within a step; gaps up to `near` count as closed."""
    if touch.state == contact.OPEN:
        reach = MARGIN * h * max(w.speed[k], touch.speed)
        apart = touch.gap > (-near if touch.rate > 0.0 else 0.0)
        ahead = touch.gap <= MARGIN * h * touch.speed
        return apart and (w.gap[k] <= 0.0 or ahead or touch.gap + w.gap[k] <= reach)
    return touch.state == contact.CLOSED and touch.gap < (near if touch.rate < 0.0 else 0.0)


@uncounted
def _root(r, w, k, t, h, way, last):
    """Fraction of a step, before `last`, at which contact k closes or opens; else `last`.

    An open contact cannot close while its points, at their speeds, are apart; where they may meet,
    the polynomial of each piece is that of a part of the step in which they do not move further
    than the shapes are large.  A contact that has just changed begins with a root, which is divided
    out.
    """
    plan, table, memory = r.arrays
    load = _load(plan, k)
    touch, numbers = TouchRecord(memory, load.touch), ContactNumbers(table, load.constants)
    is_open = touch.state == contact.OPEN
    sign, theta = (1.0 if is_open else -1.0), 0.0
    fresh = sign * touch.gap <= numbers.tolerance
    while theta < last:
        gap, rate, speed = _at(r, k, t, h, theta, way)
        path = MARGIN * h * max(speed, touch.speed)
        if is_open and gap > 0.0 and not fresh:
            ahead = 0.99 * gap / path if path > gap else 1.0
        else:
            ahead = 0.0
        length = min(1.0, max(numbers.ball / path, SHORTEST) if path > numbers.ball else 1.0)
        if ahead > length:
            theta += ahead
            continue
        length = min(length, 1.0 - theta)
        for j in range(DEGREE + 1):
            part = j / DEGREE
            gap, _rate, _speed = _at(r, k, t, h, theta + part * length, way)
            w.samples[j] = sign * gap
            if fresh:
                w.samples[j] = w.samples[j] / part if j > 0 else sign * rate * h * length
        fresh = False
        _to_bernstein(table, run.PlanHeader(plan, 0).bernstein, w)
        root = first_root(w.coefficients, 0.0, 1.0, w.part, w.piece)
        if root < 1.0:
            return min(last, theta + root * length)
        theta += length
    return last


@uncounted
def _to_bernstein(table, matrix, w):
    """Write the coefficients of the polynomial through the samples."""
    for i in range(DEGREE + 1):
        b = 0.0
        for j in range(DEGREE + 1):
            b += table[matrix + i * (DEGREE + 1) + j] * w.samples[j]
        w.coefficients[i] = b


@uncounted
def _at(r, k, t, h, theta, way):
    """Gap of contact k, its rate and speed at a fraction of a step, on one of the paths."""
    plan, table, memory = r.arrays
    load, at = _load(plan, k), r.inside
    if way == run.METHOD_PATH:
        interpolate(r.arrays, r.work, theta, h, r.start, r.stages, at)
    elif way == run.FREE_PATH:
        _go_on(r, theta * h, at)
    else:
        between(plan, theta, h, r.start, r.end, at)
    if run.PlanHeader(plan, 0).motions.count != 0:
        now = t + theta * h
        drive(r.system.ints, plan, table, memory, now, at.q, at.v, r.work.x, r.work.buffer)
    place_slots(r.system, r.arrays, r.work, at.q, at.v)
    a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
    gap, rate, _press, speed, _slip = gap_motion(load, table, memory, r.work.slots, a, b, True)
    return gap, rate, speed


@uncounted
def _go_on(r, span, at):
    """Write the state to which the accelerations at the start of a step lead within a span."""
    plan, table = r.arrays.plan, r.arrays.table
    needed = run.PlanHeader(plan, 0).traits & run.NEEDS_START != 0
    for j in range(len(at.v)):
        a = r.x.x0[j] if needed else 0.0
        r.work.s[j] = span * (r.start.v[j] + 0.5 * span * a)
        at.v[j] = r.start.v[j] + span * a
    moved(plan, table, r.start.q, r.work.s, at.q, r.work.buffer)


@uncounted
def commit_contacts(r, h, t1):
    """Note what contacts did in a step; whether one closed or opened at its end.

    After the step has become the state of the run.
    """
    head, w = run.PlanHeader(r.arrays.plan, 0), _places(r)
    plan, table, memory = r.arrays
    if w.time[0] != t1 or head.project != 0:
        _measure(r, t1, r.start, False)
    happened = False
    longest = math.inf
    p = run.RunParameters(table, head.parameters)
    if head.adaptive == 0 and memory[run.ON_GRID] != 0.0 and h < WHOLE * p.step:
        memory[run.N_CUT] += 1.0
    for k in range(head.contacts.count):
        load = _load(plan, k)
        touch, numbers = (
            TouchRecord(memory, load.touch),
            ContactNumbers(table, load.constants),
        )
        touch.happened = 0.0
        if touch.state != contact.OPEN and memory[load.active] != 0.0:
            _add_impulse(r, w, k, h, touch, numbers)
        if touch.state == contact.OPEN:
            near = numbers.tolerance if w.rate[k] < 0.0 else 0.0
            if memory[load.active] != 0.0 and w.gap[k] <= near:
                status = _touch_down(r, w, k, h, t1, touch, numbers)
                if status != 0:
                    return False, status
        elif touch.state == contact.CLOSED:
            if w.gap[k] >= -numbers.tolerance and w.rate[k] > 0.0:
                touch.state, touch.happened = contact.OPEN, contact.LEFT
        elif w.gap[k] > touch.release:
            touch.state, touch.happened = contact.OPEN, contact.LEFT
        happened = happened or touch.happened != 0.0
        if touch.state != contact.OPEN:
            longest = min(longest, touch.step)
        _note(touch, w, k)
    memory[run.CONTACT_STEP] = longest
    return happened, 0


@uncounted
def _cubic(touch, w, k, h, theta):
    """Gap and its rate at the fraction theta of a step by Hermite's cubic."""
    one, shift = 1.0 - theta, w.gap[k] - touch.gap
    before, after = h * touch.rate - shift, shift - h * w.rate[k]
    bend = one * before + theta * after
    gap = one * touch.gap + theta * w.gap[k] + theta * one * bend
    return gap, (shift + (one - theta) * bend + theta * one * (after - before)) / h


@uncounted
def _add_impulse(r, w, k, h, touch, numbers):
    """Add the impulse of the normal force in a step to that of its point, and note its peak.

    By Gauss's rule of order ten, on Hermite's cubic of the gap.
    """
    plan, table, memory = r.arrays
    load, impulse = _load(plan, k), 0.0
    first = TouchRecord(memory, _load(plan, int(numbers.first)).touch)
    for j in range(len(GAUSS)):
        theta, weight = GAUSS[j]
        gap, rate = _cubic(touch, w, k, h, theta)
        N, _by_depth, _by_rate = normal_force(numbers, table, memory, load, gap, rate)
        impulse += weight * h * N
        first.total = N if k == int(numbers.first) else first.total + N
        first.peak = max(first.peak, first.total)
        touch.deepest = max(touch.deepest, -gap)
    touch.impulse += impulse
    if numbers.slip != 0.0 and table[int(numbers.slip) + HOLD] == 0.0:
        if w.slip[k] < table[int(numbers.slip) + SPEED]:
            touch.creep += h * w.slip[k]


@uncounted
def _touch_down(r, w, k, h, t1, touch, numbers):
    """Begin a contact that has closed at the end of a step; 0 or a failure."""
    head = run.PlanHeader(r.arrays.plan, 0)
    memory = r.arrays.memory
    v, falls = max(-w.rate[k], SLOWEST), max(0.0, (touch.rate - w.rate[k]) / h)
    status, compliance = _compliance(r, w, k)
    if status != 0:
        return status
    mass = 1.0 / compliance if compliance > 0.0 else math.inf
    table, c = r.arrays.table, int(numbers.law)
    touch.duration = contact_time(table, c, mass, v) if mass < math.inf else math.inf
    rest = static_depth(table, c, mass * falls) if mass < math.inf and falls > 0.0 else 0.0
    lowest = max(rest, numbers.tolerance)
    quiet = 0.5 * v * v < falls * lowest
    touch.state = contact.QUIET if quiet else contact.CLOSED
    touch.happened, touch.since, touch.entry = contact.TOUCHED, t1, v
    touch.release = RELEASE * lowest
    touch.count += 1.0
    if touch.shortest == 0.0 or touch.duration < touch.shortest:
        touch.shortest = touch.duration
    touch.step = touch.duration / FIXED_STEPS
    if quiet and head.traits & run.USES_ARMATURE != 0:
        touch.step = math.inf
    elif quiet:
        _force, slope = elastic(table, c, lowest)
        touch.step = 2.0 * math.pi * math.sqrt(mass / slope) / STABLE_STEPS
    if head.adaptive != 0:
        memory[run.NEXT_STEP] = min(memory[run.NEXT_STEP], touch.duration / FIRST_STEP)
        memory[run.LAST_ERROR] = 1e-4
    return 0


@uncounted
def _compliance(r, w, k):
    """Status, and U M^-1 U^T of (1) for contact k in the state at the start."""
    ints, floats, scratch = r.system
    plan, table = r.arrays.plan, r.arrays.table
    load, q, n = _load(plan, k), r.start.q, ints[field.N_V]
    flags = run.PlanHeader(plan, 0).flags & 0
    motion_base_to_tip(ints, floats, scratch, q, w.zero, w.zero, flags)
    clear_wrenches(plan, r.work.slots, 0)
    put_unit_forces(load, table, r.work.slots, load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD)
    put_wrenches(scratch, plan, r.work.slots, 0)
    apply_external(ints, scratch, q, w.zero)
    forces_tip_to_base(ints, scratch, w.zero, w.column, flags)
    clear_wrenches(plan, r.work.slots, 0)
    for j in range(n):
        w.column[j], w.solution[j] = -w.column[j], 0.0
    status = solve_mass(r.system, r.arrays, q, w.column, w.zero, w.solution)
    product = 0.0
    for j in range(n):
        product += w.column[j] * w.solution[j]
    return status, product
