"""Sparse matrices of structures from their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Array = NDArray[np.float64]


def equal_freedoms(n: int, directions: Sequence[int]) -> NDArray[np.intp]:
    """Freedoms of n nodes that have the same directions: node and direction, node by node."""
    return np.column_stack([np.repeat(np.arange(n), len(directions)), np.tile(directions, n)])


def summed(rows: Sequence[Any], blocks: Sequence[Array], size: int) -> Any:
    """Sum of the elements' symmetric matrices, a sparse array (size, size).

    `rows` (k,): freedoms of each element; `blocks` (k, k): matrix of each element.
    """
    i = np.concatenate([np.repeat(r, len(r)) for r in rows])
    j = np.concatenate([np.tile(r, len(r)) for r in rows])
    matrix = sparse.coo_array((np.concatenate([b.ravel() for b in blocks]), (i, j)), (size, size))
    matrix = matrix.tocsc()
    return (matrix + matrix.T) / 2


def stacked(columns: Sequence[Any], blocks: Sequence[Array], size: int) -> Any:
    """Rows of all elements, one below the other, a sparse array (sum of their rows, size).

    `columns` (k,): freedoms of each element; `blocks` (r, k): its rows.
    """
    starts = np.cumsum([0, *(len(b) for b in blocks)])
    i = [np.repeat(s + np.arange(len(b)), b.shape[1]) for s, b in zip(starts, blocks, strict=False)]
    j = [np.tile(c, len(b)) for c, b in zip(columns, blocks, strict=True)]
    values = np.concatenate([b.ravel() for b in blocks])
    shape = (int(starts[-1]), size)
    return sparse.coo_array((values, (np.concatenate(i), np.concatenate(j))), shape).tocsr()


def mass_matrix(masses: Array, motion: Any) -> Any:
    """Consistent mass matrix of particles, a sparse array.

    `masses` (k,): [kg]; `motion` (3 k, N): their displacements per unit of each freedom.
    """
    weighted = motion.multiply(np.repeat(masses, 3)[:, None]).tocsc()
    matrix = (motion.T @ weighted).tocsc()
    return (matrix + matrix.T) / 2
