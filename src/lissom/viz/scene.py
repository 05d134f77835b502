"""Scene of a motion: bodies, sent once, and what changes from frame to frame.

The page gets every body's corners and mode shapes once; a frame is the pose of each body and the
modal coordinates.  Corners follow in the page by the formula of `scene_bodies.bent`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..results.rotation_vectors import continuous
from ..results.trajectory import Trajectory
from ..system import GROUND, LoopEnd
from .scene_arrays import Arrays
from .scene_bodies import SceneBody

__all__ = ["FORMAT", "Scene", "outermost"]

Array = np.ndarray

FORMAT = 1  # of the data in the page


class Scene:
    """Everything that can be drawn of a motion.

    Parameters
    ----------
    rows : Trajectory
        One row for each frame, as `frames_of` gives them.
    trails : sequence of str
        "body" or "body.node" of points whose paths are drawn.
    """

    def __init__(self, rows: Trajectory, trails: Sequence[str] = ()) -> None:
        system = rows.system
        self.rows, self.system, self.trails = rows, system, tuple(trails)
        # poses: position and quaternion (w, x, y, z) of each body in the world, (frame, body, 7)
        self.poses = np.zeros((rows.n, system.n_body, 7))
        for i, name in enumerate(system.names):
            self.poses[:, i, :3] = rows[f"{name}.position"]
            self.poses[:, i, 3:] = continuous(rows[f"{name}.quaternion"])
        extent = float(np.linalg.norm(np.ptp(self.poses[0, :, :3], axis=0))) if system.n_body else 0
        self.bodies = tuple(SceneBody(system, i, extent) for i in range(system.n_body))
        self.modes = [rows.q[:, system.layout.modal_q(i)] for i in range(system.n_body)]
        self.low, self.high = self._bounds()
        self.origin = np.round((self.low + self.high) / 2, 3)

    def corners(self, frame: int, i: int) -> Array:
        """Corners of body i in the world at a frame, shape (n, 3) [m]."""
        local = self.bodies[i].corners(self.modes[i][frame])
        return self.poses[frame, i, :3] + local @ _matrix(self.poses[frame, i, 3:]).T

    def _bounds(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates of all that moves, at some of the frames."""
        some = np.unique(np.linspace(0, self.rows.n - 1, 40).astype(int))
        boxes = []
        for i, body in enumerate(self.bodies):
            ends = np.array([body.rest.min(axis=0), body.rest.max(axis=0)])
            box = np.array([[a, b, c] for a in ends[:, 0] for b in ends[:, 1] for c in ends[:, 2]])
            boxes += [p[:3] + box @ _matrix(p[3:]).T for p in self.poses[some, i]]
        everything = np.concatenate(boxes) if boxes else np.zeros((1, 3))
        return everything.min(axis=0), everything.max(axis=0)

    @property
    def deflection(self) -> float:
        """The largest displacement by bending of anything drawn [m]."""
        each = (
            b.deflections(m).max(initial=0.0) for b, m in zip(self.bodies, self.modes, strict=True)
        )
        return float(max(each, default=0.0))

    @property
    def up(self) -> list[float]:
        """Against gravity along the nearest axis; z without gravity."""
        g = self.system.gravity
        k = int(np.argmax(np.abs(g))) if np.any(g) else 2
        axis = np.zeros(3)
        axis[k] = -1.0 if g[k] > 0 else 1.0
        return axis.tolist()

    def data(self) -> dict[str, Any]:
        """Everything as the page reads it: words, numbers, and arrays in base64."""
        arrays, system = Arrays(), self.system
        points = {
            "loops": [self._loop(k) for k in range(len(system.loops))],
            "trails": [self._trail(where) for where in self.trails],
            "forces": [*self._loads(arrays), *self._loop_forces(arrays)],
            "carried": [self._carrying(i) for i in range(system.n_body)],
        }
        first = np.cumsum([0, *(body.body.n_mode for body in self.bodies)])
        bodies = [b.described(arrays, int(k)) for b, k in zip(self.bodies, first, strict=False)]
        moved = self.poses - np.concatenate([self.origin, np.zeros(4)])
        return {
            "format": FORMAT,
            "name": system.name,
            "up": self.up,
            "gravity": bool(np.any(system.gravity)),
            "origin": self.origin.tolist(),
            "low": (self.low - self.origin).tolist(),
            "high": (self.high - self.origin).tolist(),
            "length": system.length,
            "deflection": self.deflection,
            "bodies": bodies,
            **points,
            "n_mode": int(first[-1]),
            "n_frame": self.rows.n,
            "time": arrays.add(self.rows.time - self.rows.time[0]),
            "start": float(self.rows.time[0]),
            "poses": arrays.add(moved),
            "modes": arrays.add(np.concatenate([np.zeros((self.rows.n, 0)), *self.modes], axis=1)),
            "arrays": arrays.encoded(),
        }

    def _carrying(self, i: int) -> int:
        """Number in the page of the node that carries body i."""
        parent = int(self.system.parent[i])
        return -1 if parent == GROUND else self.bodies[parent].use(int(self.system.parent_node[i]))

    def _place(self, end: LoopEnd) -> dict[str, Any]:
        if end.body == GROUND:
            return {"body": -1, "node": 0, "offset": (end.position - self.origin).tolist()}
        node = self.bodies[end.body].use(end.node)
        return {"body": end.body, "node": node, "offset": end.position.tolist()}

    def _loop(self, k: int) -> dict[str, Any]:
        loop = self.system.loops[k]
        ends = {"a": self._place(loop.a), "b": self._place(loop.b)}
        return {"name": loop.name, "joint": loop.joint.label, **ends}

    def _trail(self, where: str) -> dict[str, Any]:
        i, node = self.system.locate(where)
        return {"name": where, "body": i, "node": self.bodies[i].use(node), "offset": [0, 0, 0]}

    def _loads(self, arrays: Arrays) -> list[dict[str, Any]]:
        """Forces and moments of loads on nodes, in node axes."""
        found = []
        columns = self.rows.store.columns
        given = self.rows.store.read("wrench").reshape(self.rows.n, -1, 6)
        for k, where in enumerate(columns.wrenches):
            i, node = self.system.locate(where)
            place = {"body": i, "node": self.bodies[i].use(node), "offset": [0, 0, 0]}
            for kind, part in (("moment", slice(0, 3)), ("force", slice(3, 6))):
                if np.any(values := given[:, k, part]):
                    found.append(_arrow(f"load on {where}", kind, place, values, arrays))
        return found

    def _loop_forces(self, arrays: Arrays) -> list[dict[str, Any]]:
        """Forces of loops on their ends b, turned into node axes."""
        found = []
        for loop in self.system.loops:
            values = self.rows[f"{loop.name}.force"] @ loop.b.rotation.T
            if np.any(values):
                name = f"loop {loop.name}"
                found.append(_arrow(name, "loop", self._place(loop.b), values, arrays))
        return found


def _arrow(
    name: str, kind: str, place: dict[str, Any], values: Array, arrays: Arrays
) -> dict[str, Any]:
    largest = float(np.linalg.norm(values, axis=1).max())
    return {"name": name, "kind": kind, **place, "largest": largest, "values": arrays.add(values)}


def _matrix(q: Array) -> Array:
    """Rotation of a unit quaternion (w, x, y, z)."""
    w, (x, y, z) = q[0], q[1:]
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * (w * cross + cross @ cross)


def outermost(rows: Trajectory, most: int) -> list[str]:
    """Points whose paths are worth seeing: bodies that carry nothing and move, their tips if any.

    Parameters
    ----------
    rows : Trajectory
        Frames.
    most : int
        How many at most; the last ones.
    """
    system, found = rows.system, []
    for i, name in enumerate(system.names):
        if not system.children[i]:
            where = f"{name}.tip" if "tip" in system.bodies[i].node_names else name
            if np.ptp(rows[f"{where}.position"], axis=0).max() > 1e-3 * system.length:
                found.append(where)
    return found[-most:]
