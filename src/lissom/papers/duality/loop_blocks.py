"""Loops and couplings as equations between the accelerations of bodies and hinges.

With alpha_m = [eta_ddot; alpha] of the bodies (gravity as an acceleration of the ground):
  sum_i E_i alpha_m(i) + F_i vdot(i) = e                                                    (1)
A loop has E on the two bodies of its ends, six columns of a node taken through its shapes; a
coupling has F at the hinges that it couples.  (1) is A vdot = -gamma of `closed_loops`, before the
accelerations of the bodies are expressed by those of the hinges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...algorithms.loops.closed_loops import loop_motions
from ...algorithms.loops.couplings import coupling_jacobian
from ...algorithms.tree.reference import BodyMotion, ground_acceleration
from ...system import GROUND, System

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class LoopBlocks:
    """Constraints (1) of all loops, then of all couplings."""

    state: list[Array]  # (n_constraint, n_b) E of every body
    control: list[Array]  # (n_constraint, n_dof) F of every body
    value: Array  # (n_constraint,) e


def loop_blocks(system: System, motions: Sequence[BodyMotion]) -> LoopBlocks:
    """Constraints of a system; without loops and couplings they have no rows."""
    n, layout = system.n_constraint, system.layout
    E = [np.zeros((n, body.n_mode + 6)) for body in system.bodies]
    e, first = np.zeros(n), 0
    for loop, motion in zip(system.loops, loop_motions(system, motions), strict=True):
        rows = slice(first, first + loop.n_constraint)
        first = rows.stop
        e[rows] += motion.constraint_map.T @ motion.bias - motion.drift
        for end, on_node in ((loop.a, motion.map_a), (loop.b, motion.map_b)):
            if end.body == GROUND:
                e[rows] -= on_node @ ground_acceleration(system)
                continue
            node = motions[end.body].outboard[system.outboard_nodes[end.body].index(end.node)]
            E[end.body][rows] += on_node @ np.concatenate([node.shapes, node.shift.T], axis=1)
            e[rows] -= on_node @ node.coriolis
    coupled = np.zeros((n, system.n_v))
    coupled[first:] = coupling_jacobian(system)
    F = [coupled[:, layout.modal_v(i).start : layout.hinge_v(i).stop] for i in range(system.n_body)]
    return LoopBlocks(E, F, e)
