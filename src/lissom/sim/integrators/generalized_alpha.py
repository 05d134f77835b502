"""Generalized-alpha method.

a: the algorithmic accelerations, x = vdot at the end of the step, z: states of loads
  (1 - alpha_m) a_1 + alpha_m a = (1 - alpha_f) x_1 + alpha_f x                              (1)
  v_1 = v + h ((1 - gamma) a + gamma a_1)                                                     (2)
  q_1 = q moved by h v + h^2 ((1/2 - beta) a + beta a_1)                                      (3)
  z_1 = z + h/2 (z' + z'_1)                                                                   (4)
  M(q_1) x_1 = forces(q_1, v_1, z_1) by iteration, with (4) inserted, also in K = -dT/dq:
  (M + A) x = forces + A x_before      A = (1 - alpha_f)/(1 - alpha_m) (gamma h C + beta h^2 K)  (5)
Each iteration is one forward-dynamics solution with armature; M is that of the current iterate.
Loads on joints of loops have their K and C along those joints, see `loop_loads`.
Derivatives of loads that are not diagonal in the speeds join A as soon as the iteration converges
slowly without them (`load_rows`, `row_solutions`), then for a number of steps from their start.
Rods under tension have rotary armature of their sections besides, found once in a step (`rods`).
Loops are closed in the speeds v_1 at the end of the step, not in accelerations                  (6)
Near singular positions, where errors of speeds would need huge accelerations, (6) stays bounded.
Sources: J. Chung, G. M. Hulbert, J. Appl. Mech. 60, 1993; M. Arnold, O. Bruels, Multibody Syst.
Dyn. 18, 2007 (on groups: O. Bruels, A. Cardona, J. Comput. Nonlin. Dyn. 5, 2010).  Differs: (5)
keeps only the part of the tangent matrix that armature can represent; a - x is stored per second,
so that steps may change; (4) is the trapezoidal rule, which has the order of the method.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from ...errors import LoadError
from ...kernels import fields as field
from ...kernels.compiling import inlined, uncounted
from ...kernels.layout import run
from ...kernels.run.contact_inertia import prepare_contacts
from ...kernels.run.coordinates import moved, moved_error
from ...kernels.run.evaluate import evaluate, request_speed_closure
from ...kernels.run.implicit import (
    clear_sides,
    loop_tangent,
    note_sides,
    prepare_armature,
    prepare_rods,
    step_rows,
    tangent,
)
from ...kernels.run.loop_loads import loop_slopes, soften
from ...kernels.run.registry import Method, register
from ...kernels.run.row_solutions import soften_by_rows, solve_rows
from ...kernels.run.states import begin_states, end_states, put_states
from ...kernels.run.views import loop_joints
from ...kernels.tree.rod_tension import relax_rods
from .integrator import Integrator

MOST_ITERATIONS = 40
SLOW = 0.2  # ratio of changes above which an iteration is continued with all derivatives of loads
SPELL = 64.0  # steps that are then taken with them from the start
SLOW_ = -1  # status of such an iteration
FARTHEST = 8.0  # largest extrapolation of the lead, in multiples of the step in which it was found
# Fraction of that step from which a step renews the lead, and age from which any does.  Neither a
# half nor one: rounding would decide for the halves of a step.
LONG, OLD = 0.499, 1.001


class Constants(NamedTuple):
    """Constants of the method; ratio = (1 - alpha_f) / (1 - alpha_m)."""

    alpha_m: Any
    alpha_f: Any
    beta: Any
    gamma: Any
    ratio: Any
    tolerance: Any
    slack: Any


@inlined
def constants(plan, table, h):
    """Constants of the method, for a step h."""
    head = run.PlanHeader(plan, 0)
    p = run.RunParameters(table, head.parameters)
    alpha_m, alpha_f = p.alpha_m, p.alpha_f
    tolerance = p.newton * max(min(1.0, h * p.share), p.least_share)
    ratio = (1.0 - alpha_f) / (1.0 - alpha_m)
    beta, gamma, slack = p.beta, p.gamma, p.slack
    return Constants(alpha_m, alpha_f, beta, gamma, ratio, tolerance, slack)


@inlined
def _step(r, t, h, mode):
    """Take one step (1)-(5) into r.end, x.x1 and x.a1; see `registry.Method`."""
    status = _alpha_step(
        r.stiff, r.arrays, r.work, t, h, r.start, r.end, r.inside, r.x, r.tangent, r.weights
    )
    return status, False


@inlined
def _alpha_step(system, arrays, work, t, h, start, end, other, x, of, weights):
    """Take one step; DIVERGED if the iteration diverges; 0 or a failure.

    system: with the stiff scratch; other: a state to be overwritten; of: the tangent.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    m = constants(plan, table, h)
    lead = min(h, FARTHEST * memory[run.LEAD_STEP])
    for k in range(len(x.a0)):
        x.a0[k] = x.x0[k] + lead * x.lead[k]
    clear_sides(of.sides)
    note_sides(start.v, of.sides)
    if tangent(arrays, work, t, start, 0.5 * h, of, 0.0) != 0:
        return run.CALL_FAILED
    of_damping, of_stiffness = m.ratio * m.gamma * h, m.ratio * m.beta * h * h
    prepare_armature(system, arrays, of, of_damping, of_stiffness, h)
    prepare_contacts(system, arrays, work, start, of_damping, of_stiffness)
    if begin_states(arrays, work, t, start, end, 0.5 * h, 0.0) != 0:
        return run.CALL_FAILED
    coupled = head.n_row != 0 and memory[run.COUPLED] > 0.0
    _guess(memory, h, m, x)
    if head.project != 0:
        request_speed_closure(system.ints, system.scratch, m.ratio * m.gamma * h)  # (6)
    rods, status = system.ints[field.RODS] != 0 and head.dense == 0, 0
    if rods:
        if not _place(arrays, work, h, m, start, end, x):
            return run.SINGULAR_COORDINATES
        for k in range(len(x.a0)):
            work.extra[k] = of.A[k] * x.x1[k]
        factor = m.ratio * m.beta * h * h
        status = prepare_rods(system, arrays, work, t + h, end, 0.5 * h, x.x1, factor)
    if status == 0 and head.loop_forces.count != 0:
        status = run.SINGULAR_COORDINATES
        if _place(arrays, work, h, m, start, end, x):
            status = loop_tangent(
                system, arrays, work, t + h, end, m.ratio * m.gamma * h, m.ratio * m.beta * h * h
            )
    for attempt in range(2):
        if status == 0:
            status = _iterate(
                system, arrays, work, t, h, m, start, end, other, x, of, weights, coupled
            )
        if status != SLOW_ or attempt == 1:
            break
        coupled, status = True, 0
        memory[run.COUPLED] = SPELL
        _guess(memory, h, m, x)
    if rods:
        relax_rods(system.ints, system.scratch)
    for k in range(len(x.a0)):
        work.extra[k] = 0.0
    if status != 0:
        return status
    if not _place(arrays, work, h, m, start, end, x):
        return run.SINGULAR_COORDINATES
    return run.CALL_FAILED if end_states(arrays, work, t + h, end, 0.5 * h) != 0 else 0


