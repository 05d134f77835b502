"""Rank of matrices of nodes."""

from __future__ import annotations

import numpy as np

from ..spatial.scalar import as_numbers, is_numeric
from .graph import PRIME

Array = np.ndarray

# Relative size of a column of floats that counts as rounding.
_ROUNDING = 1e-9


def generic_rank(values: Array) -> int:
    """Rank of a matrix of nodes for almost all values of its symbols; numbers may be rounded."""
    numbers = as_numbers(values)
    if is_numeric(numbers):
        size = np.linalg.norm(numbers, axis=0)
        size[size == 0] = 1.0
        return int(np.linalg.matrix_rank(numbers / size, tol=_ROUNDING))
    return _rank_at_the_point([[x.residue for x in row] for row in values])


def _rank_at_the_point(rows: list[list[int]]) -> int:
    """Rank in the finite field, by elimination."""
    rank = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows[rank:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        inverse = pow(pivot[column], -1, PRIME)
        for i in range(rank, len(rows)):
            factor = rows[i][column] * inverse
            rows[i] = [(x - factor * y) % PRIME for x, y in zip(rows[i], pivot, strict=True)]
        rows.insert(rank, pivot)
        rank += 1
    return rank


def independent_rows(values: Array) -> list[int]:
    """Rows of a matrix of numbers that do not depend on those before them."""
    independent: list[int] = []
    basis = np.zeros((0, values.shape[1]))
    for k, row in enumerate(values):
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        if np.linalg.norm(rest) > _ROUNDING * max(float(np.linalg.norm(row)), 1.0):
            independent.append(k)
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return independent
