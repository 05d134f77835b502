"""Bodies of a scene: their surfaces, and the nodes to which these and other items are attached."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...bodies.solids import Sweep
from ...errors import ModelError
from ...spatial.many_rotations import rotated
from ...system import GROUND, System
from .amplitudes import amplitude_shapes
from .nodes import drawable, node_frames, smooth
from .numbers import Arrays
from .rods import described_rod, shown_strains
from .surfaces import DrawnSurface, ball, joined, rod, surface

_SMOOTH = np.cos(np.radians(40.0))  # faces at a smaller angle form a smooth surface


def shaded(points: Array, triangles: Array) -> tuple[Array, Array, Array]:
    """Corners with one normal each.

    `points` (n, 3): corners; `triangles` (m, 3): numbers of corners; returns (p,): given corner of
    each new corner; returns (p, 3): unit normals times 127; returns (m, 3): numbers of the new
    corners.
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


Array = np.ndarray

# Okabe and Ito's colours, distinguishable with colour blindness, slightly lightened or greyed;
# bodies fixed to the ground or floating freely are grey.
ROOT = "#98a2b0"
COLORS = ("#3b8fc4", "#e8a33d", "#2ca583", "#cf86b0", "#7cc0ea", "#dd6b35", "#d9cd57")
_MANY = 12  # with more bodies, colours are by branch
_PARTS = 4  # between nodes of a rod whose bending is not known yet


