"""Unknown forces of a loop: combinations of its constraints that can do work.

With A_k the rows of loop k in a configuration, a combination c with c^T A_k = 0 in every
configuration does no work, and its force of least norm is zero: two moments and a force for each
pin of a planar linkage.  The directions of the joints on the way around the loop are analytic in
the coordinates: a combination that is idle in configurations taken at random is idle in all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...joints.nearness import constraint_map
from ...spatial import motion_transform
from ...system import GROUND, Loop, LoopEnd, System
from ..tree.reference import BodyMotion, kinematics_base_to_tip

Array = np.ndarray

SAMPLES = 2
# Fraction of the largest singular value below which a combination does no work.
IDLE = 1e-11


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
    return [
        _basis(np.hstack([_rows(system, motions, loop) for motions in samples])) if same else None
        for loop, same in zip(system.loops, constant, strict=True)
    ]


def _sample(system: System, rng: np.random.Generator) -> list[BodyMotion]:
    """Motions of all bodies in a random configuration, at rest."""
    q = system.neutral().q.copy()
    for i, joint in enumerate(system.joints):
        piece = system.layout.hinge_q(i)
        q[piece] = joint.neutral() + 0.4 * rng.standard_normal(joint.n_q)
        if joint.has_quaternion:
            first = slice(piece.start, piece.start + 4)
            q[first] /= np.linalg.norm(q[first])
        modal, body = system.layout.modal_q(i), system.bodies[i]
        if modal.stop > modal.start:
            most = np.abs(body.node_shapes).max(axis=(0, 1))
            q[modal] = 0.1 * rng.standard_normal(most.size) / np.maximum(most, 1e-300)
    return kinematics_base_to_tip(system, q, np.zeros(system.n_v))


def _basis(A: Array) -> Array | None:
    """Orthonormal basis of the combinations of rows of A that are not zero; None if all are."""
    left, values, _ = np.linalg.svd(A)
    m = int(np.sum(values > IDLE * values.max(initial=0.0)))
    return None if m == len(A) else left[:, :m]


def _rows(system: System, motions: Sequence[BodyMotion], loop: Loop) -> Array:
    """Rows A_k (n, speeds around the loop) in a configuration."""
    P = constraint_map(loop.joint.motion_map(loop.joint.neutral()), system.length)
    paths = [_path(system, end.body) for end in loop.ends]
    shared = set(paths[0]) & set(paths[1])
    C, x = _pose(system, motions, loop.b)
    X = motion_transform(C, x)
    columns = []
    for end, path, sign in zip(loop.ends, paths, (-1.0, 1.0), strict=True):
        node = end.node
        for i in path:
            motion = motions[i]
            Y = X @ np.linalg.inv(motion_transform(motion.world_rotation, motion.world_position))
            if i not in shared:
                columns.append(sign * P.T @ Y @ motion.motion_map)
            if motion.outboard_shapes.size:
                columns.append(sign * P.T @ Y @ _moved(system, motion, i, node))
            node = int(system.parent_node[i])
            if i in shared:
                break
    return np.hstack(columns) if columns else np.zeros((P.shape[1], 0))


def _path(system: System, i: int) -> list[int]:
    """A body and all that carry it, inward."""
    path = []
    while i != GROUND:
        path.append(i)
        i = int(system.parent[i])
    return path


def _pose(system: System, motions: Sequence[BodyMotion], end: LoopEnd) -> tuple[Array, Array]:
    """World axes and origin of an end's frame."""
    if end.body == GROUND:
        return end.rotation, end.position
    motion = motions[end.body]
    node = motion.outboard[system.outboard_nodes[end.body].index(end.node)]
    R = motion.world_rotation @ node.rotation
    r = motion.world_position + motion.world_rotation @ node.position
    return R @ end.rotation, r + R @ end.position


def _moved(system: System, motion: BodyMotion, i: int, node: int) -> Array:
    """Velocities at the origin of body i of what a node carries, due to its modal rates."""
    k = system.outboard_nodes[i].index(node)
    rows = slice(6 * k, 6 * k + 6)
    back = np.linalg.inv(motion.outboard_shift[:, rows].T)
    return back @ motion.outboard_shapes[rows]
