"""Effective masses of the modes of a mechanism, and the share of each body in their energy.

With L_d the momentum [angular; linear] about the base in direction d, and phi^H M phi = 1,
  L_d phi:  inertia force on a mode by a unit acceleration of the base in direction d           (1)
  effective mass |L_d phi|^2, its sum at most the mass or inertia R_dd of the whole mechanism   (2)
  share of body i: phi^H M_i phi, with M = sum over the bodies of M_i                           (3)
The motions of all modes go from base to tip together, so that (1)-(3) take one pass.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..algorithms.tree.reference import BodyMotion, carrying_node, kinematics_base_to_tip
from ..spatial import block_diagonal, rigid_shift
from ..system import GROUND, State, System

Array = np.ndarray


class Participation(NamedTuple):
    """What modes move.

    Attributes
    ----------
    effective : array (6, k)
        Effective inertias and masses of the modes.
    whole : array (6,)
        Those of the whole mechanism.
    shares : array (n_body, k)
        Share of each body in the kinetic energy.
    """

    effective: Array
    whole: Array
    shares: Array


def participation(state: State, shapes: Array, base: Array, armature: Array) -> Participation:
    """Effective masses of modes, and shares of bodies in their energy.  O(N) for each mode.

    Parameters
    ----------
    state : State
        Configuration.
    shapes : array (n_v, k)
        Shapes with phi^H M phi = 1.
    base : array (3,)
        Reference point of the inertias in the world [m].
    armature : array (n_v,)
        Inertia of rotors; its energy counts with the body that their joint carries.
    """
    system, layout = state.system, state.system.layout
    motions = kinematics_base_to_tip(system, state.q, np.zeros(system.n_v))
    momentum = np.zeros((6, shapes.shape[1]), dtype=shapes.dtype)
    whole, twice = np.zeros((6, 6)), np.zeros((system.n_body, shapes.shape[1]))
    for i, (motion, V) in enumerate(
        zip(motions, _velocities(system, motions, shapes), strict=True)
    ):
        R, terms = motion.world_rotation, motion.terms
        to_base = rigid_shift(motion.world_position - base) @ block_diagonal(R, R)
        rates = shapes[layout.modal_v(i)]
        h = terms.M_rr @ V + terms.M_rf @ rates
        momentum += to_base @ h
        whole += to_base @ terms.M_rr @ to_base.T
        modal = terms.M_rf.T @ V + terms.M_ff @ rates
        twice[i] = (np.sum(V.conj() * h, axis=0) + np.sum(rates.conj() * modal, axis=0)).real
        own = slice(layout.modal_v(i).start, layout.hinge_v(i).stop)
        twice[i] += armature[own] @ np.abs(shapes[own]) ** 2
    total = twice.sum(axis=0)
    shares = twice / np.where(total > 0, total, 1.0)
    return Participation(np.abs(momentum) ** 2, np.diag(whole).copy(), shares)


def _velocities(system: System, motions: list[BodyMotion], shapes: Array) -> list[Array]:
    """Spatial velocities (6, k) of all bodies along shapes, in their axes at their origins."""
    layout, velocities = system.layout, list[Array]()
    for i, motion in enumerate(motions):
        V, parent = motion.motion_map @ shapes[layout.hinge_v(i)], int(system.parent[i])
        if parent != GROUND:
            node = carrying_node(system, motions, i)
            rates = shapes[layout.modal_v(parent)]
            V = V + motion.transform @ (node.shift.T @ velocities[parent] + node.shapes @ rates)
        velocities.append(V)
    return velocities
