"""Joints and bodies of a scene of one frame as a drawing has them: symbols, triangles, lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...bodies.solids import Sweep
from ...joints import ClosedContact, Joint
from ...spatial import rotate
from ..plots.style import COLORS
from ..scene.bodies import EARTH
from ..scene.contact_shapes import shapes_on
from ..scene.scene import Scene

Array = np.ndarray
Frame = tuple[Array, Array]  # axes to world axes, origin in the world

_SHARP = np.cos(np.radians(40.0))  # faces at a larger angle have an edge between them


@dataclass(frozen=True, eq=False)
class PlacedJoint:
    """A joint in the world."""

    joint: Joint
    # inboard, outboard: its two frames
    inboard: Frame
    outboard: Frame
    # carrier, carried: numbers of the inboard and outboard bodies, -1 for the ground
    carrier: int
    carried: int
    closing: bool  # whether it closes a loop
    axes: Array  # (6, n_v) motions that the joint allows [angular; linear], world axes

    @property
    def place(self) -> Array:
        """Position of its symbol (3,)."""
        return self.inboard[1] if self.closing else self.outboard[1]


def placed_joints(scene: Scene) -> list[PlacedJoint]:
    """All joints of the tree, then those that close loops."""
    system, (q,), placed = scene.system, scene.rows.q, []
    for i, joint in enumerate(system.joints):
        p, node = int(system.parent[i]), int(system.parent_node[i])
        inboard = scene.attached(0, p, node, system.frame_rotation[i], system.frame_position[i])
        outboard = scene.pose(0, i)
        axes = rotate(outboard[0], joint.motion_map(q[system.layout.hinge_q(i)]))
        placed.append(PlacedJoint(joint, inboard, outboard, p, i, False, axes))
    for loop in system.loops:
        a, b = (scene.attached(0, x.body, x.node, x.rotation, x.position) for x in loop.ends)
        theta = loop.joint.nearest(a[0].T @ b[0], a[0].T @ (b[1] - a[1]))
        axes = np.zeros((6, 0))
        if isinstance(loop.joint, ClosedContact):  # drawn at the point of contact
            touched = a[1] + a[0][:, :2] @ theta if len(theta) == 2 else b[1]
            a, b = (a[0], touched), (b[0], touched)
        else:
            axes = rotate(b[0], loop.joint.motion_map(theta))
        placed.append(PlacedJoint(loop.joint, a, b, loop.a.body, loop.b.body, True, axes))
    return placed


@dataclass(frozen=True, eq=False)
class Shape:
    """Drawn geometry of one body."""

    color: str  # as "#rrggbb"
    triangles: Array  # (n, 3, 3) corners in the world, counterclockwise seen from outside
    # edges, edge_normals: (m, 2, 3) ends of the sharp edges between them, and normals of the two
    # triangles at each
    edges: Array
    edge_normals: Array
    # (k, 3) centre lines of flexible bodies, and lines from the origin to the joints on the body
    lines: list[Array]
    dots: Array  # (n, 3) nodes of a flexible body without solids
    bare: bool  # whether the body has no solids
    middle: Array  # (3,) position of its name
    # largest distance of the corners of a rod from its centre line [m]; 0 for other bodies
    radius: float = 0.0

    @property
    def windings(self) -> list[Array]:
        """Centre lines of a rod, parts of which may be behind others."""
        return [line for line in self.lines if self.radius and len(line) > 2]

    @property
    def points(self) -> Array:
        """All points of the shape (n, 3)."""
        faces = self.triangles.reshape(-1, 3)
        return np.concatenate([faces, *self.lines, self.dots, self.middle[None]])


def shapes_of(scene: Scene, joints: list[PlacedJoint]) -> list[Shape]:
    """Shapes of all bodies."""
    return [shape(scene, i, joints) for i in range(len(scene.bodies))]


def shape(scene: Scene, i: int, joints: list[PlacedJoint]) -> Shape:
    """Shape of body i."""
    drawn, body, color = scene.bodies[i], scene.bodies[i].body, COLORS[i % len(COLORS)]
    _, nodes = scene.nodes(0, i, np.arange(len(body.node_positions)))
    triangles, (ends, normals) = np.zeros((0, 3, 3)), np.zeros((2, 0, 2, 3))
    bare = not drawn.skins
    if not bare:
        corners = scene.corners(0, i)
        skin = drawn.whole.triangles[: sum(len(x.triangles) for x in drawn.skins)]
        triangles = corners[skin]
        ends, normals = _sharp(corners, skin)
        color = next((x.color for x in reversed(drawn.skins) if x.color), color)
    radius, sweeps = 0.0, [s for s in body.solids if isinstance(s, Sweep)]
    if body.rod is not None:
        radius = max((float(np.linalg.norm(s.outline, axis=-1).max()) for s in sweeps), default=0.0)
    lines = [nodes[list(s.nodes)] for s in sweeps]
    lines += _bones(scene, i, joints, nodes, bool(lines))
    dots = nodes if bare and body.n_mode else np.zeros((0, 3))
    middle = _middle(triangles, lines, scene.pose(0, i)[1])
    return Shape(color, triangles, ends, normals, lines, dots, bare, middle, radius)


def ground_of(scene: Scene) -> list[Shape]:
    """The shapes of the world."""
    shapes = []
    for piece in scene.ground:
        triangles = piece.offsets[piece.triangles]
        ends, normals = _sharp(piece.offsets, piece.triangles)
        middle = _middle(triangles, [], np.zeros(3))
        color, none = piece.color or EARTH, np.zeros((0, 3))
        shapes.append(Shape(color, triangles, ends, normals, [], none, False, middle))
    return shapes


def facing(triangles: Array, towards: Array) -> Array:
    """Triangles (n, 3, 3) that face the camera in a direction."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    return triangles[np.cross(b - a, c - a) @ towards > 0]