@inlined
def _guess(memory, h, m, x):
    """Write the first guess: extrapolated accelerations."""
    f = min(h / memory[run.LAST_STEP], 2.0) if memory[run.LAST_STEP] > 0.0 else 0.0
    for k in range(len(x.x0)):
        x.x1[k] = x.x0[k] + f * (x.x0[k] - x.before[k])
        x.a1[k] = ((1.0 - m.alpha_f) * x.x1[k] + m.alpha_f * x.x0[k] - m.alpha_m * x.a0[k]) / (
            1.0 - m.alpha_m
        )


@uncounted
def _place(arrays, work, h, m, start, end, x):
    """Write speeds (2) and coordinates (3) at the end of the step; False if that fails."""
    s = work.s
    for k in range(len(end.v)):
        end.v[k] = start.v[k] + h * ((1.0 - m.gamma) * x.a0[k] + m.gamma * x.a1[k])
        s[k] = h * start.v[k] + h * h * ((0.5 - m.beta) * x.a0[k] + m.beta * x.a1[k])
    return moved(arrays.plan, arrays.table, start.q, s, end.q, work.buffer) == field.DONE


@inlined
def _iterate(system, arrays, work, t, h, m, start, end, other, x, of, weights, coupled):
    """Find the accelerations x1, a1 by the iteration (5).

    coupled: with all derivatives of loads.  Returns 0, DIVERGED, SLOW_ if the iteration has to
    begin again with them, or a failure.  The remaining error is estimated from the ratio of
    successive changes in the same step: rates from earlier steps are not reliable, and momentum
    would drift.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    out, n = work.out, len(x.a0)
    of_damping, of_stiffness = m.ratio * m.gamma * h, m.ratio * m.beta * h * h
    before, steady, used = 0.0, head.nonlinear == 0, 0
    hopes = head.n_row != 0 and not coupled
    if coupled:
        put_states(plan, work.states, start.z, 0.5 * h)
        status, used = step_rows(system, arrays, work, t, start, other, of_damping, of_stiffness)
        if status != 0:
            return status
    for iteration in range(int(run.RunParameters(table, head.parameters).iterations)):
        for k in range(n):
            work.extra[k] = of.A[k] * x.x1[k]
        if not _place(arrays, work, h, m, start, end, x):
            return SLOW_ if hopes else run.SINGULAR_COORDINATES
        memory[run.N_ITERATIONS] += 1.0
        status = evaluate(system, arrays, work, t + h, end, 0.5 * h, out)
        if status == run.CALL_FAILED:
            return status
        if status != 0 and hopes:
            return SLOW_
        if status == run.SINGULAR_ and system.ints[field.STIFFENS] != 0:
            return run.DIVERGED  # an iterate may bend bodies more than the solution does
        if status != 0:
            return status
        if coupled:
            soften_by_rows(system, arrays, work, used, x.x1, out)
        elif head.loop_forces.count != 0:
            soften(system, arrays, work, x.x1, out)
        change, step = _correct(memory, h, m, out, x, weights)
        rate = 1.0
        if iteration > 0 and before > 0.0 and steady:
            rate = change / before
        left = change * rate / max(1e-3, 1.0 - rate)  # of a geometric series
        if left <= max(m.tolerance, m.slack * step):
            return 0
        if hopes and iteration > 0 and (steady or iteration > 4) and not rate <= SLOW:
            return SLOW_
        if iteration > 3 and rate > 1.5:
            return run.DIVERGED
        if head.nonlinear != 0:
            # With another armature the ratio of changes is not a convergence rate.
            for k in range(n):
                out[k] = of.A[k]
            note_sides(end.v, of.sides)
            if tangent(arrays, work, t + h, end, 0.5 * h, of, 1.0) != 0:
                return run.CALL_FAILED
            prepare_armature(system, arrays, of, of_damping, of_stiffness, h)
            if loop_slopes(system, arrays, work, t + h, end, of_damping, of_stiffness) != 0:
                return run.CALL_FAILED
            steady, cut = True, loop_joints(arrays, work)
            for k in range(n):
                steady = steady and abs(of.A[k] - out[k]) <= 0.1 * min(of.A[k], out[k])
            for k in range(head.n_loop_v):
                old, new = cut.small[k], cut.A[k]
                steady = steady and abs(new - old) <= 0.1 * min(new, old)
            if coupled and not steady:
                status = solve_rows(system, arrays, work, start.q, used)
                if status != 0:
                    return status
        before = change
    return run.DIVERGED


@inlined
def _correct(memory, h, m, out, x, weights):
    """Accept the accelerations of an iteration; return their change and that of the whole step.

    Both in units of the tolerance.
    """
    n = len(out)
    change, step = 0.0, 0.0
    for k in range(n):
        d = m.ratio * (out[k] - x.x1[k])
        x.x1[k] = out[k]
        x.a1[k] += d
        size = h * max(m.gamma / weights[n + k], h * m.beta / weights[k])
        step = max(step, abs(x.a1[k] - x.a0[k]) * size)
        if not abs(d) * size <= change:
            change = abs(d) * size
            memory[run.WORST] = k
    return change, step


@inlined
def _error(r, h):
    """Estimate of the local error in units of the tolerance: h^2 |beta - 1/6| (a_1 - a).

    Coordinates that do not follow from speeds alone have the error of (3) besides.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    plan, table, memory = r.arrays
    x, weights = r.x, r.weights
    factor = h * h * abs(run.RunParameters(table, head.parameters).beta - 1.0 / 6.0)
    worst = 0.0
    for k in range(len(x.a0)):
        e = factor * abs(x.a1[k] - x.a0[k]) / weights[k]
        if not e <= worst:
            worst = e
            memory[run.WORST] = k
    if head.specials.count != 0:
        which, s = memory[run.WORST], r.work.s
        beta = run.RunParameters(table, head.parameters).beta
        for k in range(len(x.a0)):
            s[k] = h * r.start.v[k] + h * h * ((0.5 - beta) * x.a0[k] + beta * x.a1[k])
        e = moved_error(plan, table, memory, r.start.q, s, r.end.q, weights, r.work.buffer)
        if not e <= worst:
            return e
        memory[run.WORST] = which
    return worst


