"""Data of a scene for the page, which moves and draws it by itself.

The page receives the corners, mode shapes and joint of each body once; a frame consists of the
coordinates.  The page computes poses as in `scene.joints`, corners as in `scene.nodes.bent` and
sections of rods as in `rod_poses`: so a frame of a rod is its few coordinates, what is drawn
between two frames is a rod as well, and enlarged strains are exact, too.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...bodies.rod_tables import RodPiece, RodTables
from ...bodies.solids import Sweep
from ...errors import ModelError
from ...joints.nearness import quaternion_of
from ...results.event_records import EventRecord
from ...results.peaks import rising_note
from ...results.trajectory import Trajectory
from ...system import GROUND, Frame, LoopEnd
from ..scene.bodies import EARTH, SceneBody
from ..scene.joints import (
    amplitude_columns,
    amplitude_shapes,
    body_factors,
    coordinates,
    held_directions,
)
from ..scene.scene import Scene
from ..scene.shapes import DrawnSurface, joined
from ..scene.values import strain_fields
from .arrows import Arrow, arrow_values, arrows

Array = np.ndarray

FORMAT = 3  # format version of the data in the page
_MANY_BODIES = 24  # with more, joint forces are sent only on request
_NOISE = 1e-9  # fraction of the forces, times a length, below which moments are rounding errors
_EVENTS = 500  # largest number of marks
_SMOOTH = np.cos(np.radians(40.0))  # faces at a smaller angle form a smooth surface
_TYPES = {
    "float64": "<f8",
    "float32": "<f4",
    "uint32": "<u4",
    "uint16": "<u2",
    "int16": "<i2",
    "int8": "|i1",
    "uint8": "|u1",
}


class Arrays:
    """Numbered arrays; an array that is added again gets the number of the first."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._computed: dict[Any, Any] = {}

    def add(self, values: Any, kind: str = "float32") -> int:
        """Number by which the page accesses these values."""
        data = np.ascontiguousarray(values, dtype=_TYPES[kind]).tobytes()
        return self._numbers.setdefault((kind, data), len(self._numbers))

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Result of `make`, computed once for each key."""
        if key not in self._computed:
            self._computed[key] = make()
        return self._computed[key]

    def encoded(self) -> list[list[str]]:
        """Kind and base64 text of each array, in the order of their numbers."""
        return [[kind, base64.b64encode(data).decode()] for kind, data in self._numbers]


class PageData:
    """What the page gets of a scene: bodies once, frames as often as there are new ones.

    `reactions`: whether forces of joints are arrows; by default those of few bodies.
    """

    def __init__(self, scene: Scene, reactions: bool | None = None) -> None:
        self.scene, self.system = scene, scene.system
        self.reactions = self.system.n_body <= _MANY_BODIES if reactions is None else reactions
        self.origin = np.round((scene.low + scene.high) / 2, 3)
        self._base = coordinates(self.system, scene.rows.q[:1])[0]
        self._factors = body_factors(self.system)
        self._amplitudes = amplitude_columns(self.system)
        self._chosen, self._sent = self._visible_arrows()

    def _visible_arrows(self) -> tuple[Array, list[Arrow]]:
        """Numbers of the arrows to send, and these arrows."""
        rows = self.scene.rows
        all_arrows = arrows(self.system, rows.store.columns.wrenches, self.reactions)
        visible = np.ones(len(all_arrows), dtype=bool)
        if not self.scene.growing:
            peaks = np.abs(arrow_values(rows, self.reactions)).max(axis=(0, 2), initial=0.0)
            # joints that hold no moment have one of rounding errors
            moment = np.array([arrow.kind.endswith("_moment") for arrow in all_arrows], dtype=bool)
            force = float(peaks[~moment].max(initial=0.0))
            visible = peaks > np.where(moment, _NOISE * self.system.length * force, 0.0)
        chosen = np.flatnonzero(visible)
        return chosen, [all_arrows[k] for k in chosen]

    def data(self, rows: Trajectory | None = None) -> dict[str, Any]:
        """Data for the page: text, numbers, and arrays in base64."""
        arrays, system = Arrays(), self.system
        loops = [self._loop(k) for k in range(len(system.loops))]
        trails = [self.point(where) for where in self.scene.trails]
        named = [self._frame(frame) for frame in system.frames]
        shown = [self._arrow(arrow) for arrow in self._sent]
        bodies = [self._body(i, arrays) for i in range(system.n_body)]
        return {
            "format": FORMAT,
            "name": system.name,
            "up": self.scene.up,
            "gravity": bool(np.any(system.gravity)),
            "origin": self.origin.tolist(),
            "length": system.length,
            "bodies": bodies,
            "ground": [_described_ground(x, self.origin, arrays) for x in self.scene.ground],
            "loops": loops,
            "named": named,
            "trails": trails,
            "forces": shown,
            "n_mode": sum(body.body.n_mode for body in self.scene.bodies),
            "n_q": self._base.shape[0],
            "start": float(self.scene.rows.time[0]),
            "base": arrays.add(self._base, "float64"),
            "frames": self.frames(self.scene.rows if rows is None else rows, 0),
            "arrays": arrays.encoded(),
        }

    def frames(self, rows: Trajectory, first: int) -> dict[str, Any]:
        """Frames for the page: coordinates relative to the first frame, and forces."""
        arrays, scene = Arrays(), self.scene
        low, high = scene.bounds if rows is scene.rows else scene.bounds_of(rows)
        values = arrow_values(rows, self.reactions)[:, self._chosen]
        peaks = np.linalg.norm(values, axis=2).max(axis=0, initial=0.0)
        scaled = np.round(values * (32767 / np.where(peaks > 0, peaks, 1.0))[:, None])
        start = float(scene.rows.time[0])
        stress = scene.stress(rows)
        largest = scene.largest(rows, stress)
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
        """Description of a body; call it after all nodes are marked as in use."""
        system, drawn, parent = self.system, self.scene.bodies[i], int(self.system.parent[i])
        position, grounded, body = system.frame_position[i], parent == GROUND, drawn.body
        carrier = -1 if grounded else self.scene.bodies[parent].use(int(system.parent_node[i]))
        nodes, (node, offset) = drawn.nodes, drawn.middle
        surfaces = [_described_surface(drawn, x, arrays) for x in _by_color(drawn)]
        shapes = amplitude_shapes(body, nodes)
        rod = body.rod
        sweep = next((s for s in body.solids if isinstance(s, Sweep)), None)
        along = [drawn.use(x) for x in sweep.nodes] if sweep else []
        return {
            "name": drawn.name,
            "joint": system.joints[i].label,
            "parent": parent,
            "color": drawn.color,
            "simple": not body.solids,
            "flexible": bool(body.n_mode),
            "rotor": any(drawn.name == rotor for rotor, _ in system.drives),
            "box": [drawn.rest.min(axis=0).tolist(), drawn.rest.max(axis=0).tolist()],
            "n_mode": shapes.shape[1] if rod is None else len(rod.strains),
            "rod": None if rod is None else described_rod(rod, nodes, arrays),
            "along": None if rod is None else arrays.add(along, "uint16"),
            "first_mode": self._amplitudes[i],
            "nodes": arrays.add(body.node_positions[nodes]),
            "shapes": arrays.add(shapes),
            "surfaces": surfaces,
            "label": {"node": drawn.use(node), "offset": offset.tolist()},
            "carrier": carrier,
            "stressed": i in self.scene.stressed,
            "at": (position - self.origin if grounded else position).tolist(),
            "turn": quaternion_of(system.frame_rotation[i]).tolist(),
            "factors": [factor.described() for factor in self._factors[i]],
            "own": system.joints[i].factors is None,
        }

    def _place(self, body: int, node: int, offset: Array) -> dict[str, Any]:
        if body == GROUND:
            return {"body": -1, "node": 0, "offset": (offset - self.origin).tolist()}
        return {"body": body, "node": self.scene.bodies[body].use(node), "offset": offset.tolist()}

    def _end(self, end: LoopEnd) -> dict[str, Any]:
        turn = quaternion_of(end.rotation).tolist()
        return {"turn": turn, **self._place(end.body, end.node, end.position)}

    def _loop(self, k: int) -> dict[str, Any]:
        loop = self.system.loops[k]
        ends = {"a": self._end(loop.a), "b": self._end(loop.b)}
        held = held_directions(loop.joint).round(6).tolist()
        return {"name": loop.name, "joint": loop.joint.label, "held": held, **ends}

    def point(self, where: str) -> dict[str, Any]:
        """Point of a trail, or that the camera follows."""
        frame = self.system.place(where)
        return {"name": where, **self._place(frame.body, frame.node, frame.position)}

    def _frame(self, frame: Frame) -> dict[str, Any]:
        place = self._place(frame.body, frame.node, frame.position)
        return {"name": frame.name, "turn": quaternion_of(frame.rotation).tolist(), **place}

    def _arrow(self, arrow: Arrow) -> dict[str, Any]:
        place = self._place(arrow.body, arrow.node, arrow.offset)
        return {"name": arrow.name, "kind": arrow.kind, **place}


def _by_color(drawn: SceneBody) -> list[DrawnSurface]:
    """Surfaces joined by colour, each of which the page draws in one call."""
    colors: dict[str | None, list[DrawnSurface]] = {}
    for piece in drawn.surfaces:
        colors.setdefault(piece.color, []).append(piece)
    return [joined(pieces) for pieces in colors.values()]


def _described_surface(drawn: SceneBody, piece: DrawnSurface, arrays: Arrays) -> dict[str, Any]:
    rod, at = drawn.body.rod, drawn.body.node_positions[piece.nodes]
    if rod is not None:  # normals are in section axes: those of the rod made straight
        at = rod.places[piece.nodes, None] * np.array([1.0, 0.0, 0.0])
    rest = at + piece.offsets
    key = ("shaded", rest.tobytes(), piece.triangles.tobytes())
    corners, normals, triangles = arrays.once(key, lambda: shaded(rest, piece.triangles))
    numbers = np.array([drawn.use(int(node)) for node in piece.nodes[corners]])
    if len(drawn.nodes) >= 1 << 16:
        raise ModelError(
            f"body {drawn.name!r}: its surfaces use {len(drawn.nodes)} nodes, but the view "
            "supports at most 65535; give it a coarser Mesh"
        )
    size = "uint16" if len(corners) < 1 << 16 else "uint32"
    return {
        "color": piece.color or drawn.color,
        "nodes": arrays.add(numbers, "uint16"),
        "offsets": arrays.add(piece.offsets[corners]),
        "normals": arrays.add(normals, "int8"),
        "triangles": arrays.add(triangles, size),
        "wide": size == "uint32",
    }


def _described_ground(piece: DrawnSurface, origin: Array, arrays: Arrays) -> dict[str, Any]:
    """Surface of a shape of the world."""
    corners, normals, triangles = shaded(piece.offsets, piece.triangles)
    size = "uint16" if len(corners) < 1 << 16 else "uint32"
    return {
        "color": piece.color or EARTH,
        "nodes": arrays.add(np.zeros(len(corners)), "uint16"),
        "offsets": arrays.add(piece.offsets[corners] - origin),
        "normals": arrays.add(normals, "int8"),
        "triangles": arrays.add(triangles, size),
        "wide": size == "uint32",
    }


def shaded(points: Array, triangles: Array) -> tuple[Array, Array, Array]:
    """Corners with one normal each: numbers (p,), normals times 127 (p, 3), triangles (m, 3).

    `points` (n, 3): corners; `triangles` (m, 3): numbers of corners.
    """
    a, b, c = (points[triangles[:, k]] for k in range(3))
    units = _unit(np.cross(b - a, c - a))
    # faces are weighted by angle, so that the division of quadrilaterals does not matter
    angles = np.stack([_angle(b - a, c - a), _angle(c - b, a - b), _angle(a - c, b - c)], axis=1)
    weighted = units[:, None] * angles[..., None]
    corner, weighted = triangles.ravel(), weighted.reshape(-1, 3)
    face = np.repeat(np.arange(len(triangles)), 3)
    one, other = _meeting(corner)
    same = np.einsum("ij,ij->i", units[face[one]], units[face[other]]) > _SMOOTH
    one, other = one[same], other[same]
    sums = np.stack(
        [np.bincount(one, weighted[other, k], minlength=len(corner)) for k in range(3)], axis=1
    )
    normals = np.round(127 * _unit(sums)).astype(np.int8)
    rows, inverse = np.unique(np.column_stack([corner, normals]), axis=0, return_inverse=True)
    return rows[:, 0], rows[:, 1:].astype(np.int8), inverse.reshape(-1, 3)


def _unit(vectors: Array) -> Array:
    """Unit vectors; zero stays zero."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)


