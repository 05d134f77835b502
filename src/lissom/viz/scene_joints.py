"""Joints as products of simple motions, and where they put all bodies at many instants.

A joint is a sequence of factors from the inboard frame outwards, each driven by coordinates of its
own: a constant twist (a turn, a slide or both) times one coordinate, or a unit quaternion.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..joints import (
    CompoundJoint,
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    SimpleJoint,
    Spherical,
    Universal,
)
from ..joints.nearness import quaternion_of
from ..results.rotation_vectors import exponential, jacobian, product, rotated, unit
from ..spatial import shortest_rotation
from ..system import GROUND, System

__all__ = ["Factor", "factors", "node_poses", "poses"]

Array = np.ndarray


class Factor(NamedTuple):
    """One motion of a joint.

    Attributes
    ----------
    q : int
        Its coordinate, or the first of the four of a quaternion.
    twist : list of float, or None
        [angular; linear] for one unit of the coordinate; None: a quaternion.
    """

    q: int
    twist: list[float] | None = None

    def described(self) -> dict[str, Any]:
        """As the page reads it."""
        return {"q": self.q, "twist": self.twist}


def factors(joint: Joint, first: int) -> list[Factor]:
    """Motions of a joint, the outermost last.

    Parameters
    ----------
    joint : Joint
        Of numbers.
    first : int
        Place of its first coordinate among those of the system.
    """

    def turn(k: int, axis: Any, pitch: float = 0.0) -> Factor:
        return Factor(first + k, [*map(float, axis), *(float(pitch * x) for x in axis)])

    def slide(k: int, axis: Any) -> Factor:
        return Factor(first + k, [0.0, 0.0, 0.0, *map(float, axis)])

    match joint:
        case Fixed():
            return []
        case Revolute():
            return [turn(0, joint.axis)]
        case Prismatic():
            return [slide(0, joint.axis)]
        case Screw():
            return [turn(0, joint.axis, joint.pitch)]
        case Cylindrical():
            return [slide(1, joint.axis), turn(0, joint.axis)]
        case Universal():
            return [turn(0, joint.axis1), turn(1, joint.axis2)]
        case Planar():
            plane = shortest_rotation(joint.normal)
            return [slide(0, plane[:, 0]), slide(1, plane[:, 1]), turn(2, joint.normal)]
        case Spherical():
            return [Factor(first)]
        case Free():
            return [*(slide(4 + k, np.eye(3)[k]) for k in range(3)), Factor(first)]
        case SimpleJoint() | CompoundJoint():
            parts = joint.parts if isinstance(joint, CompoundJoint) else (joint,)
            columns = np.concatenate([part.columns for part in parts], axis=1)
            numbered = enumerate(columns.T.tolist())
            return [Factor(first + k, twist) for k, twist in numbered][::-1]
    raise TypeError(f"the view knows no joint of type {type(joint).__name__}")


def poses(system: System, q: Array) -> Array:
    """Position and quaternion (w, x, y, z) of all bodies in the world, shape (n, n_body, 7).

    Parameters
    ----------
    system : System
        Mechanism.
    q : array (n, n_q)
        Coordinates.
    """
    found = np.zeros((len(q), system.n_body, 7))
    for i, parent in enumerate(system.parent):
        place, turn = np.zeros((len(q), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(q), 1))
        if parent != GROUND:
            place, turn = node_poses(system, int(parent), int(system.parent_node[i]), q, found)
        place = place + rotated(turn, np.broadcast_to(system.frame_position[i], place.shape))
        if np.any(system.frame_rotation[i] != np.eye(3)):
            turn = product(turn, np.tile(quaternion_of(system.frame_rotation[i]), (len(q), 1)))
        for factor in factors(system.joints[i], system.layout.hinge_q(i).start):
            shift, by = _moved(factor, q)
            place, turn = place + rotated(turn, shift), product(turn, by)
        found[:, i, :3], found[:, i, 3:] = place, turn
    return found


def node_poses(system: System, i: int, node: int, q: Array, bodies: Array) -> tuple[Array, Array]:
    """Positions (n, 3) and quaternions (n, 4) of a node of body i in the world.

    Parameters
    ----------
    system : System
        Mechanism.
    i, node : int
        Body and node.
    q : array (n, n_q)
        Coordinates.
    bodies : array (n, n_body, 7)
        Poses of the bodies, as `poses` gives them.
    """
    body, place, turn = system.bodies[i], bodies[:, i, :3], bodies[:, i, 3:]
    at = np.broadcast_to(body.node_positions[node], place.shape)
    if not body.n_mode:
        return place + rotated(turn, at), turn
    moved = q[:, system.layout.modal_q(i)] @ body.node_shapes[node].T
    return place + rotated(turn, at + moved[:, 3:]), product(turn, exponential(moved[:, :3]))


def _moved(factor: Factor, q: Array) -> tuple[Array, Array]:
    """Shift (n, 3) and turn (n, 4) of a factor: ``(integral_0^1 exp(s skew(theta)) ds) u``."""
    if factor.twist is None:
        return np.zeros((len(q), 3)), unit(q[:, factor.q : factor.q + 4])
    motion = q[:, factor.q, None] * np.array(factor.twist)
    theta, u = motion[:, :3], motion[:, 3:]
    return jacobian(-theta, u), exponential(theta)
