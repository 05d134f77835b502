"""Bodies of a scene: their surfaces, and the nodes to which these and other items are attached."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...system import GROUND, System
from .contact_shapes import shapes_on, surfaces_on
from .nodes import bent, drawable, node_frames, smooth
from .shapes import DrawnSurface, ball, joined, rod, surface
from .values import shown_strains

Array = np.ndarray

# Okabe and Ito's colours, distinguishable with colour blindness, slightly lightened or greyed;
# bodies fixed to the ground or floating freely are grey.
ROOT = "#98a2b0"
EARTH = "#c3c9d1"  # of shapes of the world
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
    def skins(self) -> list[DrawnSurface]:
        """Surfaces of the solids, without any of the shapes of contact.

        Those without triangles are none.
        """
        surfaces = [surface(self.body, solid, self.name) for solid in self.body.solids]
        return [x for x in surfaces or surfaces_on(self.system, self.i) if len(x.triangles)]

    @cached_property
    def surfaces(self) -> tuple[DrawnSurface, ...]:
        """Surfaces of the solids, or the default appearance with the shapes of contact."""
        if self.body.solids and self.skins:
            return tuple(self.skins)
        return (*self.skins, *self._simple())

    @cached_property
    def whole(self) -> DrawnSurface:
        """All surfaces as one, whose corners are numbered as in `corners`."""
        return joined(self.surfaces)

    def _simple(self) -> list[DrawnSurface]:
        """Default appearance: a ball at the origin and rods to all joints and named nodes.

        Of a body with shapes alone there are these.
        """
        size, body, system = self.system.length, self.body, self.system
        ends = [
            (int(system.parent_node[c]), system.frame_position[c]) for c in system.children[self.i]
        ]
        ends += [
            (e.node, e.position) for loop in system.loops for e in loop.ends if e.body == self.i
        ]
        ends += [(node, np.zeros(3)) for node in body.node_names.values()]
        if self.skins:
            carriers = (frame for _, frame in shapes_on(system, self.i))
            ends += [(frame.node, frame.position) for frame in carriers if not frame.plain]
            if not ends:
                return []
        elif not ends and body.mass > 0:
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
        return bent(self.body, self.whole.nodes, self.whole.offsets, modes)

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
        radius = np.linalg.norm(self.whole.offsets, axis=1).max()
        points = node_frames(self.body, self.nodes, modes)[1]
        return np.concatenate([points - radius, points + radius], axis=1)


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
