"""Blocks and cylinders as rings of corners, which bend with the nodes of a flexible body."""

from __future__ import annotations

import numpy as np

from ...bodies import NormalBody
from ...bodies.solids import Box, Cylinder

Array = np.ndarray

_AROUND = 32  # corners of a circle
# Largest distance of nodes that are on the axis, and of others, in half diagonals of the section
_ON, _BESIDE = 0.1, 1.5
_MOST = 200  # rings
_SAME = 1e-3  # distance of rings that are one, in lengths of the solid


def prism(solid: Box | Cylinder, stations: Array | None = None) -> tuple[Array, Array, Array]:
    """Points (n, 3) in the axes of the solid, ring of each (n,), and triangles (m, 3).

    Parameters
    ----------
    solid : Box or Cylinder
        A block is cut along its longest side.
    stations : array (k,), optional
        Places of the rings along the axis, from its middle, ascending [m]; by default both ends.
    """
    axis, length, outline = _section(solid)
    stations = np.array([-length / 2, length / 2]) if stations is None else stations
    points = np.zeros((len(stations), len(outline), 3))
    points[..., axis] = stations[:, None]
    points[..., [(axis + 1) % 3, (axis + 2) % 3]] = outline
    rings = np.repeat(np.arange(len(stations)), len(outline))
    return points.reshape(-1, 3), rings, tube(len(stations), len(outline), fan(len(outline)))


def bent_along(body: NormalBody, solid: Box | Cylinder) -> tuple[Array, Array, Array] | None:
    """Points of a solid in body axes (n, 3), node of each (n,), and triangles (m, 3).

    There is a ring at each node along the axis of the solid.  None if there are not two.

    Parameters
    ----------
    body : NormalBody
        Flexible body.
    solid : Box or Cylinder
        Solid along some of its nodes.
    """
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
