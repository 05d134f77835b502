"""Triangles of solids, with each corner attached to a node so that it deforms with the body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...bodies import NormalBody, solids
from ...bodies.solids import Box, Cylinder, Mesh, Solid, Sphere, Sweep
from ...errors import ModelError
from ...spatial.many_rotations import rotated
from .nodes import node_frames

# Largest distance of nodes that are on the axis, and of others, in half diagonals of the section
_ON, _BESIDE = 0.1, 1.5
_MOST = 200  # rings
_SAME = 1e-3  # distance of rings that are one, in lengths of the solid


def prism(solid: Box | Cylinder, stations: Array | None = None) -> tuple[Array, Array, Array]:
    """Points (n, 3) in the axes of the solid, ring of each (n,), and triangles (m, 3).

    `stations` (k,): places of the rings along the axis, from its middle, ascending [m]; by default
    both ends.
    """
    axis, length, outline = _section(solid)
    stations = np.array([-length / 2, length / 2]) if stations is None else stations
    points = np.zeros((len(stations), len(outline), 3))
    points[..., axis] = stations[:, None]
    points[..., [(axis + 1) % 3, (axis + 2) % 3]] = outline
    rings = np.repeat(np.arange(len(stations)), len(outline))
    return points.reshape(-1, 3), rings, tube(len(stations), len(outline), fan(len(outline)))


def bent_along(body: NormalBody, solid: Solid) -> tuple[Array, Array, Array] | None:
    """Points of a solid in body axes (n, 3), node of each (n,), and triangles (m, 3).

    There is a ring at each node along the axis of the solid.  None if there are not two, or if the
    solid has not one section along an axis.
    """
    if not isinstance(solid, Box | Cylinder):
        return None
    axis, length, outline = _section(solid)
    local = (body.node_positions - solid.at) @ solid.rotation
    along, across = local[:, axis], np.linalg.norm(np.delete(local, axis, axis=1), axis=1)
    inside = np.abs(along) <= length * (0.5 + _SAME)
    half = np.linalg.norm(outline, axis=1).max()
    nodes = np.flatnonzero(inside & (across <= _ON * half))
    if len(nodes) < 2:  # the nodes go beside the solid's axis
        nodes = np.flatnonzero(inside & (across <= _BESIDE * half))
    nodes = nodes[np.argsort(along[nodes], kind="stable")]
    nodes = nodes[np.diff(along[nodes], prepend=-np.inf) > _SAME * length]
    if not 2 <= len(nodes) <= _MOST:
        return None
    places, ends = along[nodes], np.array([-length / 2, length / 2])
    open_ = np.array([places[0] - ends[0], ends[1] - places[-1]]) > _SAME * length
    stations = np.concatenate([ends[:1][open_[:1]], places, ends[1:][open_[1:]]])
    points, rings, triangles = prism(solid, stations)
    nearest = nodes[np.abs(stations[:, None] - places).argmin(axis=1)]
    return points @ solid.rotation.T + solid.at, nearest[rings], triangles


def _section(solid: Box | Cylinder) -> tuple[int, float, Array]:
    """Axis, length along it, and outline counterclockwise about it (k, 2)."""
    if isinstance(solid, Cylinder):
        return 2, solid.length, solid.radius * circle(_AROUND)
    axis = int(np.argmax(solid.size))
    half = np.array([solid.size[(axis + 1) % 3], solid.size[(axis + 2) % 3]]) / 2
    return axis, float(solid.size[axis]), half * [[1, 1], [-1, 1], [-1, -1], [1, -1]]


def circle(n: int) -> Array:
    """Corners (n, 2) of a regular polygon on the unit circle, counterclockwise."""
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def tube(rings: int, around: int, cap: Array) -> Array:
    """Triangles between consecutive rings of corners, and of the caps at both ends."""
    a = np.arange((rings - 1) * around)
    b = (a // around) * around + (a + 1) % around
    sides = np.concatenate(
        [np.column_stack([a, b, b + around]), np.column_stack([a, b + around, a + around])]
    )
    return np.concatenate([sides, cap[:, ::-1], cap + (rings - 1) * around])


def fan(n: int) -> Array:
    """Triangles of a convex polygon of n corners."""
    k = np.arange(1, n - 1)
    return np.column_stack([np.zeros_like(k), k, k + 1])


Array = np.ndarray

_AROUND = 32  # corners of a circle


@dataclass(frozen=True, eq=False)
class DrawnSurface:
    """Triangles whose corners move with nodes.

    A corner is at ``l + R offset`` with l the position of its node and R its attitude.
    """

    nodes: Array  # (n,) node of each corner
    offsets: Array  # (n, 3) offset from the node, in node axes [m]
    triangles: Array  # (m, 3) corners, counterclockwise seen from outside
    color: str | None = None  # as "#rrggbb"


def surface(body: NormalBody, solid: Solid, name: str) -> DrawnSurface:
    """Surface of a solid on a body."""
    if isinstance(solid, Sweep):
        return _swept(body, solid, name)
    if isinstance(solid, solids.Surface):
        return _skin(body, solid, name)
    if body.n_mode and (curved := bent_along(body, solid)) is not None:
        points, nodes, triangles = curved
        offsets = _to_nodes(body, nodes, points - body.node_positions[nodes])
        return DrawnSurface(nodes, offsets, triangles, solid.color)
    points, triangles = points_and_triangles(solid)
    placed = points @ solid.rotation.T + solid.at
    if body.n_mode == 0:
        nodes = np.full(len(placed), body.inboard)
    elif isinstance(solid, Mesh):
        nodes = _nearest(body, placed)
    else:
        nodes = np.repeat(_nearest(body, solid.at[None]), len(placed))
    offsets = _to_nodes(body, nodes, placed - body.node_positions[nodes])
    return DrawnSurface(nodes, offsets, triangles, solid.color)


def _to_nodes(body: NormalBody, nodes: Array, vectors: Array) -> Array:
    """Vectors in body axes, in the axes of nodes at rest: those of the sections of a rod."""
    if body.rod is None:
        return vectors
    used, numbers = np.unique(nodes, return_inverse=True)
    turns, _ = node_frames(body, used, np.zeros((1, body.n_mode)))
    return rotated(turns[0][numbers] * [1, -1, -1, -1], vectors)


def rod(
    body: NormalBody, start: tuple[int, Array], end: tuple[int, Array], radius: float
) -> DrawnSurface:
    """Thin rod between two points, each given by a node and an offset from it."""
    tail, head = (body.node_positions[node] + offset for node, offset in (start, end))
    axis = head - tail
    length = float(np.linalg.norm(axis))
    across = np.linalg.svd(axis[None] / length)[2][1:]
    ring = radius * circle(12) @ across
    if np.dot(np.cross(*across), axis) < 0:
        ring = ring[::-1]
    nodes = np.repeat([start[0], end[0]], 12)
    offsets = np.concatenate([start[1] + ring, end[1] + ring])
    return DrawnSurface(nodes, offsets, tube(2, 12, fan(12)))


def ball(node: int, offset: Array, radius: float) -> DrawnSurface:
    """Small sphere around a point attached to a node."""
    points, triangles = _sphere(radius, 16)
    return DrawnSurface(np.full(len(points), node), points + offset, triangles)


def divided(triangles: Array, longest: float) -> Array:
    """Triangles (n, 3, 3) halved until no edge is longer than a length, at most ten times.

    `triangles` (m, 3, 3): corners; `longest`: length of the longest edge [m].
    """
    for _ in range(10):
        lengths = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)
        large = lengths.max(axis=1, initial=0.0) > longest
        if not large.any():
            break
        first = np.argmax(lengths[large], axis=1)
        rows = np.arange(len(first))
        a, b, c = (triangles[large][rows, (first + k) % 3] for k in range(3))
        middle = (a + b) / 2
        halves = [np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)]
        triangles = np.concatenate([triangles[~large], *halves])
    return triangles


def joined(pieces: Sequence[DrawnSurface]) -> DrawnSurface:
    """Surfaces as one, of the colour of the first."""
    if len(pieces) == 1:
        return pieces[0]
    starts = np.cumsum([0, *(len(piece.nodes) for piece in pieces)])
    triangles = [p.triangles + k for p, k in zip(pieces, starts, strict=False)]
    nodes, offsets = (np.concatenate([getattr(p, x) for p in pieces]) for x in ("nodes", "offsets"))
    return DrawnSurface(nodes, offsets, np.concatenate(triangles), pieces[0].color)


def points_and_triangles(solid: Solid) -> tuple[Array, Array]:
    """Points and triangles in the axes of the solid."""
    match solid:
        case Box() | Cylinder():
            points, _, triangles = prism(solid)
            return points, triangles
        case Sphere(radius=radius):
            return _sphere(radius, _AROUND)
        case Mesh(vertices=vertices, triangles=triangles):
            return vertices, triangles
    raise ModelError(f"{solid!r} cannot be drawn; expected one of lissom.solids")


def revolved(radii: Array, heights: Array, around: int = _AROUND) -> tuple[Array, Array]:
    """Rings about the z axis with these radii and heights (n,), from below, closed at both ends."""
    rings = np.zeros((len(radii), around, 3))
    rings[..., :2] = radii[:, None, None] * circle(around)
    rings[..., 2] = heights[:, None]
    return rings.reshape(-1, 3), tube(len(radii), around, fan(around))


def _sphere(radius: float, around: int) -> tuple[Array, Array]:
    """Rings from pole to pole, with tiny rings at the poles."""
    polar = np.linspace(1e-3, np.pi - 1e-3, around // 2 + 1)[::-1]
    points, triangles = revolved(np.sin(polar), np.cos(polar), around)
    return radius * points, triangles


def _swept(body: NormalBody, solid: Sweep, name: str) -> DrawnSurface:
    k = solid.outline.shape[-2]
    along = np.array(solid.nodes, dtype=int)
    if len(along) < 2 or k < 3:
        raise ModelError(
            f"body {name!r}: a Sweep needs at least two nodes and an outline of three corners; "
            f"it has {len(along)} and {k}"
        )
    _check_nodes(along, body, f"body {name!r}: its Sweep goes along")
    corners = solid.outlines.reshape(-1, 2)
    offsets = np.column_stack([np.zeros(len(corners)), corners]) @ solid.rotation.T + solid.at
    cap = _clipped(solid.outlines[0])
    return DrawnSurface(np.repeat(along, k), offsets, tube(len(along), k, cap), solid.color)


def _skin(body: NormalBody, solid: solids.Surface, name: str) -> DrawnSurface:
    nodes = np.array(solid.nodes, dtype=int)
    _check_nodes(nodes, body, f"body {name!r}: its Surface has")
    return DrawnSurface(nodes, np.tile(solid.at, (len(nodes), 1)), solid.triangles, solid.color)


def _check_nodes(nodes: Array, body: NormalBody, what: str) -> None:
    n = len(body.node_positions)
    if len(nodes) and not 0 <= nodes.min() <= nodes.max() < n:
        raise ModelError(
            f"{what} nodes {nodes.min()} to {nodes.max()}; the body has nodes 0 to {n - 1}"
        )


def _clipped(outline: Array) -> Array:
    """Triangles of a simple polygon, counterclockwise, by cutting off ears."""
    left, ears = list(range(len(outline))), []
    while len(left) > 3:
        for k in range(len(left)):
            ear = (left[k - 1], left[k], left[(k + 1) % len(left)])
            if _is_ear(outline, ear, left):
                break
        else:  # it intersects itself: take the first corner
            k, ear = 1, (left[0], left[1], left[2])
        ears.append(ear)
        left.pop(k)
    return np.array([*ears, tuple(left)])


def _is_ear(outline: Array, ear: tuple[int, int, int], left: list[int]) -> bool:
    a, b, c = outline[list(ear)]
    if _area(a, b, c) <= 0:
        return False
    others = (outline[i] for i in left if i not in ear)
    return not any(
        _area(a, b, p) >= 0 and _area(b, c, p) >= 0 and _area(c, a, p) >= 0 for p in others
    )


def _area(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _nearest(body: NormalBody, points: Array) -> Array:
    from scipy.spatial import cKDTree

    return np.asarray(cKDTree(body.node_positions).query(points)[1])
