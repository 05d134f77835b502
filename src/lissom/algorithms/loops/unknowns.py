"""Unknown forces of a loop: combinations of its constraints that can do work.

With A_k the rows of loop k in a configuration, a combination c with c^T A_k = 0 in every
configuration does no work, and its force of least norm is zero: two moments and a force for each
pin of a planar linkage.  The directions of the joints on the way around the loop are analytic in
the coordinates: a combination that is idle in configurations taken at random is idle in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...bodies import NormalBody
from ...joints.nearness import constraint_map
from ...spatial import rotate
from ...system import GROUND, Loop, LoopEnd, System
from ..tree.body_terms import NodeMotion, node_motion
from ..tree.reference import carriers

Array = np.ndarray

# A configuration at random adds a combination that works to those of the ones before it, or none
# ever will: six configurations find all of six rows.
SAMPLES = 6
# Fraction of the largest singular value below which a combination does no work.
IDLE = 1e-11


class _Placed(NamedTuple):
    """A body in a configuration: axes and origin in the world, motion map, nodes with children."""

    rotation: Array
    position: Array
    motion_map: Array
    nodes: dict[int, NodeMotion]


def working_combinations(system: System, constant: Sequence[bool]) -> list[Array | None]:
    """Basis Q (n, m) for each loop of its m combinations that can do work; None if all can.

    Parameters
    ----------
    system : System
        Mechanism with loops.
    constant : sequence of bool
        Whether the constraint map of a loop is the same in all configurations; others keep all.
    """
    if not any(constant):
        return [None] * len(system.loops)
    rng = np.random.default_rng(1965)
    samples = [_sample(system, rng) for _ in range(SAMPLES)]
    found: list[Array | None] = []
    for loop, same in zip(system.loops, constant, strict=True):
        if not same:
            found.append(None)
            continue
        P = constraint_map(loop.joint.motion_map(loop.joint.neutral()), system.length)
        A = np.hstack([_rows(system, placed, loop, P) for placed in samples])
        found.append(_basis(A))
    return found


def _sample(system: System, rng: np.random.Generator) -> list[_Placed]:
    """All bodies in a random configuration."""
    placed: list[_Placed] = []
    for i, (joint, body) in enumerate(zip(system.joints, system.bodies, strict=True)):
        theta = joint.neutral() + 0.4 * rng.standard_normal(joint.n_q)
        if joint.has_quaternion:
            theta[:4] /= np.linalg.norm(theta[:4])
        R, r = system.frame_rotation[i], system.frame_position[i]
        if (p := int(system.parent[i])) != GROUND:
            R, r = _on(placed[p], int(system.parent_node[i]), R, r)
        R_joint, r_joint = joint.pose(theta)
        most = np.abs(body.node_shapes).max(axis=(0, 1), initial=1e-300)
        eta = 0.1 * rng.standard_normal(body.n_mode) / most
        nodes = {t: _node(body, t, eta) for t in system.outboard_nodes[i]}
        placed.append(_Placed(R @ R_joint, r + R @ r_joint, joint.motion_map(theta), nodes))
    return placed


def _node(body: NormalBody, node: int, eta: Array) -> NodeMotion:
    return node_motion(body, node, eta, np.zeros(len(eta)), np.zeros(6))


def _on(body: _Placed, node: int, rotation: Array, position: Array) -> tuple[Array, Array]:
    """World axes and origin of a frame on a node."""
    motion = body.nodes[node]
    R = body.rotation @ motion.rotation
    return R @ rotation, body.position + body.rotation @ motion.position + R @ position


def _basis(A: Array) -> Array | None:
    """Orthonormal basis of the combinations of rows of A that are not zero; None if all are."""
    left, values, _ = np.linalg.svd(A)
    m = int(np.sum(values > IDLE * values.max(initial=0.0)))
    return None if m == len(A) else left[:, :m]


def _rows(system: System, placed: Sequence[_Placed], loop: Loop, P: Array) -> Array:
    """Rows A_k (n, speeds around the loop) in a configuration."""
    paths = [carriers(system, end.body) for end in loop.ends]
    shared = set(paths[0]) & set(paths[1])
    C, x = _frame(placed, loop.b)
    columns = [np.zeros((6, 0))]
    for end, path, sign in zip(loop.ends, paths, (-1.0, 1.0), strict=True):
        node = end.node
        for i in path:
            body, motion = placed[i], placed[i].nodes[node]
            if i not in shared:
                columns.append(sign * _moved(body, body.motion_map, body.position, x))
            if motion.shapes.size:
                at = body.position + body.rotation @ motion.position
                columns.append(sign * _moved(body, motion.shapes, at, x))
            node = int(system.parent_node[i])
            if i in shared:
                break
    return rotate(C, P).T @ np.hstack(columns)


def _moved(body: _Placed, motions: Array, at: Array, point: Array) -> Array:
    """Velocities of a point, world axes, due to motions [angular; linear] of a body at `at`."""
    turned = rotate(body.rotation, motions)
    turned[3:] += np.cross(turned[:3].T, point - at).T
    return turned


def _frame(placed: Sequence[_Placed], end: LoopEnd) -> tuple[Array, Array]:
    """World axes and origin of an end's frame."""
    if end.body == GROUND:
        return end.rotation, end.position
    return _on(placed[end.body], end.node, end.rotation, end.position)