@inlined
def _commit(r, h):
    """Store the accelerations at the end of a step, and their lead."""
    _keep_lead(r.arrays.memory, h, r.x)
    r.arrays.memory[run.COUPLED] = max(0.0, r.arrays.memory[run.COUPLED] - 1.0)
    for k in range(len(r.x.x0)):
        r.x.before[k] = r.x.x0[k]
        r.x.x0[k] = r.x.x1[k]
    return True


@inlined
def _keep_lead(memory, h, x):
    """Store the lead of the algorithmic accelerations over x, per second, for steps of any length.

    A step much shorter than the one in which it was found carries little information about it,
    unless such steps continue for as long.
    """
    memory[run.LEAD_AGE] += h
    length = memory[run.LEAD_STEP]
    if h >= LONG * length or memory[run.LEAD_AGE] > OLD * length:
        for k in range(len(x.lead)):
            x.lead[k] = (x.a1[k] - x.x1[k]) / h
        memory[run.LEAD_STEP] = h
        memory[run.LEAD_AGE] = 0.0


GENERALIZED_ALPHA = register(
    Method(
        "generalized-alpha",
        _step,
        run.USES_ARMATURE | run.NEEDS_START | run.KEEPS_LEAD | run.ESTIMATES,
        _error,
        _commit,
    )
)


