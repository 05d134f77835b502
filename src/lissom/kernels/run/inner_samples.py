"""Samples inside adaptive steps: comparison of the interpolant with functions and events.

An error estimate uses only the stages of a step; for a system at rest, a force pulse between two
stages leaves no trace.  Therefore steps of Runge-Kutta methods are sampled on a fixed grid of times
t_p, with the interpolant q(t), v(t) of the step:
  defect       d = accelerations(t_p, q, v) - dv/dt                                          (1)
  bad if       max_k |d_k| probe / w_k > ALLOWED       w: allowed errors of the speeds       (2)
  events       whether a value has changed its sign since the start of the step              (3)
Loads with kinks, such as stops, are followed too (`kinks`): (1) is found where one of their forces
has changed since the sample before.  A step with a bad sample is repeated so that it ends at the
sample before, or at the first sample if that is bad; a step with a change of sign so that it ends
there.  After that the error estimate and the check of events at the ends of steps decide.  Source
of the defect as a measure of error: W. H. Enright, J. Comput. Appl. Math. 125, 2000.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import inlined
from ..layout import run
from .evaluate import evaluate
from .event_values import event_values, signs_changed
from .explicit import dense_stages, interpolate, interpolated_rates
from .kinks import forces_changed, watched_forces

ALLOWED = 10.0


@inlined
def look_inside(r, t, h, t1):
    """Time at which the step must end, t1 if it is good; a status; whether dense stages exist.

    The derivative of the speeds is stored in place of the stiffness, which explicit methods do not
    use.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    system, arrays, work, inside = r.system, r.arrays, r.work, r.inside
    plan, table, memory = arrays
    rates, out = r.tangent.K, work.out
    p, n = run.RunParameters(table, head.parameters), system.ints[field.N_V]
    probe = p.probe
    k = math.floor(t / probe) + 1.0
    instant = k * probe
    if instant >= t1 - p.tick:
        return t1, 0, False
    status = dense_stages(system, arrays, work, t, h, r.start, inside, r.stages)
    if status != 0:
        return t1, status, False
    before, looks = t, head.look & run.LOOK_AT_FORCES != 0
    kinks = not looks and head.look & run.LOOK_AT_KINKS != 0
    if kinks and watched_forces(r, t, r.start) != 0:
        return t1, run.CALL_FAILED, True
    while instant < t1 - p.tick:
        if instant > t + p.tick:
            theta = (instant - t) / h
            interpolate(arrays, work, theta, h, r.start, r.stages, inside)
            if head.look & run.LOOK_AT_EVENTS:
                if event_values(system, arrays, instant, inside, r.values) != 0:
                    return t1, run.CALL_FAILED, True
                if signs_changed(plan, memory, r.values):
                    return instant, 0, True
            if kinks:
                status, looks = forces_changed(r, instant, inside)
                if status != 0:
                    return t1, run.CALL_FAILED, True
            if looks:
                interpolated_rates(system, arrays, theta, r.stages, rates)
                status = evaluate(system, arrays, work, instant, inside, 0.0, out)
                if status == run.CALL_FAILED:
                    return t1, status, True
                for j in range(n):
                    d = abs(out[j] - rates[j]) * min(probe, h)
                    if status == 0 and d > ALLOWED * r.weights[n + j]:
                        return (before if before > t else instant), 0, True
            before = instant
        k += 1.0
        instant = k * probe
    return t1, 0, True
