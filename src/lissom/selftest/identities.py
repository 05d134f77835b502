"""Identities that hold for any mechanism, checked on a free tree of rigid and flexible bodies."""

from __future__ import annotations

import numpy as np

from ..algorithms import forward_dynamics, inverse_dynamics, mass_matrix, multiply_mass
from .check import Check
from .measures import SEED, free_tree, random_state, relative

EARTH = (0.0, 0.0, -9.81)


def _inverse() -> float:
    """Forces recovered by inverse dynamics from the accelerations that they cause."""
    system = free_tree(EARTH)
    state = random_state(system)
    forces = np.random.default_rng(SEED).standard_normal(system.n_v)
    recovered = inverse_dynamics(system, state, forward_dynamics(system, state, forces))
    return float(np.abs(recovered - forces).max())


def _readable(method: str) -> float:
    """Compiled kernels compared with the reference implementation."""
    system = free_tree(EARTH)
    state = random_state(system)
    forces = np.random.default_rng(SEED).standard_normal(system.n_v)
    expected = forward_dynamics(system, state, forces, method="reference")
    return relative(forward_dynamics(system, state, forces, method=method), expected)


def _mass() -> float:
    """Mass matrix times a vector, compared with the matrix-free product."""
    system = free_tree()
    state = random_state(system)
    x = np.random.default_rng(SEED).standard_normal(system.n_v)
    return relative(mass_matrix(system, state) @ x, multiply_mass(system, state, x))


IDENTITIES = (
    Check("flexible tree: inverse of forward dynamics", 1e-7, _inverse),
    Check(
        "flexible tree: articulated kernel and reference", 1e-9, lambda: _readable("articulated")
    ),
    Check("flexible tree: composite kernel and reference", 1e-9, lambda: _readable("composite")),
    Check("flexible tree: mass matrix and products", 1e-11, _mass),
)