class SceneBody:
    """A body with its surfaces and the nodes in use.

    `extent`: size of the whole mechanism [m]; 0 if unknown; `modes` (k, n_mode): modal coordinates
    of states that are drawn, by which a rod gets its sections.
    """

    def __init__(
        self,
        system: System,
        i: int,
        extent: float = 0.0,
        modes: Array | None = None,
        *,
        growing: bool = False,
    ) -> None:
        self.system, self.i = system, i
        # radius of the ball of the default appearance: visible overall, but smaller than the body
        self._ball = min(0.25 * system.length, max(0.025 * system.length, 0.006 * extent))
        self.name, body = system.names[i], system.bodies[i]
        modes = np.zeros((1, body.n_mode)) if modes is None else modes
        self.body = smooth(body, modes, _PARTS if growing else 1)
        self._nodes: dict[int, int] = {}
        self.use(self.body.inboard)
        # fixed order: nodes that carry bodies first, then those of surfaces
        for node in system.outboard_nodes[i]:
            self.use(node)
        for piece in self.surfaces:
            for node in np.unique(piece.nodes):
                self.use(int(node))

    def use(self, node: int) -> int:
        """Number of a node in the page; marks the node as in use."""
        return self._nodes.setdefault(node, len(self._nodes))

    @property
    def nodes(self) -> Array:
        """Nodes in use, in the order of their numbers in the page."""
        return np.array(list(self._nodes), dtype=int)

    @cached_property
    def color(self) -> str:
        """Colour of solids that do not define one."""
        if self.system.parent[self.i] == GROUND and self.system.n_body > 1:
            return ROOT
        if self.system.n_body <= _MANY:
            return COLORS[(self.i - 1) % len(COLORS)]
        cache = self.system.derived
        if "branches" not in cache:
            cache["branches"] = _branches(self.system)
        return COLORS[cache["branches"][self.i] % len(COLORS)]

    @cached_property
    def surfaces(self) -> tuple[DrawnSurface, ...]:
        """Surfaces of the solids, or the default appearance."""
        solid = [surface(self.body, solid, self.name) for solid in self.body.solids]
        return tuple([s for s in solid if len(s.triangles)] or self._simple())

    def _simple(self) -> list[DrawnSurface]:
        """Default appearance: a ball at the origin and rods to all joints and named nodes."""
        size, body, system = self.system.length, self.body, self.system
        ends = [
            (int(system.parent_node[c]), system.frame_position[c]) for c in system.children[self.i]
        ]
        ends += [
            (e.node, e.position) for loop in system.loops for e in loop.ends if e.body == self.i
        ]
        ends += [(node, np.zeros(3)) for node in body.node_names.values()]
        if not ends and body.mass > 0:
            ends = [(body.inboard, body.integrals.first_moment / body.mass)]
        start = (body.inboard, np.zeros(3))
        pieces = [ball(*start, self._ball)]
        for node, offset in ends:
            if np.linalg.norm(body.node_positions[node] + offset) > 1e-3 * size:
                pieces.append(rod(body, start, (node, offset), 0.5 * self._ball))
        return pieces

    @cached_property
    def rest(self) -> Array:
        """All corners of the undeformed body, shape (n, 3) [m]."""
        return self.corners(np.zeros(self.body.n_mode))

    @property
    def box(self) -> Array:
        """Corners of the bounding box of the undeformed body, in body axes, shape (8, 3) [m]."""
        low, high = self.rest.min(axis=0), self.rest.max(axis=0)
        return np.array(
            [
                [x, y, z]
                for x in (low[0], high[0])
                for y in (low[1], high[1])
                for z in (low[2], high[2])
            ]
        )

    @property
    def middle(self) -> tuple[int, Array]:
        """Node and offset of the position of the name."""
        if self.body.rod is not None:
            half = np.abs(self.body.rod.places[self.nodes] - self.body.rod.length / 2)
            return int(self.nodes[np.argmin(half)]), np.zeros(3)
        centre = (self.rest.min(axis=0) + self.rest.max(axis=0)) / 2
        away = np.linalg.norm(self.body.node_positions[self.nodes] - centre, axis=1)
        node = int(self.nodes[np.argmin(away)])
        return node, centre - self.body.node_positions[node]

    def corners(self, modes: Array) -> Array:
        """Corners of all surfaces in body axes, deformed by modal coordinates; shape (n, 3) [m].

        `modes` (n_mode,): modal coordinates.
        """
        return np.concatenate([bent(self.body, s.nodes, s.offsets, modes) for s in self.surfaces])

    def shown(self, modes: Array, nodes: Array | None = None) -> dict[str, Array]:
        """What colours can show of the body at nodes, (k, n) each.

        `modes` (k, n_mode): modal coordinates of k states; `nodes` (n,): nodes; by default those in
        use.
        """
        if not self.body.n_mode:
            return {}
        nodes = self.nodes if nodes is None else nodes
        moved = node_frames(self.body, nodes, modes)[1] - self.body.node_positions[nodes]
        values = {"deflection": np.linalg.norm(moved, axis=2)}
        if self.body.rod is not None:
            values |= shown_strains(self.body.rod, nodes, drawable(self.body, modes))
        return values

    def largest(self, modes: Array) -> dict[str, float]:
        """Largest values of what colours can show, in states with these modal coordinates."""
        body_nodes = self.nodes[self.nodes < len(self.system.bodies[self.i].node_positions)]
        return {
            kind: float(x.max(initial=0.0)) for kind, x in self.shown(modes, body_nodes).items()
        }

    def reach(self, modes: Array) -> Array:
        """Points around the body, in body axes, in states with these coordinates (k, n, 3) [m]."""
        if self.body.rod is None:
            return np.broadcast_to(self.box, (len(modes), 8, 3))
        radius = max(np.linalg.norm(s.offsets, axis=1).max() for s in self.surfaces)
        points = node_frames(self.body, self.nodes, modes)[1]
        return np.concatenate([points - radius, points + radius], axis=1)

    def described(self, arrays: Arrays, first_mode: int) -> dict[str, Any]:
        """Description of the body for the page; call it after all nodes are marked as in use."""
        system, nodes, (node, offset) = self.system, self.nodes, self.middle
        pieces = [self._shaded(s, arrays) for s in self._by_color()]
        shapes = amplitude_shapes(self.body, nodes)
        rod = self.body.rod
        return {
            "name": self.name,
            "joint": system.joints[self.i].label,
            "parent": int(system.parent[self.i]),
            "color": self.color,
            "simple": not self.body.solids,
            "flexible": bool(self.body.n_mode),
            "rotor": any(self.name == rotor for rotor, _ in system.drives),
            "box": [self.rest.min(axis=0).tolist(), self.rest.max(axis=0).tolist()],
            "n_mode": shapes.shape[1] if rod is None else len(rod.strains),
            "rod": None if rod is None else described_rod(rod, nodes, arrays),
            "along": None if rod is None else arrays.add(self._along(), "uint16"),
            "first_mode": first_mode,
            "nodes": arrays.add(self.body.node_positions[nodes]),
            "shapes": arrays.add(shapes),
            "surfaces": pieces,
            "label": {"node": self.use(node), "offset": offset.tolist()},
        }

    def _along(self) -> list[int]:
        """Numbers in the page of the nodes along the first sweep of a rod."""
        sweep = next((s for s in self.body.solids if isinstance(s, Sweep)), None)
        return [self.use(node) for node in sweep.nodes] if sweep else []

    def _by_color(self) -> list[DrawnSurface]:
        """Surfaces joined by colour, each of which the page draws in one call."""
        colors: dict[str | None, list[DrawnSurface]] = {}
        for piece in self.surfaces:
            colors.setdefault(piece.color, []).append(piece)
        return [joined(pieces) for pieces in colors.values()]

    def _shaded(self, piece: DrawnSurface, arrays: Arrays) -> dict[str, Any]:
        rod, at = self.body.rod, self.body.node_positions[piece.nodes]
        if rod is not None:  # normals are in section axes: those of the rod made straight
            at = rod.places[piece.nodes, None] * np.array([1.0, 0.0, 0.0])
        rest = at + piece.offsets
        key = ("shaded", rest.tobytes(), piece.triangles.tobytes())
        corners, normals, triangles = arrays.once(key, lambda: shaded(rest, piece.triangles))
        numbers = np.array([self._nodes[int(node)] for node in piece.nodes[corners]])
        if len(self._nodes) >= 1 << 16:
            raise ModelError(
                f"body {self.name!r}: its surfaces use {len(self._nodes)} nodes, but the view "
                "supports at most 65535; give it a coarser Mesh"
            )
        size = "uint16" if len(corners) < 1 << 16 else "uint32"
        return {
            "color": piece.color or self.color,
            "nodes": arrays.add(numbers, "uint16"),
            "offsets": arrays.add(piece.offsets[corners]),
            "normals": arrays.add(normals, "int8"),
            "triangles": arrays.add(triangles, size),
            "wide": size == "uint32",
        }


def _branches(system: System) -> list[int]:
    """Number of the branch of each body; branches start at bodies with several children."""
    branches: list[int] = []
    n = -1
    for parent in system.parent:
        if parent == GROUND or len(system.children[parent]) > 1:
            n += 1
            branches.append(n)
        else:
            branches.append(branches[parent])
    return branches


def bent(body: Any, nodes: Array, offsets: Array, modes: Array) -> Array:
    """Points attached to nodes, in body axes: ``l + R offset`` [m].

    `nodes` (n,): node of each point; `offsets` (n, 3): offset from the node, in node axes [m];
    `modes` (n_mode,): modal coordinates eta.
    """
    if not body.n_mode:
        return body.node_positions[nodes] + offsets
    places, numbers = np.unique(nodes, return_inverse=True)
    turns, points = node_frames(body, places, modes[None])
    return points[0][numbers] + rotated(turns[0][numbers], offsets)
