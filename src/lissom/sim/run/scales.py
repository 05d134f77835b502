"""Stiffness of a system, and the scales of its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...algorithms.loops.frames import joint_jacobian, placed_loops
from ...algorithms.tree import engine
from ...kernels.fields import ACCELERATED
from ...kernels.run.registry import JOINT_KINDS, JointKind
from ...system import System

if TYPE_CHECKING:
    from .plan import Plan

Array = np.ndarray

ITERATIONS = 30
# Explicit methods follow motions up to this rate [rad/s]; "auto" passes over faster ones whose
# amplitude is below the tolerance.
EXPLICIT_RATE = 2e4


class Fastest(NamedTuple):
    """Fastest motions of a system."""

    vibration: float  # square root of the largest eigenvalue of M^-1 K [rad/s]
    its_decay: float  # rate at which that vibration decays [1/s]
    decay: float  # largest eigenvalue of M^-1 C [1/s]

    @property
    def rate(self) -> float:
        """Larger of vibration and decay [rad/s]."""
        return max(self.vibration, self.decay)


class Slopes(NamedTuple):
    """Stiffness or damping diag(on_speeds) + rowsᵀ diag(along) rows."""

    on_speeds: Array  # (n_v,) on the speeds
    rows: Array  # (m, n_v) speeds of the joints of loops that loads act on
    along: Array  # (m,) on these

    def times(self, x: Array) -> Array:
        """Product with a vector."""
        return np.asarray(self.on_speeds * x + self.rows.T @ (self.along * (self.rows @ x)))

    @property
    def diagonal(self) -> Array:
        """Diagonal (n_v,)."""
        return np.asarray(self.on_speeds + self.along @ self.rows**2)


def fastest_motions(solve: Callable[[Array], Array], K: Slopes, C: Slopes) -> Fastest:
    """Fastest vibration and decay, by power iteration."""
    square, x = _largest(solve, K)
    decay, _ = _largest(solve, C)
    stiff = x @ K.times(x)  # xᵀ M x = xᵀ K x / ω²
    its_decay = 0.5 * square * (x @ C.times(x)) / stiff if stiff > 0 else 0.0
    return Fastest(float(np.sqrt(square)), float(its_decay), decay)


def _largest(solve: Callable[[Array], Array], slopes: Slopes) -> tuple[float, Array]:
    """Largest eigenvalue of M^-1 slopes, and its vector."""
    diagonal = slopes.diagonal
    largest, x = 0.0, np.zeros(len(diagonal))
    if not np.any(diagonal):
        return largest, x
    x = np.sqrt(diagonal) * (1 + 0.1 * np.cos(np.arange(len(diagonal))))
    for _ in range(ITERATIONS):
        force = slopes.times(x)
        y = solve(force)
        # Rayleigh's quotient in the norm of the slopes, in which the product is symmetric
        largest = float(force @ y / (force @ x))
        size = np.linalg.norm(y)
        if size == 0 or largest <= 0:  # all stiff coordinates are driven, to within rounding
            return max(largest, 0.0), x
        if not np.isfinite(largest):
            return np.inf, np.zeros(len(diagonal))
        before, x = x, y / size
        if before.tobytes() == x.tobytes():  # all further ones would be the same
            break
    return largest, x


def modal_stiffness(system: System) -> tuple[Array, Array]:
    """Diagonals of the stiffness and damping of modes, on the speeds (n_v,)."""
    K, C = np.zeros(system.n_v), np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        piece = system.layout.modal_v(i)
        K[piece], C[piece] = body.stiffness, np.diag(body.damping)
    return K, C


def spring_rates(plan: Plan, q: Array) -> Array:
    """Rates sqrt(K/M) at which springs move their hinges (n_v,) [rad/s]; zero for other speeds.

    Zero also above `EXPLICIT_RATE`.

    `q` (n_q,): configuration; M is the inertia that the hinge moves there.
    """
    system = plan.system
    K = hinge_stiffness(plan, lambda kind: not kind.catches)[0]
    rates = np.zeros(system.n_v)
    for k in np.flatnonzero(K):
        unit = np.zeros(system.n_v)
        unit[k] = 1.0
        moved = engine.inverse_dynamics(system, q, unit, unit, flags=ACCELERATED)[k]
        rates[k] = np.sqrt(K[k] / max(moved, 1e-300))
    return np.where(rates <= EXPLICIT_RATE, rates, 0.0)


def stiffness_of(plan: Plan, q: Array) -> tuple[Slopes, Slopes]:
    """Stiffness and damping of modes and of loads on joints, at coordinates q (n_q,)."""
    on_speeds = zip(modal_stiffness(plan.system), hinge_stiffness(plan), strict=True)
    n = sum(joint.n_v for joint in plan.loop_joints.values())
    along, rows = _steepest(plan, "loop_forces", n), loop_joint_rows(plan, q)
    K, C = (Slopes(x + y, rows, z) for (x, y), z in zip(on_speeds, along, strict=True))
    return K, C


def loop_joint_rows(plan: Plan, q: Array) -> Array:
    """Speeds of the joints of loops that loads act on by those of the system, (m, n_v)."""
    system, rows = plan.system, [np.zeros((0, plan.system.n_v))]
    loops = [system.loops[joint.loop] for joint in plan.loop_joints.values()]
    rows += [joint_jacobian(system, q, placed) for placed in placed_loops(system, q, loops)]
    return np.concatenate(rows)


def hinge_stiffness(
    plan: Plan, counts: Callable[[JointKind], bool] = lambda _: True
) -> tuple[Array, Array]:
    """Largest stiffness and damping of the loads on hinges, on the speeds (n_v,)."""
    return _steepest(plan, "forces", plan.system.n_v, counts)


def _steepest(
    plan: Plan, where: str, n_v: int, counts: Callable[[JointKind], bool] = lambda _: True
) -> tuple[Array, Array]:
    """Largest stiffness and damping of loads on n_v motions of joints."""
    K, C = np.zeros(n_v), np.zeros(n_v)
    table = plan.constants()
    for row in plan.rows[where]:
        o, n, c = int(row.v), int(row.n), int(row.constants)
        kind = JOINT_KINDS[row.kind]
        if kind.steepest is not None and counts(kind):
            k, damping = kind.steepest(table[c:], n)
            K[o : o + n] += k
            C[o : o + n] += damping
    return K, C
