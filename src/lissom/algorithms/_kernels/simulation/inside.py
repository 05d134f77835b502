"""A look inside adaptive steps: what a step has assumed, and what functions and events say there.

An error estimate sees the stages of a step and nothing between them; of a system at rest a force
that comes and goes between two stages leaves no trace.  Therefore steps of Runge-Kutta methods are
probed on a fixed grid of instants t_p, with the interpolant q(t), v(t) of the step:
  defect       d = accelerations(t_p, q, v) - dv/dt                                          (1)
  bad if       max_k |d_k| probe / w_k > ALLOWED       w: allowed errors of the speeds       (2)
  events       whether a value has changed its sign since the start of the step              (3)
A step with a bad probe is taken again so that it ends before it, or if that is the first one, at
it; one with a change of sign so that it ends there.  From then on the error estimate and the look
at events at the ends of steps decide.  The defect of continuous solutions as a measure of error:
W. H. Enright, J. Comput. Appl. Math. 125, 2000.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import inlined
from . import fields as run
from .evaluate import evaluate
from .event_values import event_values, signs_changed
from .explicit import dense_stages, interpolate, interpolated_rates

ALLOWED = 10.0


@inlined
def look_inside(r, t, h, t1):
    """Instant at which the step shall end, t1 if all is well; a status; whether stages are dense.

    The room for the stiffness, which explicit methods have no use for, takes the derivative of the
    speeds.
    """
    system, given, room, inside = r.system, r.given, r.room, r.inside
    plan, table, memory = given
    rates, out = r.tangent.K, room.out
    p, n = plan[run.PARAMETERS], system.ints[field.N_V]
    probe, start = table[p + run.PROBE], table[p + run.START]
    k = math.floor((t - start) / probe) + 1.0
    instant = start + k * probe
    if instant >= t1 - table[p + run.TICK]:
        return t1, 0, False
    status = dense_stages(system, given, room, t, h, r.start, inside, r.stages)
    if status != 0:
        return t1, status, False
    before = t
    while instant < t1 - table[p + run.TICK]:
        if instant > t + table[p + run.TICK]:
            theta = (instant - t) / h
            interpolate(system, given, room, theta, h, r.start, r.stages, inside)
            if plan[run.LOOK] & run.LOOK_AT_EVENTS:
                if event_values(given, instant, inside, r.values) != 0:
                    return t1, run.CALL_FAILED, True
                if signs_changed(plan, memory, r.values):
                    return instant, 0, True
            if plan[run.LOOK] & run.LOOK_AT_FORCES:
                interpolated_rates(system, given, room, theta, r.stages, rates)
                status = evaluate(system, given, room, instant, inside, 0.0, out)
                if status == run.CALL_FAILED:
                    return t1, status, True
                for j in range(n):
                    d = abs(out[j] - rates[j]) * min(probe, h)
                    if status == 0 and d > ALLOWED * r.weights[n + j]:
                        return (before if before > t else instant), 0, True
            before = instant
        k += 1.0
        instant = start + k * probe
    return t1, 0, True
