"""Linearly implicit Euler method: one linear solution per step.

  (M + h C + h^2 K) x = forces(q, v, z + h z'(q, v)) - h K v                                   (1)
  v_1 = v + h x      q_1 = q moved by h v_1      z_1 = z + h z'(q_1, v_1)                      (2)
K is -dT/dq with z + h z' for z, the states of loads.  Loads on joints of loops have their K and C
along those joints: see `loop_loads`.  With loads whose derivatives are not diagonal in the speeds,
all such parts of K and C are rows: see `load_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...kernels import fields as field
from ...kernels.compiling import inlined
from ...kernels.layout import run
from ...kernels.run.contact_inertia import prepare_contacts
from ...kernels.run.coordinates import moved
from ...kernels.run.evaluate import evaluate, request_speed_closure
from ...kernels.run.implicit import clear_sides, loop_tangent, prepare_armature, tangent
from ...kernels.run.load_rows import load_rows
from ...kernels.run.loop_loads import soften
from ...kernels.run.motions import mark_driven
from ...kernels.run.registry import Method, register
from ...kernels.run.row_solutions import add_row_forces, select_rows, soften_by_rows, solve_rows
from ...kernels.run.states import end_states
from ...kernels.run.touched_nodes import add_touched_forces
from ...kernels.run.views import loop_joints, slope_rows
from .integrator import Integrator


@inlined
def _step(r, t, h, mode):
    """Take one step; see `registry.Method`."""
    return _euler_step(r.stiff, r.arrays, r.work, t, h, r.start, r.end, r.inside, r.tangent), False


@inlined
def _euler_step(system, arrays, work, t, h, start, end, other, of):
    """Take one step (1)-(2); system: with the stiff scratch; of: the tangent."""
    head = run.PlanHeader(arrays.plan, 0)
    n, plan = system.ints[field.N_V], arrays.plan
    v0, v1, extra, s = start.v, end.v, work.extra, work.s
    clear_sides(of.sides)
    if tangent(arrays, work, t, start, h, of, 0.0) != 0:
        return run.CALL_FAILED
    prepare_armature(system, arrays, of, h, h * h, h)
    prepare_contacts(system, arrays, work, start, h, h * h)
    for k in range(n):
        extra[k] = -h * of.K[k] * v0[k]
    status = _further_forces(system, arrays, work, t, h, start, other)
    if status != 0:
        return status
    for k in range(n):
        v1[k] = v0[k]
        work.before[k] = 0.0
    if head.project != 0:
        request_speed_closure(system.ints, system.scratch, h)
    used = 0
    if head.n_row != 0:
        used = select_rows(system, arrays, work, h, h * h)
        status = solve_rows(system, arrays, work, start.q, used)
        if status != 0:
            return status
    for k in range(len(start.q)):
        end.q[k] = start.q[k]
    for k in range(head.n_state):
        end.z[k] = start.z[k]
    if system.scratch[field.TOUCHED] != 0.0:
        add_touched_forces(system, plan, v0, 0.0, -h, True)
    status = evaluate(system, arrays, work, t, end, h, work.out)
    for k in range(n):
        extra[k] = 0.0
    if status != 0:
        return status
    if head.n_row != 0:
        rows = slope_rows(arrays, work)
        soften_by_rows(system, arrays, work, used, rows.zero, work.out)
    elif head.loop_forces.count != 0:
        soften(system, arrays, work, loop_joints(arrays, work).zero, work.out)
    for k in range(n):
        v1[k] = v0[k] + h * work.out[k]
        s[k] = h * v1[k]
    if moved(plan, arrays.table, start.q, s, end.q, work.buffer) != field.DONE:
        return run.SINGULAR_COORDINATES
    return run.CALL_FAILED if end_states(arrays, work, t + h, end, h) != 0 else 0


@inlined
def _further_forces(system, arrays, work, t, h, start, other):
    """Add -h K v of loads whose stiffness is not diagonal to work.extra, and write their rows."""
    head = run.PlanHeader(arrays.plan, 0)
    n, plan, extra = system.ints[field.N_V], arrays.plan, work.extra
    if head.n_row != 0:
        mark_driven(system.ints, plan, arrays.memory)
        status = load_rows(system, arrays, work, t, start, other, run.STEP_ROWS)
        rows = slope_rows(arrays, work)
        add_row_forces(system, arrays, work, int(rows.count[0]), rows.K, -h, start.v, extra)
        return status
    status = loop_tangent(system, arrays, work, t, start, h, h * h)
    if status != 0:
        return status
    cut = loop_joints(arrays, work)
    for c in range(head.n_loop_v):
        for k in range(n):
            extra[k] -= h * cut.K[c] * cut.v[c] * cut.J[c * n + k]
    return 0


@inlined
def _error(r, h):
    """Estimate of the error in units of the tolerance.

    Of positions h |v_1 - v| / 2, of speeds h |x - x_0| / 2 with the x of the step before.
    """
    weights, memory, worst, n = r.weights, r.arrays.memory, 0.0, len(r.end.v)
    for k in range(n):
        x = (r.end.v[k] - r.start.v[k]) / h
        e = 0.5 * h * h * abs(x) / weights[k]
        if memory[run.N_STEPS] > 0.0:
            e = max(e, 0.5 * h * abs(x - r.x.before[k]) / weights[n + k])
        r.x.before[k] = x
        if not e <= worst:
            worst = e
            memory[run.WORST] = k
    return worst


IMPLICIT_EULER = register(
    Method("linearly implicit Euler", _step, run.USES_ARMATURE | run.ESTIMATES, _error)
)


@dataclass(frozen=True)
class LinearlyImplicitEuler(Integrator):
    """One linear solution per step with stiffness and damping as armature; order 1, very stable."""

    title = "linearly implicit Euler"
    names = ("linearly_implicit_euler", "implicit_euler", "linear_implicit_euler")
    method = IMPLICIT_EULER
    order = 1
    implicit = True
