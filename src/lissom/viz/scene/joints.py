"""Joints as products of simple motions, and where they put all bodies at many instants.

A joint is a sequence of factors from the inboard frame outwards, each driven by coordinates of its
own: a constant twist (a turn, a slide or both) times one coordinate, or a unit quaternion.

A flexible body is bent by amplitudes, linear in fixed shapes: the modal coordinates; at level
"stiffened" products of two of them follow, eta_i eta_j, whose shapes are the second order of the
nodes.  A rod has no shapes: see `values`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...bodies import NormalBody
from ...joints import ClosedContact, Joint
from ...joints.factors import Quaternion, twist_of
from ...joints.nearness import quaternion_of
from ...spatial.many_rotations import (
    continuous,
    exponential,
    jacobian,
    product,
    quaternions,
    rotated,
    unit,
)
from ...system import GROUND, System
from .nodes import drawable, node_frames

Array = np.ndarray


class JointMotion(NamedTuple):
    """One motion of a joint."""

    q: int  # its coordinate, or the first of the four of a quaternion
    # [angular; linear] for one unit of the coordinate; None: a quaternion
    twist: list[float] | None = None

    def described(self) -> dict[str, Any]:
        """As the page reads it."""
        return {"q": self.q, "twist": self.twist}


def body_factors(system: System) -> list[list[JointMotion]]:
    """Motions of the joint of each body, the outermost last, by the columns of `coordinates`."""
    by_body, extra = [], system.n_q
    for i, joint in enumerate(system.joints):
        first = system.layout.hinge_q(i).start
        if joint.factors is None:
            by_body.append(
                [*(JointMotion(extra + 4 + k, _slide(k)) for k in range(3)), JointMotion(extra)]
            )
            extra += 7
            continue
        by_body.append(
            [
                JointMotion(
                    first + f.q, None if isinstance(f, Quaternion) else twist_of(f).tolist()
                )
                for f in joint.factors
            ]
        )
    return by_body


def coordinates(system: System, q: Array) -> Array:
    """Coordinates (n, n_q); quaternion and position of each joint that has no factors; amplitudes.

    The last are those of each body at level "stiffened".

    `q` (n, n_q): coordinates.
    """
    pieces = [q.copy() if any(body.rod for body in system.bodies) else q]
    for i, joint in enumerate(system.joints):
        if joint.factors is None:
            placed = [joint.pose(row) for row in q[:, system.layout.hinge_q(i)]]
            turns = continuous(quaternions(np.array([R for R, _ in placed]).reshape(-1, 3, 3)))
            pieces += [turns, np.array([r for _, r in placed]).reshape(-1, 3)]
    for i, body in enumerate(system.bodies):
        modal = system.layout.modal_q(i)
        if body.rod is not None:
            pieces[0][:, modal] = drawable(body, q[:, modal])
        if body.second_order is not None:
            pieces.append(amplitudes(body, q[:, modal]))
    return np.concatenate(pieces, axis=1)


def amplitude_columns(system: System) -> list[int]:
    """Number of the first amplitude of each body, by the columns of `coordinates`."""
    columns, extra = [], system.n_q + 7 * sum(joint.factors is None for joint in system.joints)
    for i, body in enumerate(system.bodies):
        if body.second_order is None:
            columns.append(system.layout.modal_q(i).start)
        else:
            columns.append(extra)
            extra += body.n_mode + len(amplitude_pairs(body)[0])
    return columns


def amplitude_pairs(body: NormalBody) -> tuple[Array, Array]:
    """Numbers i <= j of the modes whose products are amplitudes."""
    used = np.zeros((body.n_mode, body.n_mode), dtype=bool)
    if body.second_order is not None:
        for second in body.second_order.node_shapes.values():
            used |= np.any(second, axis=0)
    i, j = np.nonzero(np.triu(used))
    return i, j


def amplitudes(body: NormalBody, eta: Array) -> Array:
    """Amplitudes (n, k) of a body in states with modal coordinates eta (n, n_mode)."""
    i, j = amplitude_pairs(body)
    return np.concatenate([eta, eta[:, i] * eta[:, j]], axis=1)


def amplitude_shapes(body: NormalBody, nodes: Array) -> Array:
    """Rotation and displacement of nodes by each amplitude, (n_node, k, 6); of a rod none."""
    if body.rod is not None:
        return np.zeros((len(nodes), 0, 6))
    shapes, (i, j) = body.node_shapes[nodes].transpose(0, 2, 1), amplitude_pairs(body)
    if not len(i):
        return shapes
    assert body.second_order is not None
    second_order, zero = body.second_order.node_shapes, np.zeros((6, body.n_mode, body.n_mode))
    half = np.where(i == j, 0.5, 1.0)
    pairs = [(second_order.get(int(node), zero)[:, i, j] * half).T for node in nodes]
    return np.concatenate([shapes, np.stack(pairs)], axis=1)


def held_directions(joint: Joint) -> Array:
    """Directions in which a joint holds, orthonormal (n, 6), [angular; linear] in outboard axes.

    Those of its neutral position: by them the page closes loops whose bending is enlarged.  Where a
    body rolls or slides has no such position: nothing is closed there.
    """
    if isinstance(joint, ClosedContact):
        return np.zeros((0, 6))
    free = np.asarray(joint.motion_map(joint.neutral()))
    left, sizes, _ = np.linalg.svd(free)
    rank = int(np.sum(sizes > 1e-9 * sizes.max(initial=1.0)))
    return np.array(left[:, rank:].T)


def _slide(k: int) -> list[float]:
    return [0.0, 0.0, 0.0, *np.eye(3)[k].tolist()]


def poses(system: System, q: Array) -> Array:
    """Position and quaternion (w, x, y, z) of all bodies in the world, shape (n, n_body, 7).

    `q` (n, n_q): coordinates.
    """
    body_poses = np.zeros((len(q), system.n_body, 7))
    motions, extended = body_factors(system), coordinates(system, q)
    for i, parent in enumerate(system.parent):
        place, turn = np.zeros((len(q), 3)), np.tile([1.0, 0.0, 0.0, 0.0], (len(q), 1))
        if parent != GROUND:
            place, turn = node_poses(system, int(parent), int(system.parent_node[i]), q, body_poses)
        place = place + rotated(turn, np.broadcast_to(system.frame_position[i], place.shape))
        if np.any(system.frame_rotation[i] != np.eye(3)):
            turn = product(turn, np.tile(quaternion_of(system.frame_rotation[i]), (len(q), 1)))
        for factor in motions[i]:
            shift, by = _moved(factor, extended)
            place, turn = place + rotated(turn, shift), product(turn, by)
        body_poses[:, i, :3], body_poses[:, i, 3:] = place, turn
    return body_poses


def node_poses(system: System, i: int, node: int, q: Array, bodies: Array) -> tuple[Array, Array]:
    """Positions (n, 3) and quaternions (n, 4) of a node of body i in the world.

    `q` (n, n_q): coordinates; `bodies` (n, n_body, 7): poses of the bodies, as `poses` gives them.
    """
    body, place, turn = system.bodies[i], bodies[:, i, :3], bodies[:, i, 3:]
    if not body.n_mode:
        at = np.broadcast_to(body.node_positions[node], place.shape)
        return place + rotated(turn, at), turn
    turns, places = node_frames(body, np.array([node]), q[:, system.layout.modal_q(i)])
    return place + rotated(turn, places[:, 0]), product(turn, turns[:, 0])


def _moved(factor: JointMotion, q: Array) -> tuple[Array, Array]:
    """Shift (n, 3) and turn (n, 4) of a factor: ``(integral_0^1 exp(s skew(theta)) ds) u``."""
    if factor.twist is None:
        return np.zeros((len(q), 3)), unit(q[:, factor.q : factor.q + 4])
    motion = q[:, factor.q, None] * np.array(factor.twist)
    theta, u = motion[:, :3], motion[:, 3:]
    return jacobian(-theta, u), exponential(theta)
