"""Rods without stretch between held points: straight, they leave the loop singular."""

from __future__ import annotations

import numpy as np

from ...algorithms.loops.closed_loops import constraint_jacobian, loop_motions
from ...algorithms.tree.reference import kinematics_base_to_tip
from ...bodies.rod_strains import elastic
from ...bodies.rod_tables import EPS_X
from ...errors import name_list
from ...system import System
from .gathering import say

Array = np.ndarray

_BENT = 0.01  # rad by which rods are bent to see whether the loops are singular only where they are
_RANK = 1e-8  # relative


def warn_of_inextensible(system: System, q: Array, *, stacklevel: int) -> None:
    """Warn if rods without stretch make the loops singular in a position.

    `q` (n_q,): coordinates.
    """
    rods = [
        i
        for i, body in enumerate(system.bodies)
        if body.rod is not None and EPS_X not in elastic(body.rod)
    ]
    if not system.loops or not rods:
        return
    bent = q.copy()
    for i in rods:
        turn = np.abs(system.bodies[i].node_shapes[:, :3]).max(axis=(0, 1))
        bent[system.layout.modal_q(i)] += _BENT / np.where(turn > 0, turn, 1.0)
    if _rank(system, bent) > _rank(system, q):
        say(
            "inextensible",
            1.0,
            f"rod {name_list([system.names[i] for i in rods])} has no stretch and is part of a "
            "loop that is singular in this position: straight, it cannot change the distance "
            "between its ends; give it stretch=1",
            stacklevel + 1,
        )


def _rank(system: System, q: Array) -> int:
    """Number of independent constraints in a position."""
    motions = kinematics_base_to_tip(system, q, np.zeros(system.n_v))
    A = constraint_jacobian(system, motions, loop_motions(system, motions))
    size = np.linalg.norm(A, axis=1, keepdims=True)
    return int(np.linalg.matrix_rank(A / np.where(size > 1e-12 * size.max(), size, np.inf), _RANK))
