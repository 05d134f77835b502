"""Forces that bend within a step: functions of the state, and loads with kinks such as stops.

A contact shorter than a step leaves a trace at few of its stages, or at none.  Therefore the forces
T of these loads are followed along the step, on the path between its ends (plain coordinates by
Hermite's cubic, others straight), at five instants of each of its equal parts, h long.  The impulse
of T by Simpson's rule, over the part and over its halves, differs by
  h d / 12      d = T_0 - 4 T_1 + 6 T_2 - 4 T_3 + T_4                                          (1)
which for smooth forces is of the fifth order of the step.  The speeds err by
  e = h M^-1 d / 12                                                                            (2)
A fixed step with e above ABRUPT times the scales of speeds is divided, also one whose speeds change
too much for its path to be that of the motion; the sum of e is what kinks may have cost.  In parts
of such a step methods of order 1 and 2 err more, by the rule of Euler and by the trapezoidal one:
  d = 6 (T_4 - T_0)      d = 4 (T_0 - 2 T_2 + T_4)                                             (3)
An adaptive implicit step with e above ALLOWED tolerances is repeated, half as long.  Forces on
joints enter (2) as they are; where others bend, M^-1 d is the difference of the accelerations with
and without these loads.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import inlined, uncounted
from ..layout import run
from ..layout.rows import cut_as
from ..small import quaternion_rotation, turn, vector
from .evaluate import evaluate, solve_mass
from .loads import add_load
from .loop_loads import find_loop_motions
from .signals import signal
from .states import put_states
from .views import RunState, loop_joints

ABRUPT = 2e-4
ALLOWED = 10.0
STRAIGHT = 1e-9  # d below this fraction of the largest force is rounding, or smooth
# The same where nothing is added up: a force that changes a speed by a scale in a step would then
# have e a thousandth of ABRUPT or less.
SMOOTH = 1e-6
ROUGH = 0.05  # d above this fraction of the largest force: a function that is not resolved
INTERVALS = 4
MOST_PARTS = 16  # of an adaptive step

cut_watched = cut_as(run.WatchedPlaces)


@inlined
def _watched(r):
    """The workspace of this module."""
    return cut_watched(r.work.whole, run.PlanHeader(r.arrays.plan, 0).at_watched)


@uncounted
def kink_error(r, t, h, t1, order, straight):
    """Largest e (2) of a step from r.start at t to r.end at t1, whether forces are rough; a status.

    In units of the tolerance.  order: 1 or 2 for (3), else (1); straight: STRAIGHT or SMOOTH.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    table, memory = r.arrays.table, r.arrays.memory
    probe = run.RunParameters(table, head.parameters).probe
    parts = min(MOST_PARTS, 1 + int(0.999 * h / (INTERVALS * probe)))
    worst, which, rough = 0.0, memory[run.WORST], False
    for part in range(parts):
        status, e, steep = _kink_error_within(
            r, t, h, t1, part * INTERVALS, parts * INTERVALS, order, straight
        )
        if status != 0:
            return 0.0, False, status
        rough = rough or steep
        if not e <= worst:
            worst, which = e, memory[run.WORST]
    memory[run.WORST] = which
    return worst, rough, 0


@uncounted
def _kink_error_within(r, t, h, t1, first, intervals, order, straight):
    """Status, e of the part of a step that begins after `first` of so many intervals, and rough."""
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, _table, memory = r.arrays
    n, m = r.system.ints[field.N_V], head.n_watched
    w = _watched(r)
    at, d, peak, now = RunState(w.q, w.v, w.z), w.d, w.peak, w.now
    for k in range(n + m):
        d[k] = peak[k] = 0.0
    for j in range(INTERVALS + 1):
        theta = (first + j) / intervals
        between(plan, theta, h, r.start, r.end, at)
        memory[run.KEEP] = 1.0 if theta == 1.0 else 0.0  # the next step begins there
        status = watched_forces(r, t1 if theta == 1.0 else t + theta * h, at)
        memory[run.KEEP] = 0.0
        if status != 0:
            return run.CALL_FAILED, 0.0, False
        c = _weight(j, order)
        for k in range(n + m):
            d[k] += c * now[k]
            peak[k] = max(peak[k], abs(now[k]))
    joints = others = rough = False
    for k in range(n + m):
        rough = rough or abs(d[k]) > ROUGH * peak[k]
        if not abs(d[k]) <= straight * peak[k]:
            joints, others = joints or k < n, others or k >= n
    if not joints and not others:
        return 0, 0.0, False
    difference, zero = now[:n], peak[:n]
    status = 0
    if others:
        for k in range(n):
            difference[k] = 0.0
        for j in range(INTERVALS + 1):
            theta = (first + j) / intervals
            between(plan, theta, h, r.start, r.end, at)
            instant = t1 if theta == 1.0 else t + theta * h
            status = _add_difference(r, instant, at, _weight(j, order), difference)
            if status != 0:
                break
    else:
        for k in range(n):
            zero[k] = 0.0
        status = solve_mass(r.system, r.arrays, r.end.q, d[:n], zero, difference)
    if status == run.CALL_FAILED:
        return status, 0.0, rough
    if status != 0:  # the path between the ends of a step need not be possible
        return 0, 0.0, rough
    worst, length = 0.0, INTERVALS * h / intervals
    for k in range(n):
        e = length * abs(difference[k]) / (12.0 * r.weights[n + k])
        if not e <= worst:
            worst = e
            memory[run.WORST] = k
    return 0, worst, rough


