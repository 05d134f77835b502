"""Loop forces as forces on the nodes at their ends."""

from __future__ import annotations

import numpy as np

from ..system import GROUND, Frame, Loop, LoopEnd, System

Array = np.ndarray


def forces_at_nodes(system: System, q: Array, stored: Array) -> tuple[list[tuple[int, int]], Array]:
    """Body and node of every loop end that is not on the ground, and the force there.

    `q` (n, n_q): coordinates of n rows; `stored` (n, 6 n_loop): [moment; force] of each loop on its
    end b, at the origin and in the axes of frame b; returns (body, node): the k ends; returns (n, 6
    k): [moment; force] at these nodes, in node axes; on end a the opposite of that on b.
    """
    places, forces = [], [np.zeros((len(stored), 0))]
    for k, loop in enumerate(system.loops):
        turn, position = _poses(system, loop.b, q)
        axes, point = turn @ loop.b.rotation, position + turn @ loop.b.position
        moment, force = (_turned(axes, stored[:, j : j + 3]) for j in (6 * k, 6 * k + 3))
        for end, sign in ((loop.a, -1.0), (loop.b, 1.0)):
            if end.body != GROUND:
                turn, position = _poses(system, end, q)
                about, back = moment + np.cross(point - position, force), np.swapaxes(turn, 1, 2)
                places.append((end.body, end.node))
                forces += [sign * _turned(back, about), sign * _turned(back, force)]
    return places, np.concatenate(forces, axis=1)


def in_axes(system: System, loop: Loop, q: Array, vectors: Array, axes: str) -> Array:
    """Vectors in the axes of end b of a loop, in the world's or in those of end a.

    `q` (n, n_q): coordinates of n rows; `vectors` (n, 3): in the axes of end b.
    """
    in_world = _turned(_poses(system, loop.b, q)[0] @ loop.b.rotation, vectors)
    if axes == "world":
        return in_world
    return _turned(np.swapaxes(_poses(system, loop.a, q)[0] @ loop.a.rotation, 1, 2), in_world)


def _turned(matrices: Array, vectors: Array) -> Array:
    return np.einsum("nij,nj->ni", matrices, vectors)


def _poses(system: System, end: LoopEnd, q: Array) -> tuple[Array, Array]:
    """Axes to world axes (n, 3, 3) and position (n, 3) of the node of an end."""
    from ..algorithms.tree import engine

    if end.body == GROUND:
        return np.broadcast_to(np.eye(3), (len(q), 3, 3)), np.zeros((len(q), 3))
    return engine.pose_rows(
        system, Frame(system.names[end.body], end.body, end.node, plain=True), q
    )