@dataclass(frozen=True)
class GeneralizedAlpha(Integrator):
    """Chung and Hulbert's method on the groups of the joints; order 2.

    Each iteration is one forward-dynamics solution with armature; stiff modes do not limit the
    step.

    Parameters
    ----------
    spectral_radius : float
        Fraction of the fastest vibrations left after a step: 1 keeps them, 0 removes them at once.
    tolerance : float
        Tolerance of the iterations with a fixed step, as a fraction of the sizes of coordinates
        and speeds by which `simulate` measures errors.  Adaptive steps derive it from rtol.
    slack : float
        The iterations also end where they are within this fraction of the change of the
        accelerations in the step, to which its error is proportional; 0: at `tolerance` alone.
    """

    title = "generalized-alpha"
    names = ("generalized_alpha", "gen_alpha", "alpha", "implicit", "newmark")
    method = GENERALIZED_ALPHA
    iterates = True
    order = 2
    implicit = True
    adaptive = True

    spectral_radius: float = 0.8
    tolerance: float = 1e-8
    slack: float = 1e-3

    def __post_init__(self) -> None:
        rho = self.spectral_radius
        if not isinstance(rho, (int, float)) or not 0 <= rho <= 1:
            raise LoadError(f"GeneralizedAlpha: spectral_radius is {rho!r}; expected 0 to 1")
        if not isinstance(self.tolerance, (int, float)) or not 0 < self.tolerance < 1:
            raise LoadError(f"GeneralizedAlpha: tolerance is {self.tolerance!r}; expected 0 to 1")
        if not isinstance(self.slack, (int, float)) or not 0 <= self.slack < 1:
            raise LoadError(f"GeneralizedAlpha: slack is {self.slack!r}; expected 0 to 1")
        p = self.parameters()
        alpha_m, alpha_f, gamma = p["alpha_m"], p["alpha_f"], p["gamma"]
        second_order = abs(gamma - (0.5 - alpha_m + alpha_f)) < 1e-14
        stable = alpha_m <= alpha_f <= 0.5 and p["beta"] >= 0.25 + 0.5 * (alpha_f - alpha_m) - 1e-14
        if not (second_order and stable):
            raise ValueError("GeneralizedAlpha: the constants violate its conditions")

    @property
    def share(self) -> float:
        """Limit of the sum of estimates, in tolerances; estimates are of the size of the errors."""
        return 3.0

    @property
    def least_share(self) -> float:
        """Least share of a step; the errors fall faster than the steps, also at jumps."""
        return 1e-9

    @property
    def rounding(self) -> float:
        """Smallest error asked of a step; short steps of a low order have smaller errors."""
        return 1e-15

    def parameters(self) -> dict[str, float]:
        """Constants for the kernel: Chung and Hulbert, (17), (20), (25)."""
        rho = self.spectral_radius
        alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        gamma = 0.5 - alpha_m + alpha_f
        return {
            "alpha_m": alpha_m,
            "alpha_f": alpha_f,
            "gamma": gamma,
            "beta": 0.25 * (gamma + 0.5) ** 2,
            "newton": self.tolerance,
            "slack": self.slack,
            "iterations": MOST_ITERATIONS,
        }
