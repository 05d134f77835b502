"""Scene of a motion: bodies with their surfaces, where they are in each frame, what colours show.

Pages, pictures, GIFs and drawings show this scene; a drawing has one of a single frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from ...results.stress_quantities import has_stress
from ...results.trajectory import Trajectory
from ...spatial.many_rotations import rotated
from ...system import GROUND
from ..options import SHOWN
from .bodies import SceneBody
from .contact_shapes import surfaces_on
from .frames import thinned
from .joints import node_poses, poses
from .nodes import matrices, node_frames
from .shapes import DrawnSurface
from .values import largest_stress, stress_at_nodes

Array = np.ndarray

_SOME = 40  # frames used to find the size of the scene
_BLOCK = 500  # rows at a time


class Scene:
    """Bodies of a system at the rows of a trajectory.

    `trails`: points whose paths are drawn; `growing`: whether more rows will follow; `stress`:
    whether colours show it; `run`: all rows of the run of which `rows` are frames.
    """

    def __init__(
        self,
        rows: Trajectory,
        trails: Sequence[str] = (),
        *,
        growing: bool = False,
        stress: bool = False,
        run: Trajectory | None = None,
    ) -> None:
        system = rows.system
        self.run = rows if run is None else thinned(run)
        self.rows, self.system, self.trails = rows, system, tuple(trails)
        self.growing = growing
        first = poses(system, rows.q[:1])[0, :, :3]
        extent = float(np.linalg.norm(np.ptp(first, axis=0))) if system.n_body else 0.0
        some = rows.q[self._some(rows)]
        self.bodies = tuple(
            SceneBody(system, i, extent, some[:, system.layout.modal_q(i)], growing=growing)
            for i in range(system.n_body)
        )
        self.stressed = [i for i, body in enumerate(system.bodies) if stress and has_stress(body)]

    @staticmethod
    def _some(rows: Trajectory) -> Array:
        """Numbers of some of the rows."""
        return np.unique(np.linspace(0, rows.n - 1, _SOME).astype(int))

    @cached_property
    def poses(self) -> Array:
        """Position and quaternion of each body in the world, (frame, body, 7)."""
        return poses(self.system, self.rows.q)

    @cached_property
    def modes(self) -> list[Array]:
        """Modal coordinates of each body, (frame, mode)."""
        return [self.rows.q[:, self.system.layout.modal_q(i)] for i in range(self.system.n_body)]

    def corners(self, frame: int, i: int) -> Array:
        """Corners of body i in the world at a frame, shape (n, 3) [m]."""
        turn, origin = self.pose(frame, i)
        return origin + self.bodies[i].corners(self.modes[i][frame]) @ turn.T

    def pose(self, frame: int, i: int) -> tuple[Array, Array]:
        """Axes (3, 3) and origin (3,) of body i in the world."""
        return matrices(self.poses[frame, i, 3:]), self.poses[frame, i, :3]

    def nodes(self, frame: int, i: int, nodes: Array) -> tuple[Array, Array]:
        """Axes (n, 3, 3) and positions (n, 3) of nodes of body i in the world."""
        turn, origin = self.pose(frame, i)
        turns, places = node_frames(self.bodies[i].body, nodes, self.modes[i][frame, None])
        return turn @ matrices(turns[0]), origin + places[0] @ turn.T

    def attached(
        self, frame: int, body: int, node: int, rotation: Array, position: Array
    ) -> tuple[Array, Array]:
        """Axes (3, 3) and origin (3,) in the world of a frame on a node, or on the ground."""
        if body == GROUND:
            return rotation, position
        (turn,), (place,) = self.nodes(frame, body, np.array([node]))
        return turn @ rotation, place + turn @ position

    @cached_property
    def ground(self) -> tuple[DrawnSurface, ...]:
        """Surfaces of the shapes that belong to the world, with their corners in world axes."""
        low, high = self._bounds_of_bodies(self.rows)
        size = float(np.linalg.norm(high - low))
        return tuple(surfaces_on(self.system, GROUND, size))

    @cached_property
    def bounds(self) -> tuple[Array, Array]:
        """Lowest and highest coordinates of all bodies, frames and shapes of the world."""
        return self.bounds_of(self.rows)

    @property
    def low(self) -> Array:
        """Lowest coordinates (3,) [m]."""
        return self.bounds[0]

    @property
    def high(self) -> Array:
        """Highest coordinates (3,) [m]."""
        return self.bounds[1]

    def bounds_of(self, rows: Trajectory) -> tuple[Array, Array]:
        """Lowest and highest coordinates at some of these rows."""
        low, high = self._bounds_of_bodies(rows)
        for piece in self.ground:
            points = piece.offsets
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        return low, high

    def _bounds_of_bodies(self, rows: Trajectory) -> tuple[Array, Array]:
        some = self._some(rows)
        placed = poses(self.system, rows.q[some])
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for i, body in enumerate(self.bodies):
            box = body.reach(rows.q[some][:, self.system.layout.modal_q(i)])
            box = box @ np.swapaxes(matrices(placed[:, i, 3:]), 1, 2) + placed[:, i, None, :3]
            low = np.minimum(low, box.min(axis=(0, 1)))
            high = np.maximum(high, box.max(axis=(0, 1)))
        for frame in self.system.frames:
            points = frame.position[None]
            if not frame.grounded:
                at, turn = node_poses(self.system, frame.body, frame.node, rows.q[some], placed)
                points = at + rotated(turn, np.broadcast_to(points, at.shape))
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        return (low, high) if self.bodies else (np.zeros(3), np.zeros(3))

    def largest(self, rows: Trajectory, stress: Array | None = None) -> dict[str, float]:
        """Largest values of what colours can show; `stress` where it is known already.

        Frames of a run miss what is between them, and nodes that are drawn what is beside them: the
        largest values are those of all rows and of all points of a body.
        """
        by_kind = dict.fromkeys(SHOWN, 0.0)
        several = [rows, self.run] if rows is self.rows and self.run is not rows else [rows]
        for every in several:
            for i, body in enumerate(self.bodies):
                modes = every.q[:, self.system.layout.modal_q(i)]
                for start in range(0, len(modes), _BLOCK):
                    for kind, value in body.largest(modes[start : start + _BLOCK]).items():
                        by_kind[kind] = max(by_kind[kind], value)
        stress = self.stress(rows) if stress is None else stress
        peaks = [largest_stress(every, i) for every in several for i in self.stressed]
        by_kind["stress"] = max([float(stress.max(initial=0.0)), *peaks])
        return by_kind

    def stress(self, rows: Trajectory) -> Array:
        """Stress at the nodes in use of all stressed bodies, in turn, (frame, node) [Pa]."""
        drawn = ((i, self.bodies[i]) for i in self.stressed)
        blocks = [stress_at_nodes(rows, i, body.nodes, body.body) for i, body in drawn]
        return np.concatenate([np.zeros((rows.n, 0)), *blocks], axis=1)

    @property
    def up(self) -> list[float]:
        """Axis nearest to the direction opposite to gravity; z without gravity."""
        g = self.system.gravity
        k = int(np.argmax(np.abs(g))) if np.any(g) else 2
        axis = np.zeros(3)
        axis[k] = -1.0 if g[k] > 0 else 1.0
        return axis.tolist()


def outermost(rows: Trajectory, most: int, *, resting: bool = False) -> list[str]:
    """Points whose paths are drawn by default: moving bodies without children, at tips if any."""
    system, points = rows.system, []
    for i, name in enumerate(system.names):
        if not system.children[i]:
            where = f"{name}.tip" if "tip" in system.bodies[i].node_names else name
            moves = np.ptp(rows[f"{where}.position"], axis=0).max() > 1e-3 * system.length
            if moves or resting:
                points.append(where)
    return points[-most:]
