"""How stiff a system is, and what its errors are measured by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms._kernels.simulation import layout as at
from ..algorithms.coordinates import error_sizes
from ..system import System

if TYPE_CHECKING:
    from .plan import Plan

__all__ = ["error_sizes", "fastest_rate", "modal_stiffness", "stiffness_of"]

Array = np.ndarray

ITERATIONS = 30


def fastest_rate(solve: Callable[[Array], Array], K: Array, C: Array) -> float:
    """Fastest rate of vibration or decay [rad/s], by power iteration.

    The square root of the largest eigenvalue of M^-1 K, and the largest one of M^-1 C.

    Parameters
    ----------
    solve : callable
        Product of M^-1 and a vector.
    K, C : array (n_v,)
        Stiffness and damping on the speeds.
    """
    found = 0.0
    for diagonal, power in ((K, 0.5), (C, 1.0)):
        if not np.any(diagonal):
            continue
        x = np.sqrt(diagonal) * (1 + 0.1 * np.cos(np.arange(len(diagonal))))
        largest = 0.0
        for _ in range(ITERATIONS):
            force = diagonal * x
            y = solve(force)
            # Rayleigh's quotient in the norm of `diagonal`, in which the product is symmetric
            largest = float(force @ y / (force @ x))
            size = np.linalg.norm(y)
            if size == 0:  # all that is stiff is driven
                break
            if not np.isfinite(largest):
                return np.inf
            x = y / size
        found = max(found, largest**power)
    return found


def modal_stiffness(system: System) -> tuple[Array, Array]:
    """Diagonals of the stiffness and damping of modes, on the speeds (n_v,)."""
    K, C = np.zeros(system.n_v), np.zeros(system.n_v)
    for i, body in enumerate(system.bodies):
        piece = system.layout.modal_v(i)
        K[piece], C[piece] = body.stiffness, np.diag(body.damping)
    return K, C


def stiffness_of(plan: Plan) -> tuple[Array, Array]:
    """Stiffness and damping on the speeds: modes and elements on hinges."""
    K, C = modal_stiffness(plan.system)
    table = plan.constants()
    for row in plan.rows["forces"]:
        o, n, c = int(row[at.E_V]), int(row[at.E_N]), int(row[at.E_TABLE])
        piece = slice(o, o + n)
        if row[at.E_KIND] == at.SPRING:
            numbers = table[c : c + 3 * n].reshape(n, 3)
            K[piece] += numbers[:, 0]
            C[piece] += numbers[:, 2]
        elif row[at.E_KIND] == at.DAMPER:
            C[piece] += table[c : c + n]
        elif row[at.E_KIND] == at.FRICTION:
            C[piece] += table[c] / table[c + 1]
        elif row[at.E_KIND] == at.STOP_FORCE:
            K[piece] += table[c + 2]
        elif row[at.E_KIND] == at.BALL_SPRING:
            half = np.arange(n) // 3
            K[piece] += table[c + 2 * half]
            C[piece] += table[c + 2 * half + 1]
    return K, C
