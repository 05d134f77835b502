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
from ..fields import POSITIVE
from . import fields as run
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


@uncounted
def kink_error(r, t, h, t1, order, straight):
    """Largest e (2) of a step from r.start at t to r.end at t1, whether forces are rough; a status.

    In units of the tolerance.  order: 1 or 2 for (3), else (1); straight: STRAIGHT or SMOOTH.
    """
    plan, table, memory = r.arrays
    probe = table[plan[run.PARAMETERS] + run.PROBE]
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
    plan, _table, memory = r.arrays
    n, m = r.system.ints[field.N_V], plan[run.N_WATCHED_NUMBER]
    at, d, peak, now = _views(r)
    for k in range(n + m):
        d[k] = peak[k] = 0.0
    for j in range(INTERVALS + 1):
        theta = (first + j) / intervals
        _between(plan, theta, h, r.start, r.end, at)
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
            _between(plan, theta, h, r.start, r.end, at)
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


@inlined
def _views(r):
    """The state between, and three vectors for the numbers of watched loads."""
    n_q, n, n_z = len(r.start.q), len(r.start.v), len(r.start.z)
    m, o = n + r.arrays.plan[run.N_WATCHED_NUMBER], r.watched
    z = n_q + n
    a = z + n_z
    at = RunState(o[:n_q], o[n_q:z], o[z:a])
    return at, o[a : a + m], o[a + m : a + 2 * m], o[a + 2 * m : a + 3 * m]


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
def _between(plan, theta, h, start, end, at):
    """Write the state at the fraction theta of a step: positions by a cubic, the rest straight."""
    one = 1.0 - theta
    for k in range(len(at.v)):
        at.v[k] = one * start.v[k] + theta * end.v[k]
    for k in range(len(at.z)):
        at.z[k] = one * start.z[k] + theta * end.z[k]
    for k in range(len(at.q)):
        at.q[k] = one * start.q[k] + theta * end.q[k]
    for k in range(plan[run.N_PLAIN]):
        e = plan[run.PLAINS] + k * run.E_ROW
        o_q, o_v = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_V] & POSITIVE
        for j in range(plan[e + run.E_N]):
            shift = end.q[o_q + j] - start.q[o_q + j]
            before, after = h * start.v[o_v + j] - shift, shift - h * end.v[o_v + j]
            at.q[o_q + j] += theta * one * (one * before + theta * after)
    for k in range(plan[run.N_SPECIAL]):
        e = plan[run.SPECIALS] + k * run.E_ROW
        o, kind = plan[e + run.E_Q] & POSITIVE, plan[e + run.E_KIND]
        if (kind == run.BALL or kind == run.POSE) and 0.0 < theta < 1.0:
            size = 0.0
            for j in range(4):
                size += at.q[o + j] * at.q[o + j]
            for j in range(4):
                at.q[o + j] /= math.sqrt(size)


@inlined
def watched_forces(r, t, at):
    """Write the forces on joints and the signals of watched loads in a state; 0, or a status."""
    _at, _d, _peak, now = _views(r)
    return _forces(r.system, r.arrays, r.work, t, at, len(r.start.v), now)


@inlined
def forces_changed(r, t, at):
    """Status of `watched_forces`, and whether a number has changed since the last call."""
    _at, last, _peak, now = _views(r)
    for k in range(len(now)):
        last[k] = now[k]
    status, changed = watched_forces(r, t, at), False
    for k in range(len(now)):
        changed = changed or now[k] != last[k]
    return status, changed


@uncounted
def _forces(system, arrays, work, t, at, n, numbers):
    """Write n forces on joints, then the numbers of signals and loops' joints; 0, or a status."""
    plan, table, memory = arrays
    of = loop_joints(system, arrays, work.loops)
    if plan[run.N_LOOP_FORCE] != 0:
        find_loop_motions(system, arrays, of, at)
    put_states(plan, work.states, at.z, 0.0)
    for k in range(len(numbers)):
        numbers[k] = 0.0
    first = n
    for k in range(plan[run.N_WATCHED]):
        e = plan[plan[run.WATCHED] + k] & POSITIVE
        status, count = 0, 0
        if plan[e + run.E_WATCHED] & run.ON_JOINT:
            status = add_load(
                plan, table, memory, t, at.q, at.v, e, at.q, at.v, numbers, work.states, work.buffer
            )
        elif plan[e + run.E_WATCHED] & run.ON_LOOP:
            count, o = plan[e + run.E_N], plan[e + run.E_V] & POSITIVE
            for j in range(count):
                of.T[o + j] = 0.0
            status = add_load(
                plan, table, memory, t, at.q, at.v, e, of.q, of.v, of.T, work.states, work.buffer
            )
            for j in range(count):
                numbers[first + j] = of.T[o + j]
        else:
            s = plan[e + run.E_SIGNAL]
            count = plan[s + run.S_N]
            if memory[plan[e + run.E_ACTIVE]] != 0.0:
                status = signal(
                    plan, table, memory, s, t, at.q, at.v, numbers, first, plan[e + run.E_ORDERS]
                )
        if status != 0:
            return status
        first += count
    return 0


@inlined
def _add_difference(r, t, at, c, difference):
    """Add c times the accelerations by watched loads in a state; 0 or a failure."""
    out = r.work.out
    status = evaluate(r.system, r.arrays, r.work, t, at, 0.0, out)
    if status != 0:
        return status
    for k in range(len(difference)):
        difference[k] += c * out[k]
    plan, memory, count = r.arrays.plan, r.arrays.memory, r.arrays.plan[run.N_WATCHED]
    flags = r.watched[len(r.watched) - count :]
    for k in range(count):
        place = plan[(plan[plan[run.WATCHED] + k] + run.E_ACTIVE) & POSITIVE]
        flags[k], memory[place] = memory[place], 0.0
    status = evaluate(r.system, r.arrays, r.work, t, at, 0.0, out)
    for k in range(count):
        memory[plan[(plan[plan[run.WATCHED] + k] + run.E_ACTIVE) & POSITIVE]] = flags[k]
    for k in range(len(difference)):
        difference[k] -= c * out[k]
    return status
