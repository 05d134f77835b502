"""Effective masses of the modes of a mechanism, and the share of each body in their energy.

With L (6, n_v) the momentum [angular; linear] about the base of unit speeds, r the motion of the
base and phi^H M phi = 1,
  L_d phi:  inertia force on a mode by a unit acceleration of the base in direction d           (1)
  effective mass |L_d phi|^2, its sum at most the mass or inertia R_dd of the whole mechanism   (2)
  share of body i: phi^H M_i phi, with M = sum over the bodies of M_i                           (3)
"""

from __future__ import annotations

import numpy as np

from ..algorithms.tree.energy import momentum
from ..algorithms.tree.reference import kinematics_base_to_tip
from ..spatial import block_diagonal, rigid_shift
from ..system import State

Array = np.ndarray


def effective_masses(state: State, shapes: Array, base: Array) -> tuple[Array, Array]:
    """Effective inertias and masses (6, k) of modes, and those of the whole mechanism (6,).

    Parameters
    ----------
    state : State
        Configuration.
    shapes : array (n_v, k)
        Shapes with phi^H M phi = 1.
    base : array (3,)
        Reference point of the inertias in the world [m].
    """
    system = state.system
    columns = [momentum(system, state.replace(v=e), about=base) for e in np.eye(system.n_v)]
    L = np.array(columns).reshape(system.n_v, 6).T
    return np.abs(L @ shapes) ** 2, _whole(state, base)


def _whole(state: State, base: Array) -> Array:
    """Inertias about a point and masses (6,) of the mechanism in a configuration, world axes."""
    system = state.system
    total = np.zeros((6, 6))
    for motion in kinematics_base_to_tip(system, state.q, np.zeros(system.n_v)):
        R = motion.world_rotation
        shift = rigid_shift(motion.world_position - base) @ block_diagonal(R, R)
        total += shift @ motion.terms.M_rr @ shift.T
    return np.diag(total).copy()


def energy_shares(state: State, shapes: Array, armature: Array) -> Array:
    """Share (n_body, k) of each body in the kinetic energy of modes (3).

    Parameters
    ----------
    state : State
        Configuration.
    shapes : array (n_v, k)
        Shapes.
    armature : array (n_v,)
        Inertia of rotors; counted with the body that their joint carries.
    """
    system = state.system
    found = np.zeros((system.n_body, shapes.shape[1]))
    for k, phi in enumerate(shapes.T):
        for part in (phi.real, phi.imag):
            if not np.any(part):
                continue
            for i, motion in enumerate(kinematics_base_to_tip(system, state.q, part)):
                terms, V, rates = motion.terms, motion.velocity, motion.eta_dot
                twice = V @ terms.M_rr @ V + 2 * V @ terms.M_rf @ rates + rates @ terms.M_ff @ rates
                found[i, k] += twice
    for i in range(system.n_body):
        own = slice(system.layout.modal_v(i).start, system.layout.hinge_v(i).stop)
        found[i] += armature[own] @ np.abs(shapes[own]) ** 2
    total = found.sum(axis=0)
    return found / np.where(total > 0, total, 1.0)
