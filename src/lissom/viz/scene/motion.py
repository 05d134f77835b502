"""Scene of a motion: bodies, sent to the page once, and frames.

The page receives the corners, mode shapes and joint of each body once; a frame consists of the
coordinates.  The page computes poses as in `joints`, corners as in `bodies.bent` and sections of
rods as in `rod_poses`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...joints.nearness import quaternion_of
from ...results.event_records import EventRecord
from ...results.peaks import rising_note
from ...results.trajectory import Trajectory
from ...spatial.many_rotations import rotated
from ...system import GROUND, Frame, LoopEnd
from .arrows import Arrow, arrow_values, arrows
from .bodies import SceneBody
from .frame_times import thinned
from .joints import (
    amplitude_columns,
    body_factors,
    coordinates,
    held_directions,
    node_poses,
    poses,
)
from .numbers import Arrays
from .rods import SHOWN
from .stresses import largest_stress, shows_stress, stress_at_nodes

Array = np.ndarray

FORMAT = 3  # format version of the data in the page
_SOME = 40  # frames used to find the size of the scene
_MANY_BODIES = 24  # with more, joint forces are sent only on request
_NOISE = 1e-9  # fraction of the forces, times a length, below which moments are rounding errors
_EVENTS = 500  # largest number of marks
_BLOCK = 500  # rows at a time


class Scene:
    """Everything drawn of a motion."""

    def __init__(
        self,
        rows: Trajectory,
        trails: Sequence[str] = (),
        *,
        reactions: bool | None = None,
        growing: bool = False,
        stress: bool = False,
        run: Trajectory | None = None,
    ) -> None:
        system = rows.system
        self.run = rows if run is None else thinned(run)
        self.rows, self.system, self.trails = rows, system, tuple(trails)
        self.reactions = system.n_body <= _MANY_BODIES if reactions is None else reactions
        self.growing = growing
        first = poses(system, rows.q[:1])[0, :, :3]
        extent = float(np.linalg.norm(np.ptp(first, axis=0))) if system.n_body else 0.0
        some = rows.q[np.linspace(0, rows.n - 1, _SOME).astype(int)]
        self.bodies = tuple(
            SceneBody(system, i, extent, some[:, system.layout.modal_q(i)], growing=growing)
            for i in range(system.n_body)
        )
        self.low, self.high = self._bounds(rows)
        self.origin = np.round((self.low + self.high) / 2, 3)
        self._base = coordinates(system, rows.q[:1])[0]
        self._factors, self._amplitudes = body_factors(system), amplitude_columns(system)
        self._chosen, self._sent = self._visible_arrows()
        self.stressed = [i for i, body in enumerate(system.bodies) if stress and shows_stress(body)]

    def _visible_arrows(self) -> tuple[Array, list[Arrow]]:
        """Numbers of the arrows to send, and these arrows."""
        all_arrows = arrows(self.system, self.rows.store.columns.wrenches, self.reactions)
        visible = np.ones(len(all_arrows), dtype=bool)
        if not self.growing:
            peaks = np.abs(arrow_values(self.rows, self.reactions)).max(axis=(0, 2), initial=0.0)
            # joints that hold no moment have one of rounding errors
            moment = np.array([arrow.kind.endswith("_moment") for arrow in all_arrows], dtype=bool)
            force = float(peaks[~moment].max(initial=0.0))
            visible = peaks > np.where(moment, _NOISE * self.system.length * force, 0.0)
        chosen = np.flatnonzero(visible)
        return chosen, [all_arrows[k] for k in chosen]

    @cached_property
    def poses(self) -> Array:
        """Position and quaternion of each body in the world, (frame, body, 7)."""
        return poses(self.system, self.rows.q)

    @property
    def modes(self) -> list[Array]:
        """Modal coordinates of each body, (frame, mode)."""
        return [self.rows.q[:, self.system.layout.modal_q(i)] for i in range(self.system.n_body)]

    def corners(self, frame: int, i: int) -> Array:
        """Corners of body i in the world at a frame, shape (n, 3) [m]."""
        local = self.bodies[i].corners(self.rows.q[frame, self.system.layout.modal_q(i)])
        return self.poses[frame, i, :3] + local @ _matrices(self.poses[frame, i, 3:]).T

    def _bounds(self, rows: Trajectory) -> tuple[Array, Array]:
        """Lowest and highest coordinates of all bodies, at some of the frames."""
        some = np.unique(np.linspace(0, rows.n - 1, _SOME).astype(int))
        placed = poses(self.system, rows.q[some])
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        for i, body in enumerate(self.bodies):
            box = body.reach(rows.q[some][:, self.system.layout.modal_q(i)])
            box = box @ np.swapaxes(_matrices(placed[:, i, 3:]), 1, 2) + placed[:, i, None, :3]
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

    def data(self, rows: Trajectory | None = None) -> dict[str, Any]:
        """Data for the page: text, numbers, and arrays in base64."""
        arrays, system = Arrays(), self.system
        loops = [self._loop(k) for k in range(len(system.loops))]
        trails = [self._trail(where) for where in self.trails]
        named = [self._frame(frame) for frame in system.frames]
        shown = [self._arrow(arrow) for arrow in self._sent]
        bodies = [self._body(i, arrays) for i in range(system.n_body)]
        return {
            "format": FORMAT,
            "name": system.name,
            "up": self.up,
            "gravity": bool(np.any(system.gravity)),
            "origin": self.origin.tolist(),
            "length": system.length,
            "bodies": bodies,
            "loops": loops,
            "named": named,
            "trails": trails,
            "forces": shown,
            "n_mode": sum(body.body.n_mode for body in self.bodies),
            "n_q": self._base.shape[0],
            "start": float(self.rows.time[0]),
            "base": arrays.add(self._base, "float64"),
            "frames": self.frames(self.rows if rows is None else rows, 0),
            "arrays": arrays.encoded(),
        }

    def frames(self, rows: Trajectory, first: int) -> dict[str, Any]:
        """Frames for the page: coordinates relative to the first frame, and forces."""
        arrays = Arrays()
        low, high = (self.low, self.high) if rows is self.rows else self._bounds(rows)
        values = arrow_values(rows, self.reactions)[:, self._chosen]
        peaks = np.linalg.norm(values, axis=2).max(axis=0, initial=0.0)
        scaled = np.round(values * (32767 / np.where(peaks > 0, peaks, 1.0))[:, None])
        start = float(self.rows.time[0])
        stress = self.stress(rows)
        largest = self.largest(rows, stress)
        shades = np.rint(stress * (255 / (largest["stress"] or 1.0)))
        return {
            "from": first,
            "n": rows.n,
            "time": arrays.add(rows.time - start),
            "q": arrays.add(coordinates(self.system, rows.q) - self._base),
            "forces": arrays.add(scaled, "int16"),
            "peaks": peaks.tolist(),
            "low": (low - self.origin).tolist(),
            "high": (high - self.origin).tolist(),
            "stresses": arrays.add(shades, "uint8"),
            **largest,
            "events": [_event(x, start) for x in rows.events[:_EVENTS]],
            "status": str(rows.status or ""),
            "message": rows.message,
            "arrays": arrays.encoded(),
        }

    def _body(self, i: int, arrays: Arrays) -> dict[str, Any]:
        system, parent = self.system, int(self.system.parent[i])
        position = system.frame_position[i]
        grounded = parent == GROUND
        carrier = -1 if grounded else self.bodies[parent].use(int(system.parent_node[i]))
        return {
            **self.bodies[i].described(arrays, self._amplitudes[i]),
            "carrier": carrier,
            "stressed": i in self.stressed,
            "at": (position - self.origin if grounded else position).tolist(),
            "turn": quaternion_of(system.frame_rotation[i]).tolist(),
            "factors": [factor.described() for factor in self._factors[i]],
            "own": system.joints[i].factors is None,
        }

    def _place(self, body: int, node: int, offset: Array) -> dict[str, Any]:
        if body == GROUND:
            return {"body": -1, "node": 0, "offset": (offset - self.origin).tolist()}
        return {"body": body, "node": self.bodies[body].use(node), "offset": offset.tolist()}

    def _end(self, end: LoopEnd) -> dict[str, Any]:
        turn = quaternion_of(end.rotation).tolist()
        return {"turn": turn, **self._place(end.body, end.node, end.position)}

    def _loop(self, k: int) -> dict[str, Any]:
        loop = self.system.loops[k]
        ends = {"a": self._end(loop.a), "b": self._end(loop.b)}
        held = held_directions(loop.joint).round(6).tolist()
        return {"name": loop.name, "joint": loop.joint.label, "held": held, **ends}

    def followed(self, where: str) -> dict[str, Any]:
        """Place that the camera follows, for the page."""
        return self._trail(where)

    def _trail(self, where: str) -> dict[str, Any]:
        frame = self.system.place(where)
        return {"name": where, **self._place(frame.body, frame.node, frame.position)}

    def _frame(self, frame: Frame) -> dict[str, Any]:
        place = self._place(frame.body, frame.node, frame.position)
        return {"name": frame.name, "turn": quaternion_of(frame.rotation).tolist(), **place}

    def _arrow(self, arrow: Arrow) -> dict[str, Any]:
        place = self._place(arrow.body, arrow.node, arrow.offset)
        return {"name": arrow.name, "kind": arrow.kind, **place}


def _matrices(q: Array) -> Array:
    """Rotations (..., 3, 3) of unit quaternions (w, x, y, z)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


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


def _event(event: EventRecord, start: float) -> list[Any]:
    """Time and words of an event."""
    rises = any(rising_note(event, x) for x in event.impulses)
    words = f"{event.label}: after it, peaks of loads rise with the number of shapes"
    return [event.time - start, words if rises else event.label]
