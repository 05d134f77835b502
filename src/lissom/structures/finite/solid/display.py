"""Coarser surfaces for pictures of large meshes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

MOST = 3000  # nodes of a surface that is drawn


def coarser(positions: Array, triangles: Whole, most: int = MOST) -> Whole:
    """Triangles between at most about `most` of their nodes.

    Nodes in one cell of a grid whose surface points in the same direction, so that the two sides of
    a plate stay apart, become the one nearest to their mean.

    Parameters
    ----------
    positions : array (n, 3)
        Nodes [m].
    triangles : array (t, 3) of int
        Counterclockwise seen from outside.
    most : int
        Number of nodes.
    """
    used = np.unique(triangles)
    if len(used) <= most:
        return triangles
    x = positions[used] - positions[used].min(axis=0)
    side = _directions(positions, triangles)[used]
    size = np.sqrt(_area(positions, triangles) / most)
    for _ in range(20):
        keys = np.column_stack([(x / size).astype(int), side])
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.ravel()
        if group.max() < most:
            break
        size *= 1.15
    chosen = np.arange(len(positions))
    chosen[used] = used[_nearest_to_mean(x, group)[group]]
    found = chosen[triangles]
    kept = (found != np.roll(found, 1, axis=1)).all(axis=1)
    return np.unique(_rolled(found[kept]), axis=0)


def _directions(positions: Array, triangles: Whole) -> Whole:
    """Axis that the surface faces at each node: 0 to 2 for +x, +y, +z; 3 to 5 for the opposite."""
    normals = np.stack(
        [
            np.bincount(triangles.ravel(), np.repeat(part, 3), len(positions))
            for part in _vectors(positions, triangles).T
        ],
        axis=1,
    )
    return np.argmax(np.hstack([normals, -normals]), axis=1)


def _vectors(positions: Array, triangles: Whole) -> Array:
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a) / 2


def _area(positions: Array, triangles: Whole) -> float:
    return float(np.linalg.norm(_vectors(positions, triangles), axis=1).sum())


def _nearest_to_mean(x: Array, group: Whole) -> Whole:
    """Number of the point of each group that is nearest to the group's mean."""
    count = np.bincount(group)
    mean = np.stack([np.bincount(group, part) / count for part in x.T], axis=1)
    away = np.linalg.norm(x - mean[group], axis=1)
    order = np.lexsort([away, group])
    return order[np.searchsorted(group[order], np.arange(len(count)))]


def _rolled(triangles: Whole) -> Whole:
    """The same triangles, each with its lowest node first."""
    first = np.argmin(triangles, axis=1)
    return np.take_along_axis(triangles, (first[:, None] + np.arange(3)) % 3, axis=1)
