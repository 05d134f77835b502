"""Bodies of a scene: their surfaces, and the nodes to which these and other items are attached."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ModelError
from ...spatial import rotation_exp
from ...system import GROUND, System
from .amplitudes import amplitude_shapes
from .normals import shaded
from .numbers import Arrays
from .surfaces import Surface, ball, joined, rod, surface

Array = np.ndarray

# Okabe and Ito's colours, distinguishable with colour blindness, slightly lightened or greyed;
# bodies fixed to the ground or floating freely are grey.
ROOT = "#98a2b0"
COLORS = ("#3b8fc4", "#e8a33d", "#2ca583", "#cf86b0", "#7cc0ea", "#dd6b35", "#d9cd57")
_MANY = 12  # with more bodies, colours are by branch


class SceneBody:
    """A body with its surfaces and the nodes in use.

    Parameters
    ----------
    system : System
        Mechanism.
    i : int
        Number of the body.
    extent : float
        Size of the whole mechanism [m]; 0 if unknown.
    """

    def __init__(self, system: System, i: int, extent: float = 0.0) -> None:
        self.system, self.i = system, i
        # radius of the ball of the default appearance: visible overall, but smaller than the body
        self._ball = min(0.25 * system.length, max(0.025 * system.length, 0.006 * extent))
        self.name, self.body = system.names[i], system.bodies[i]
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
        kept = self.system.derived
        if "branches" not in kept:
            kept["branches"] = _branches(self.system)
        return COLORS[kept["branches"][self.i] % len(COLORS)]

    @cached_property
    def surfaces(self) -> tuple[Surface, ...]:
        """Surfaces of the solids, or the default appearance."""
        solid = [surface(self.body, solid, self.name) for solid in self.body.solids]
        return tuple([s for s in solid if len(s.triangles)] or self._simple())

    def _simple(self) -> list[Surface]:
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
        found = [ball(*start, self._ball)]
        for node, offset in ends:
            if np.linalg.norm(body.node_positions[node] + offset) > 1e-3 * size:
                found.append(rod(body, start, (node, offset), 0.5 * self._ball))
        return found

    @cached_property
    def rest(self) -> Array:
        """All corners of the undeformed body, shape (n, 3) [m]."""
        return np.concatenate(
            [self.body.node_positions[s.nodes] + s.offsets for s in self.surfaces]
        )

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
        centre = (self.rest.min(axis=0) + self.rest.max(axis=0)) / 2
        away = np.linalg.norm(self.body.node_positions[self.nodes] - centre, axis=1)
        node = int(self.nodes[np.argmin(away)])
        return node, centre - self.body.node_positions[node]

    def corners(self, modes: Array) -> Array:
        """Corners of all surfaces in body axes, deformed by modal coordinates; shape (n, 3) [m].

        Parameters
        ----------
        modes : array (n_mode,)
            Modal coordinates.
        """
        return np.concatenate([bent(self.body, s.nodes, s.offsets, modes) for s in self.surfaces])

    def deflections(self, modes: Array) -> Array:
        """Displacements of the corners by deformation, one row for each state [m]."""
        if not self.body.n_mode:
            return np.zeros((len(modes), 1))
        moved = [self.body.displaced(int(node), modes)[:, 3:] for node in self.nodes]
        return np.linalg.norm(np.stack(moved, axis=1), axis=2)

    def described(self, arrays: Arrays, first_mode: int) -> dict[str, Any]:
        """Description of the body for the page; call it after all nodes are marked as in use.

        Parameters
        ----------
        arrays : Arrays
            Receives the numbers.
        first_mode : int
            Index of the first of its `amplitudes` among all coordinates.
        """
        system, nodes, (node, offset) = self.system, self.nodes, self.middle
        pieces = [self._shaded(s, arrays) for s in self._by_color()]
        shapes = amplitude_shapes(self.body, nodes)
        return {
            "name": self.name,
            "joint": system.joints[self.i].label,
            "parent": int(system.parent[self.i]),
            "color": self.color,
            "simple": not self.body.solids,
            "box": [self.rest.min(axis=0).tolist(), self.rest.max(axis=0).tolist()],
            "n_mode": shapes.shape[1],
            "first_mode": first_mode,
            "nodes": arrays.add(self.body.node_positions[nodes]),
            "shapes": arrays.add(shapes),
            "surfaces": pieces,
            "label": {"node": self.use(node), "offset": offset.tolist()},
        }

    def _by_color(self) -> list[Surface]:
        """Surfaces joined by colour, each of which the page draws in one call."""
        colors: dict[str | None, list[Surface]] = {}
        for piece in self.surfaces:
            colors.setdefault(piece.color, []).append(piece)
        return [joined(pieces) for pieces in colors.values()]

    def _shaded(self, piece: Surface, arrays: Arrays) -> dict[str, Any]:
        rest = self.body.node_positions[piece.nodes] + piece.offsets
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
    found: list[int] = []
    n = -1
    for parent in system.parent:
        if parent == GROUND or len(system.children[parent]) > 1:
            n += 1
            found.append(n)
        else:
            found.append(found[parent])
    return found


def bent(body: Any, nodes: Array, offsets: Array, modes: Array) -> Array:
    """Points attached to nodes, in body axes: ``l + delta + exp(skew(theta)) offset`` [m].

    Parameters
    ----------
    body : NormalBody
        Body.
    nodes : array (n,) of int
        Node of each point.
    offsets : array (n, 3)
        Offset from the node, in node axes [m].
    modes : array (n_mode,)
        Modal coordinates eta.
    """
    if not body.n_mode:
        return body.node_positions[nodes] + offsets
    places, numbers = np.unique(nodes, return_inverse=True)
    moved = np.stack([body.displaced(int(node), modes) for node in places])
    turns = np.stack([rotation_exp(theta) for theta in moved[:, :3]])
    points = (body.node_positions[places] + moved[:, 3:])[numbers]
    return points + np.einsum("nij,nj->ni", turns[numbers], offsets)
