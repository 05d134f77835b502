"""Positions of bodies, nodes, joints and loops in a given state.

Computed by the reference implementation of the kinematics, so that drawings need no compilation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...algorithms.tree.arguments import as_state
from ...algorithms.tree.reference import kinematics_base_to_tip
from ...bodies import NormalBody
from ...errors import StateError
from ...joints import Contact, Joint
from ...spatial import quaternion_rotation, rotate
from ...system import GROUND, Frame as NamedFrame, LoopEnd, State, StateLike, System
from ..scene.nodes import node_frames, smooth

__all__ = ["PlacedBody", "PlacedJoint", "placed_bodies", "placed_frames", "placed_joints"]

Array = np.ndarray
Frame = tuple[Array, Array]  # axes to world axes, origin in the world


@dataclass(frozen=True, eq=False)
class PlacedBody:
    """A body in the world."""

    name: str  # name of the body
    body: NormalBody  # the body; a rod with as many nodes as a smooth picture needs
    # rotation, position: (3, 3) and (3,) body axes to world axes, origin in the world [m]
    rotation: Array
    position: Array
    # node_rotations, node_positions: (n, 3, 3) and (n, 3) the same for its nodes, deformed
    node_rotations: Array
    node_positions: Array

    def frame(self, node: int, rotation: Array, position: Array) -> Frame:
        """World pose of a frame fixed to a node."""
        turn = self.node_rotations[node]
        return turn @ rotation, self.node_positions[node] + turn @ position


@dataclass(frozen=True, eq=False)
class PlacedJoint:
    """A joint in the world."""

    joint: Joint
    # inboard, outboard: its two frames
    inboard: Frame
    outboard: Frame
    # carrier, carried: numbers of the inboard and outboard bodies, -1 for the ground
    carrier: int
    carried: int
    closing: bool  # whether it closes a loop
    axes: Array  # (6, n_v) motions that the joint allows [angular; linear], world axes


def placed_bodies(system: System, state: StateLike) -> list[PlacedBody]:
    """All bodies of a system in a state of real, finite numbers."""
    state = as_state(system, state)
    if not state.real or not np.all(np.isfinite(state.q)):
        raise StateError(
            "a drawing needs a state of real, finite numbers; this state has symbols, complex "
            "or infinite numbers"
        )
    placed = []
    motions = kinematics_base_to_tip(system, state.q, np.zeros(system.n_v))
    for name, body, motion in zip(system.names, system.bodies, motions, strict=True):
        turn, origin, eta = motion.world_rotation, motion.world_position, motion.eta[None]
        drawn = smooth(body, eta)
        turns, places = node_frames(drawn, np.arange(len(drawn.node_positions)), eta)
        rotations = turn @ np.array([quaternion_rotation(q) for q in turns[0]])
        placed.append(PlacedBody(name, drawn, turn, origin, rotations, origin + places[0] @ turn.T))
    return placed


def placed_joints(system: System, state: State, bodies: list[PlacedBody]) -> list[PlacedJoint]:
    """All joints of the tree, then those that close loops."""
    placed = []
    for i, joint in enumerate(system.joints):
        p, node = int(system.parent[i]), int(system.parent_node[i])
        mount = system.frame_rotation[i], system.frame_position[i]
        inboard = mount if p == GROUND else bodies[p].frame(node, *mount)
        outboard = bodies[i].rotation, bodies[i].position
        axes = rotate(outboard[0], joint.motion_map(state.q[system.layout.hinge_q(i)]))
        placed.append(PlacedJoint(joint, inboard, outboard, p, i, False, axes))
    for loop in system.loops:
        a, b = (_end(bodies, end) for end in loop.ends)
        theta = loop.joint.nearest(a[0].T @ b[0], a[0].T @ (b[1] - a[1]))
        axes = np.zeros((6, 0))
        if isinstance(loop.joint, Contact):  # drawn at the point of contact
            touched = a[1] + a[0][:, :2] @ theta if len(theta) == 2 else b[1]
            a, b = (a[0], touched), (b[0], touched)
        else:
            axes = rotate(b[0], loop.joint.motion_map(theta))
        placed.append(PlacedJoint(loop.joint, a, b, loop.a.body, loop.b.body, True, axes))
    return placed


def placed_frames(system: System, bodies: list[PlacedBody]) -> list[tuple[str, Array, Array]]:
    """Named frames: name, axes to world axes, origin in the world."""
    return [(frame.name, *_end(bodies, frame)) for frame in system.frames]


def _end(bodies: list[PlacedBody], end: LoopEnd | NamedFrame) -> Frame:
    if end.body == GROUND:
        return end.rotation, end.position
    return bodies[end.body].frame(end.node, end.rotation, end.position)
