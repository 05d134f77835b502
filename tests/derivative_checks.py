"""Shared parts of the tests of derivatives."""

from __future__ import annotations

import numpy as np

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.algorithms.tree.derivatives import complex_steps


def error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Largest difference relative to the largest entry; to 1 where that is smaller."""
    return float(np.abs(actual - expected).max(initial=0.0) / max(1.0, np.abs(expected).max()))


def random_external(system: ls.System, rng) -> list[tuple[int, int, np.ndarray]]:
    """A force on a node of every other body."""
    return [
        (i, int(rng.integers(len(body.node_positions))), rng.standard_normal(6))
        for i, body in enumerate(system.bodies)
        if rng.random() < 0.5
    ]


def against_complex_steps(system: ls.System, state: ls.State, rng, external=()) -> float:
    """Largest error of the compiled derivatives of the forces."""
    x, (q, v) = rng.standard_normal(system.n_v), (state.q.copy(), state.v.copy())
    _, (by_q, by_v, M) = engine.inverse_derivatives(system, q, v, x, external)
    expected_q, expected_v = complex_steps(system, state, x, external)
    return max(
        error(by_q, expected_q), error(by_v, expected_v), error(M, ls.mass_matrix(system, state))
    )