def rim(triangles: Array, towards: Array) -> Array:
    """Edges (n, 2, 3) between triangles that face the camera and those that do not."""
    faces = facing(triangles, towards)
    if not len(faces):
        return np.zeros((0, 2, 3))
    corners, index = np.unique(faces.reshape(-1, 3).round(12), axis=0, return_inverse=True)
    index = index.reshape(-1, 3)
    pairs = np.sort(np.concatenate([index[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges, count = np.unique(pairs, axis=0, return_counts=True)
    return np.asarray(corners[edges[count == 1]])


def _bones(
    scene: Scene, i: int, joints: list[PlacedJoint], nodes: Array, swept: bool
) -> list[Array]:
    """Straight lines from the origin to the joints on the body, and to its centre of mass or nodes.

    A beam has its centre line instead, and lines only to joints away from it.
    """
    body, (turn, origin) = scene.bodies[i].body, scene.pose(0, i)
    ends = [j.inboard[1] for j in joints if j.carrier == i]
    ends += [j.outboard[1] for j in joints if j.closing and j.carried == i]
    if swept:
        near = [nodes[np.argmin(np.linalg.norm(nodes - end, axis=1))] for end in ends]
        pairs = zip(near, ends, strict=True)
        return [np.stack(p) for p in pairs if not np.allclose(*p, atol=1e-9)]
    if not body.solids and body.n_mode:
        ends += [nodes[node] for node in body.node_names.values()]
    elif not body.solids and body.mass:
        ends.append(origin + turn @ (body.integrals.first_moment / body.integrals.mass))
    if not body.solids:
        carriers = (frame for _, frame in shapes_on(scene.system, i) if not frame.plain)
        ends += [scene.attached(0, i, x.node, x.rotation, x.position)[1] for x in carriers]
    return [np.stack([origin, e]) for e in ends if not np.allclose(e, origin)]


def _middle(triangles: Array, lines: list[Array], origin: Array) -> Array:
    if lines and len(lines[0]) > 2:
        return lines[0][len(lines[0]) // 2]
    if len(triangles):
        points = triangles.reshape(-1, 3)
        return np.asarray((points.min(axis=0) + points.max(axis=0)) / 2)
    if lines:
        return np.asarray(np.mean([line[-1] for line in lines] + [origin], axis=0))
    return origin


def _sharp(corners: Array, triangles: Array) -> Array:
    """Edges between triangles that meet at an angle, and normals there (2, n, 2, 3)."""
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    pairs = np.sort(np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    face = np.tile(np.arange(len(triangles)), 3)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, face = pairs[order], face[order]
    new = np.concatenate([[True], np.any(pairs[1:] != pairs[:-1], axis=1)])[: len(pairs)]
    group = np.cumsum(new) - 1
    first = np.flatnonzero(new)[group]
    # sheets with two faces: those of the same side are neighbours
    alike = np.einsum("ij,ij->i", normals[face], normals[face[first]])
    face = face[np.lexsort((-alike, group))]
    same = ~new[1:] & ((np.arange(1, len(pairs)) - first[1:]) % 2 == 1)
    flat = np.einsum("ij,ij->i", normals[face[1:]], normals[face[:-1]]) > _SHARP
    k = np.flatnonzero(same & ~flat)
    return np.stack([corners[pairs[k]], np.stack([normals[face[k]], normals[face[k + 1]]], axis=1)])