def _angle(a: Array, b: Array) -> Array:
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), np.einsum("ij,ij->i", a, b))


def _meeting(corner: Array) -> tuple[Array, Array]:
    """All ordered pairs of positions in `corner` with equal numbers."""
    order = np.argsort(corner, kind="stable")
    _, first, count = np.unique(corner[order], return_index=True, return_counts=True)
    group = np.repeat(np.arange(len(count)), count)
    partners = count[group]
    one = np.repeat(np.arange(len(corner)), partners)
    begin = np.repeat(first[group], partners)
    within = np.arange(len(one)) - np.repeat(np.cumsum(partners) - partners, partners)
    return order[one], order[begin + within]


def described_rod(rod: RodTables, nodes: Array, arrays: Arrays) -> dict[str, Any]:
    """Constants of a rod for the page, those of sections at nodes (n,)."""
    pieces = [rod.node_pieces[node] for node in nodes]
    functions, natural, stiffness = strain_fields(rod, nodes)
    return {
        "strains": rod.strains.tolist(),
        "stations": _described_pieces(rod.station_pieces, arrays),
        "functions": arrays.add(rod.functions),
        "sections": _described_pieces(pieces, arrays),
        "starts": arrays.add([piece.start for piece in pieces], "int16"),
        "integration": arrays.add([piece.integration for piece in pieces]),
        "at": {
            "functions": arrays.add(functions),
            "natural": arrays.add(natural),
            "stiffness": arrays.add(stiffness),
        },
    }


def _described_pieces(pieces: Sequence[RodPiece], arrays: Arrays) -> dict[str, int]:
    return {
        "natural": arrays.add([piece.natural for piece in pieces]),
        "moments": arrays.add([piece.moments for piece in pieces]),
    }


def _event(event: EventRecord, start: float) -> list[Any]:
    """Time and words of an event."""
    rises = any(rising_note(event, x) for x in event.impulses)
    words = f"{event.label}: after it, peaks of loads rise with the number of shapes"
    return [event.time - start, words if rises else event.label]
