"""Rosenbrock-W method of order three.

With local coordinates s of a step, speeds v, states of loads z, motions p along the speeds (p' = v,
which equal s where coordinates are plain), and the matrix W of (1) of `rosenbrock_table`
  W: dp = v   ds = Gamma_0 v   dv = f_t t - M_0^-1 (K p + C v)   dz = 0                      (1)
M_0, K, C at the start of the step: stiffness and damping of modes and of all loads, as armature A
and as rows (`load_rows`); f_t: derivative of the accelerations by time, a difference.  F, S, Z:
accelerations and rates of s and z at a stage; k, r: the stages of v and p over h; b_ij: the entries
of Gamma, gamma its diagonal, g = gamma h:
  F_i = F + h (sum_j b_ij) f_t
  G = gamma F_i + sum_j<i b_ij k_j      R = gamma v_i + sum_j<i b_ij r_j                     (2)
  (M_0 + A) y = A G + g K R      A = g C + g^2 K                                             (3)
  k_i = F_i - y / gamma      u = G - y      r_i = v_i + h u                                  (4)
  stage of s: S + h Gamma_0 u      stage of z: Z                                             (5)
Where nothing is stiff, y = 0 and the stages are those of an explicit method.  The order is three
whatever W is, so that what (1) leaves out (velocity terms, change of M, tension of rods, the states
of loads) costs stability at long steps, not accuracy.  Loops are closed as for explicit methods; y
leaves them closed.
Source: J. Rang, L. Angermann, New Rosenbrock W-methods of order 3 for partial differential
algebraic equations of index 1, BIT Numerical Mathematics 45, 2005.  Differs: W from the parts of
the equations that are stiff in a mechanism; on the groups of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...kernels import fields as field
from ...kernels.compiling import inlined, uncounted
from ...kernels.layout import run
from ...kernels.run.contact_inertia import prepare_contacts
from ...kernels.run.coordinates import chart_rates, charted
from ...kernels.run.evaluate import evaluate, solve_mass
from ...kernels.run.explicit import C_ROW, DENSE_ROWS, combine, error_norm, stage
from ...kernels.run.implicit import clear_sides, prepare_armature, step_rows, tangent
from ...kernels.run.motions import mark_driven
from ...kernels.run.registry import Method, register
from ...kernels.run.row_solutions import add_row_forces, soften_by_rows
from ...kernels.run.states import put_states, state_rates, take_rates
from ...kernels.run.touched_nodes import add_touched_forces
from ...kernels.run.views import slope_rows
from .integrator import Integrator
from .rosenbrock_table import RosenbrockTable, ros34pw2

AHEAD = 1e-3  # time of the difference for f_t, as a fraction of the step


@inlined
def _step(r, t, h, mode):
    """Take one step; see `registry.Method`."""
    head = run.PlanHeader(r.arrays.plan, 0)
    status, used = _prepare(r, t, h)
    for i in range(head.n_stage):
        if status == 0:
            status = _stage(r, i, t, h, used)
    if status == 0:
        i = head.n_stage
        status = stage(r.system, r.arrays, r.work, i, 1.0, t, h, r.start, r.end, r.stages)
    return status, False


@inlined
def _prepare(r, t, h):
    """Write A, K and the rows of W (1) at the start of a step; 0 or a failure, and their number."""
    head = run.PlanHeader(r.arrays.plan, 0)
    arrays, of = r.arrays, r.tangent
    plan = arrays.plan
    g = _gamma(plan, arrays.table) * h
    clear_sides(of.sides)
    if tangent(arrays, r.work, t, r.start, 0.0, of, 0.0) != 0:
        return run.CALL_FAILED, 0
    prepare_armature(r.stiff, arrays, of, g, g * g, h)
    prepare_contacts(r.stiff, arrays, r.work, r.start, g, g * g)
    status = _find_trend(r, t, h)
    mark_driven(r.stiff.ints, plan, arrays.memory)
    if head.n_row == 0 or status != 0:
        return status, 0
    put_states(plan, r.work.states, r.start.z, 0.0)
    return step_rows(r.stiff, arrays, r.work, t, r.start, r.inside, g, g * g)


@inlined
def _find_trend(r, t, h):
    """Write f_t to the place of `sides`, which are not needed any more; 0 or a failure."""
    head = run.PlanHeader(r.arrays.plan, 0)
    trend, n, at = r.tangent.sides, len(r.start.v), r.inside
    for k in range(n):
        trend[k] = 0.0
    if head.timed == 0:
        return 0
    for k in range(len(at.q)):
        at.q[k] = r.start.q[k]
    for k in range(n):
        at.v[k] = r.start.v[k]
    for k in range(len(at.z)):
        at.z[k] = r.start.z[k]
    d = AHEAD * h
    if not t + d > t:
        return 0
    d = (t + d) - t
    status = evaluate(r.system, r.arrays, r.work, t + d, at, 0.0, r.work.out)
    for k in range(n):
        trend[k] = (r.work.out[k] - r.x.x0[k]) / d
    return status


@uncounted
def _gammas(plan):
    """Offset of the rows of Gamma in the table."""
    head = run.PlanHeader(plan, 0)
    total = head.n_rates
    return head.tableau + total * (total + DENSE_ROWS + head.degree)


@uncounted
def _gamma(plan, table):
    """Diagonal of Gamma."""
    return table[_gammas(plan)]


@inlined
def _stage(r, i, t, h, used):
    """Write stage i to r.stages (2)-(5); 0 or a failure."""
    head = run.PlanHeader(r.arrays.plan, 0)
    system, arrays, work, at, stages = r.system, r.arrays, r.work, r.end, r.stages
    plan, table = arrays.plan, arrays.table
    n, n_s, n_z = system.ints[field.N_V], len(work.s), head.n_state
    F, S, P = stages.V[i * n : (i + 1) * n], stages.S[i * n_s : (i + 1) * n_s], stages.P
    total = head.n_rates
    combine(table, head.tableau + i * total, i, h, r.start, stages, work.s, at)
    charted(plan, r.start.q, work.s, at.q)
    if i == 0:
        for k in range(n):
            F[k] = r.x.x0[k]
        if n_z != 0 and state_rates(arrays, work, t, r.start, 0.0) != 0:
            return run.CALL_FAILED
    else:
        c = table[head.tableau + total * (total + C_ROW) + i]
        status = evaluate(system, arrays, work, t + c * h, at, 0.0, F)
        if status != 0:
            return status
    take_rates(plan, work.states, stages.Z[i * n_z : (i + 1) * n_z])
    if chart_rates(plan, table, work.s, at.q, at.v, S, work.buffer) != field.DONE:
        return run.SINGULAR_COORDINATES
    row, grown = _gammas(plan) + i * head.n_stage, 0.0
    for j in range(i + 1):
        grown += h * table[row + j]
    for k in range(n):
        F[k] += grown * r.tangent.sides[k]
    G, R, gamma = r.tangent.C, r.x.a1, _gamma(plan, table)
    for k in range(n):
        G[k], R[k] = gamma * F[k], gamma * at.v[k]
    for j in range(i):
        b = table[row + j]
        for k in range(n):
            G[k] += b * stages.V[j * n + k]
            R[k] += b * P[j * n + k]
    status = _filter(r, h, gamma, G, R, F, used)  # leaves u in G
    if status != 0:
        return status
    for k in range(n):
        P[i * n + k] = at.v[k] + h * G[k]
        R[k] = h * G[k]
    for k in range(n_s):
        work.s[k] = 0.0
    rates = r.stages.S[head.n_stage * n_s : (head.n_stage + 1) * n_s]
    if chart_rates(plan, table, work.s, r.start.q, R, rates, work.buffer) != field.DONE:
        return run.SINGULAR_COORDINATES
    for k in range(n_s):
        S[k] += rates[k]
    return 0


@inlined
def _filter(r, h, gamma, G, R, F, used):
    """Solve (3), and replace F by k and G by u (4); 0 or a failure."""
    of, work, y, rhs, n = r.tangent, r.work, r.work.out, r.x.a0, len(G)
    touched = r.stiff.scratch[field.TOUCHED] != 0.0
    stiff = used > 0 or touched
    for k in range(n):
        rhs[k] = of.A[k] * G[k] + gamma * h * of.K[k] * R[k]
        y[k] = 0.0
        stiff = stiff or rhs[k] != 0.0
    if not stiff:
        return 0
    if used > 0:
        rows = slope_rows(r.arrays, work)
        add_row_forces(r.stiff, r.arrays, work, used, rows.V, 1.0, G, rhs)
        add_row_forces(r.stiff, r.arrays, work, used, rows.K, gamma * h, R, rhs)
    if touched:
        add_touched_forces(r.stiff, r.arrays.plan, G, 1.0, 0.0, True)
        add_touched_forces(r.stiff, r.arrays.plan, R, 0.0, gamma * h, True)
    status = solve_mass(r.stiff, r.arrays, r.start.q, rhs, rhs, y)
    if status != 0:
        return status
    if used > 0:
        rows = slope_rows(r.arrays, work)
        soften_by_rows(r.stiff, r.arrays, work, used, rows.zero, y)
    for k in range(n):
        F[k] -= y[k] / gamma
        G[k] -= y[k]
    return 0


@inlined
def _error(r, h):
    return error_norm(r.system, r.arrays, h, r.stages, r.weights)


@inlined
def _commit(r, h):
    """Take the accelerations at the end of a step, unless loops moved its state."""
    head = run.PlanHeader(r.arrays.plan, 0)
    n = len(r.x.x0)
    if head.project != 0:
        return False
    o = head.n_stage * n
    for k in range(n):
        r.x.x0[k] = r.stages.V[o + k]
    return True


ROSENBROCK = register(
    Method("Rosenbrock", _step, run.NEEDS_START | run.INTERPOLATES | run.ESTIMATES, _error, _commit)
)


@dataclass(frozen=True)
class Rosenbrock3(Integrator):
    """Rang and Angermann's Rosenbrock-W method of order 3, on the groups of the joints; adaptive.

    Linearly implicit: stiff modes and loads do not limit the step, and there is no iteration.  Its
    errors of momentum and energy stay within the tolerance.
    """

    title = "Rosenbrock 3(2)"
    names = ("rosenbrock", "rosenbrock3", "ros34pw2", "rosenbrock_w")
    method = ROSENBROCK
    order = 3
    implicit = True
    adaptive = True
    all_rows = True

    @property
    def tableau(self) -> RosenbrockTable:
        """Table of the method."""
        return ros34pw2()

    @property
    def error_order(self) -> int:
        """Order of the error estimate."""
        return 2

    @property
    def share(self) -> float:
        """Limit of the sum of estimates, which are of a lower order, in tolerances."""
        return 10.0

    @property
    def least_share(self) -> float:
        """Least share of a step; short steps follow transients of stiff loads, of low order."""
        return 0.02
