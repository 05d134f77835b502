"""Normals of surfaces: smooth across small angles, sharp at edges."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

_SMOOTH = np.cos(np.radians(40.0))  # faces at a smaller angle form a smooth surface


def shaded(points: Array, triangles: Array) -> tuple[Array, Array, Array]:
    """Corners with one normal each.

    Parameters
    ----------
    points : array (n, 3)
        Corners.
    triangles : array (m, 3)
        Numbers of corners.

    Returns
    -------
    corners : array (p,)
        Given corner of each new corner.
    normals : array (p, 3) of int8
        Unit normals times 127.
    triangles : array (m, 3)
        Numbers of the new corners.
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