@uncounted
def _weight(j, order):
    """Weight of instant j in (1) or (3)."""
    if j == 1 or j == 3:
        return -4.0 if order > 2 else 0.0
    if j == 2:
        return 0.0 if order == 1 else (-8.0 if order == 2 else 6.0)
    if order == 1:
        return -6.0 if j == 0 else 6.0
    return 4.0 if order == 2 else 1.0


@uncounted
def between(plan, theta, h, start, end, at):
    """Write the state at the fraction theta of a step: positions by a cubic, the rest straight."""
    head = run.PlanHeader(plan, 0)
    one = 1.0 - theta
    for k in range(len(at.v)):
        at.v[k] = one * start.v[k] + theta * end.v[k]
    for k in range(len(at.z)):
        at.z[k] = one * start.z[k] + theta * end.z[k]
    for k in range(len(at.q)):
        at.q[k] = one * start.q[k] + theta * end.q[k]
    for k in range(head.plains.count):
        chart = run.ChartRow(plan, head.plains.first, k)
        o_q, o_v = chart.q, chart.v
        for j in range(chart.n):
            shift = end.q[o_q + j] - start.q[o_q + j]
            before, after = h * start.v[o_v + j] - shift, shift - h * end.v[o_v + j]
            at.q[o_q + j] += theta * one * (one * before + theta * after)
    for k in range(head.specials.count):
        chart = run.ChartRow(plan, head.specials.first, k)
        o, kind = chart.q, chart.kind
        if kind == run.POSE:
            _pose_between(theta, h, chart, start, end, at)
        if (kind == run.BALL or kind == run.POSE) and 0.0 < theta < 1.0:
            size = 0.0
            for j in range(4):
                size += at.q[o + j] * at.q[o + j]
            for j in range(4):
                at.q[o + j] /= math.sqrt(size)


@uncounted
def _pose_between(theta, h, chart, start, end, at):
    """Add to a straight path of a free body what makes it a cubic; its speeds are in own axes."""
    o, v, one = chart.q, chart.v + 3, 1.0 - theta
    x0, x1 = vector(start.q, o + 4), vector(end.q, o + 4)
    R0 = quaternion_rotation(start.q[o], start.q[o + 1], start.q[o + 2], start.q[o + 3])
    R1 = quaternion_rotation(end.q[o], end.q[o + 1], end.q[o + 2], end.q[o + 3])
    before, after = turn(R0, vector(start.v, v)), turn(R1, vector(end.v, v))
    for j in range(3):
        shift = x1[j] - x0[j]
        first, last = h * before[j] - shift, shift - h * after[j]
        at.q[o + 4 + j] += theta * one * (one * first + theta * last)


@inlined
def watched_forces(r, t, at):
    """Write the forces on joints and the signals of watched loads in a state; 0, or a status."""
    now = _watched(r).now
    return _forces(r.system, r.arrays, r.work, t, at, len(r.start.v), now)


@inlined
def forces_changed(r, t, at):
    """Status of `watched_forces`, and whether a number has changed since the last call."""
    w = _watched(r)
    last, now = w.d, w.now
    for k in range(len(now)):
        last[k] = now[k]
    status, changed = watched_forces(r, t, at), False
    for k in range(len(now)):
        changed = changed or now[k] != last[k]
    return status, changed


@uncounted
def _forces(system, arrays, work, t, at, n, numbers):
    """Write n forces on joints, then the numbers of signals and loops' joints; 0, or a status."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    of = loop_joints(arrays, work)
    if head.loop_forces.count != 0:
        find_loop_motions(system, arrays, of, at)
    put_states(plan, work.states, at.z, 0.0)
    for k in range(len(numbers)):
        numbers[k] = 0.0
    first = n
    for k in range(head.watched.count):
        load = run.LoadRow(plan, plan[head.watched.first + k], 0)
        status, count = 0, 0
        if load.watched & run.ON_JOINT:
            status = add_load(
                arrays, t, at.q, at.v, load, at.q, at.v, numbers, work.states, work.buffer
            )
        elif load.watched & run.ON_LOOP:
            count, o = load.n, load.v
            for j in range(count):
                of.T[o + j] = 0.0
            status = add_load(
                arrays, t, at.q, at.v, load, of.q, of.v, of.T, work.states, work.buffer
            )
            for j in range(count):
                numbers[first + j] = of.T[o + j]
        else:
            s = load.signal
            count = run.SignalRow(plan, s, 0).n
            if memory[load.active] != 0.0:
                status = signal(plan, table, memory, s, t, at.q, at.v, numbers, first, load.orders)
        if status != 0:
            return status
        first += count
    return 0


@inlined
def _add_difference(r, t, at, c, difference):
    """Add c times the accelerations by watched loads in a state; 0 or a failure."""
    head = run.PlanHeader(r.arrays.plan, 0)
    out = r.work.out
    status = evaluate(r.system, r.arrays, r.work, t, at, 0.0, out)
    if status != 0:
        return status
    for k in range(len(difference)):
        difference[k] += c * out[k]
    plan, memory, count = r.arrays.plan, r.arrays.memory, head.watched.count
    flags = _watched(r).flags
    for k in range(count):
        place = run.LoadRow(plan, plan[head.watched.first + k], 0).active
        flags[k], memory[place] = memory[place], 0.0
    status = evaluate(r.system, r.arrays, r.work, t, at, 0.0, out)
    for k in range(count):
        memory[run.LoadRow(plan, plan[head.watched.first + k], 0).active] = flags[k]
    for k in range(len(difference)):
        difference[k] -= c * out[k]
    return status
