"""Sticks between the nodes of a structure, where nothing else is known of its appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

from .structure import Profile

Array = NDArray[np.float64]

_MOST_STICKS, _MOST_NODES = 300, 150
_THICKNESS = 0.004  # of the size of the structure


def sticks(
    positions: Array, freedoms: NDArray[np.intp], stiffness: Any
) -> tuple[tuple[Profile, NDArray[np.intp]], ...]:
    """Sticks between coupled nodes, as `Structure.lines`; if there are many, some of them."""
    n, N = len(positions), len(freedoms)
    member = sp.csr_array((np.ones(N), (np.arange(N), freedoms[:, 0])), (N, n))
    pattern = sp.csr_array(stiffness, copy=True)
    pattern.data = (pattern.data != 0).astype(float)
    coupled = sp.triu(member.T @ pattern @ member, k=1).tocoo()
    pairs = np.column_stack([coupled.row, coupled.col])
    if len(pairs) > _MOST_STICKS:
        pairs = _skeleton(positions, np.unique(freedoms[:, 0]))
    apart = np.linalg.norm(positions[pairs[:, 0]] - positions[pairs[:, 1]], axis=1) > 0
    size = float(np.linalg.norm(np.ptp(positions, axis=0)))
    return tuple(
        (stick(positions[a], positions[b], size), np.array([a, b])) for a, b in pairs[apart]
    )


def stick(first: Array, second: Array, size: float) -> Profile:
    """Thin section of a stick from one point to another; `size` is that of the structure [m]."""
    corners = _THICKNESS * size / 2 * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
    return Profile(corners, _axes(second - first))


def _axes(along: Array) -> Array:
    """Axes with x along a stick."""
    x = along / np.linalg.norm(along)
    y = np.cross(np.eye(3)[np.argmin(np.abs(x))], x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


def _skeleton(positions: Array, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Shortest tree between some of the nodes, evenly taken."""
    every = np.linspace(0, len(nodes) - 1, min(len(nodes), _MOST_NODES)).astype(int)
    sample = nodes[np.unique(every)]
    tree = minimum_spanning_tree(cdist(positions[sample], positions[sample])).tocoo()
    return np.column_stack([sample[tree.row], sample[tree.col]])
