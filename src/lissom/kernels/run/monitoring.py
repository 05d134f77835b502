"""Monitoring of a run: spin, implausible motion, the error of fixed steps."""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import inlined, uncounted
from ..layout import run
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from .coordinates import largest_difference
from .evaluate import evaluate
from .explicit import explicit_step
from .views import RunState

# One of this many fixed steps of an explicit method is also taken as two halves; in a short run
# more of them, so that this many are checked.  Between these, steps in which accelerations change
# by more than HARD times their running mean over MEMORY steps, and by more than a tolerance of
# speeds.  By that mean they are few.
EVERY_STEPS, LOOKS = 64, 64
HARD, MEMORY = 4.0, 64.0


@uncounted
def watch_spin(ints, scratch, plan, memory):
    """Update the highest angular rate of each flexible body."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.flexibles.count):
        flexible = run.FlexibleRow(plan, head.flexibles.first, k)
        rate = CarrierRecord(scratch, BodyRow(ints, flexible.body).record).rate
        w = rate[0] * rate[0] + rate[1] * rate[1] + rate[2] ** 2
        memory[flexible.spin] = max(memory[flexible.spin], math.sqrt(w))


@uncounted
def exceeds_limits(ints, plan, table, memory, q, v):
    """Whether a speed or modal deflection exceeds its limit; memory[WORST] is its number."""
    head = run.PlanHeader(plan, 0)
    n, o = ints[field.N_V], head.limits
    for k in range(n):
        if not abs(v[k]) <= table[o + k]:
            memory[run.WORST] = k
            return True
    for k in range(head.flexibles.count):
        body = BodyRow(ints, run.FlexibleRow(plan, head.flexibles.first, k).body)
        o_q, o_v = body.modal_q, body.modal_v
        for j in range(body.n_mode):
            if not abs(q[o_q + j]) <= table[o + n + o_v + j]:
                memory[run.WORST] = o_v + j
                return True
    return False


@uncounted
def _steps_between_looks(plan, table):
    """Number of fixed steps from one whose error is checked to the next."""
    head = run.PlanHeader(plan, 0)
    p = run.RunParameters(table, head.parameters)
    total = p.end / p.step
    return int(max(1.0, min(float(EVERY_STEPS), total / LOOKS)))


@uncounted
def is_sampled(plan, table, memory):
    """Whether the error of the next fixed step is checked."""
    return int(memory[run.N_STEPS]) % _steps_between_looks(plan, table) == 0


@inlined
def by_halves(r, t, h):
    """Write the speeds at the end of a step taken as two halves, in place of the damping.

    Returns 0 or a failure.  The midpoint is r.inside; its accelerations replace the stiffness.
    The coordinates at the end are left in r.inside.
    """
    system, arrays, work = r.system, r.arrays, r.work
    half, middle, x = 0.5 * h, r.inside, r.tangent.K
    end = RunState(r.end.q, r.tangent.C, r.end.z)
    status = explicit_step(system, arrays, work, t, half, r.start, r.x.x0, middle, r.stages)
    if status == 0:
        status = evaluate(system, arrays, work, t + half, middle, 0.0, x)
    if status == 0:
        status = explicit_step(system, arrays, work, t + half, half, middle, x, end, r.stages)
    for k in range(len(end.q)):
        middle.q[k] = end.q[k]
    return status


@inlined
def watched_step(r, t, h, mode):
    """Take a step of an explicit method with fixed steps; some of them also by halves.

    Returns a status, and whether it was taken by halves.
    """
    arrays, halved = r.arrays, False
    regular = mode == run.ON and is_sampled(arrays.plan, arrays.table, arrays.memory)
    if regular:
        status = by_halves(r, t, h)
        if status == run.CALL_FAILED:
            return status, False
        halved = status == 0
    status = explicit_step(r.system, arrays, r.work, t, h, r.start, r.x.x0, r.end, r.stages)
    if mode == run.ON and status == 0 and _is_hard(r, h) and not regular:
        status = by_halves(r, t, h)
        if status == run.CALL_FAILED:
            return status, False
        halved = status == 0
        status = explicit_step(r.system, arrays, r.work, t, h, r.start, r.x.x0, r.end, r.stages)
    return status, halved


@inlined
def _is_hard(r, h):
    """Whether accelerations change much more in this step than on average, which it enters."""
    head = run.PlanHeader(r.arrays.plan, 0)
    memory = r.arrays.memory
    n, change = r.system.ints[field.N_V], 0.0
    for k in range(n):
        w, e = r.weights[n + k], 0.0
        if head.traits & run.SPEEDS_FIRST != 0:
            e = abs(r.end.v[k] - r.start.v[k]) / w
        else:
            for i in range(1, head.n_stage):
                e = max(e, h * abs(r.stages.V[i * n + k] - r.stages.V[k]) / w)
        if not e <= change:
            change = e
    mean = memory[run.MEAN_CHANGE]
    hard = memory[run.N_STEPS] > 0.0 and change > max(1.0, HARD * mean)
    if change < math.inf:
        memory[run.MEAN_CHANGE] += (change - mean) / min(memory[run.N_STEPS] + 1.0, MEMORY)
    memory[run.IS_HARD] = 1.0 if hard else 0.0
    return hard


@inlined
def note_sampled_error(r, t):
    """Add the difference from the end of `by_halves`, for this step and those until the next.

    That of a hard step stands for itself alone.  Coordinates count where they do not follow from
    speeds alone.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    n, p = r.system.ints[field.N_V], run.RunParameters(table, head.parameters)
    v1, halved, weights = r.end.v, r.tangent.C, r.weights
    left = max(1.0, math.floor((p.end - t) / p.step + 0.5))
    worst, which = 0.0, 0
    for k in range(n):
        e = abs(v1[k] - halved[k]) / weights[n + k]
        if not e <= worst:
            worst, which = e, k
    e, k = largest_difference(plan, table, r.end.q, r.inside.q, weights)
    if not e <= worst:
        worst, which = e, k
    steps = min(left, float(_steps_between_looks(plan, table)))
    note_error(memory, 1.0 if memory[run.IS_HARD] != 0.0 else steps, worst, which)


@uncounted
def note_error(memory, steps, error, which):
    """Add the estimated error of `steps` steps."""
    memory[run.ERROR_SUM] += steps * error
    if error > memory[run.ERROR_LARGEST]:
        memory[run.ERROR_LARGEST] = error
        memory[run.ERROR_WORST] = which
