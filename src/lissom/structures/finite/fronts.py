"""Cholesky factorisation of a sparse matrix by fronts.

The unknowns are eliminated part by part, in the order of a nested dissection.  Part p gathers its
columns and what earlier parts left for it in one dense matrix, its front:

  F = [F_11  . ]    F_11 = L_11 L_11^T,   L_21 = F_21 L_11^-T,   U = F_22 - L_21 L_21^T       (1)
      [F_21 F_22]

U goes to the part in which the first of its unknowns is eliminated.  All work is in dense matrices,
so that it runs at the speed of LAPACK; a general sparse solver took five times as long for solids.
Source: Duff & Reid, "The multifrontal solution of indefinite sparse symmetric linear equations",
ACM Transactions on Mathematical Software 9, 1983.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk, dtrsm
from scipy.linalg.lapack import dpotrf

Array = NDArray[np.float64]
Whole = NDArray[np.intp]


class NotPositiveError(Exception):
    """A pivot is not positive.

    Parameters
    ----------
    unknown : int
        Unknown that is eliminated there.
    pivot : float
        Its value over that of the diagonal of the matrix.
    """

    def __init__(self, unknown: int, pivot: float) -> None:
        super().__init__()
        self.unknown, self.pivot = unknown, pivot


class Fronts:
    """Cholesky factor of a sparse symmetric positive definite matrix.

    Parameters
    ----------
    K : sparse array (n, n)
        The matrix.
    parts : sequence of array of int
        Unknowns that are eliminated together, in the order of elimination.

    Raises
    ------
    NotPositiveError
        If a pivot is zero or negative.
    """

    def __init__(self, K: Any, parts: Sequence[Whole]) -> None:
        self.order = np.concatenate([np.zeros(0, dtype=np.intp), *parts])
        self._ends = np.cumsum([0, *map(len, parts)])
        columns = sp.csc_array(sp.csr_array(K)[self.order][:, self.order])
        columns.sort_indices()
        self._steps: list[tuple[Array, Array, Whole]] = []
        left: dict[int, list[tuple[Whole, Array]]] = {}
        for p in range(len(parts)):
            self._eliminate(p, columns, left)

    def solve(self, right: Array) -> Array:
        """Solution for right-hand sides (n, k)."""
        x = np.array(right[self.order], dtype=float)
        spans = list(zip(self._ends[:-1], self._ends[1:], strict=True))
        for (a, b), (L, M, rest) in zip(spans, self._steps, strict=True):
            x[a:b] = dtrsm(1.0, L, x[a:b], lower=1)
            x[rest] -= M @ x[a:b]
        for (a, b), (L, M, rest) in zip(spans[::-1], self._steps[::-1], strict=True):
            x[a:b] = dtrsm(1.0, L, x[a:b] - M.T @ x[rest], lower=1, trans_a=1)
        found = np.empty_like(x)
        found[self.order] = x
        return found

    def _eliminate(self, p: int, columns: Any, left: dict[int, list[tuple[Whole, Array]]]) -> None:
        """Step (1) for part p."""
        a, b = self._ends[p : p + 2]
        given = left.pop(p, [])
        begin, end = columns.indptr[a], columns.indptr[b]
        row, value = columns.indices[begin:end], columns.data[begin:end]
        column = np.repeat(np.arange(b - a), np.diff(columns.indptr[a : b + 1]))
        below = row >= a + column  # the lower triangle says all
        row, column, value = row[below], column[below], value[below]
        beyond = np.concatenate([row, *(rows for rows, _ in given)])
        rest = np.unique(beyond[beyond >= b]).astype(np.intp)
        rows = np.concatenate([np.arange(a, b), rest])
        F = np.zeros((len(rows), len(rows)), order="F")
        F[np.searchsorted(rows, row), column] = value
        for own, U in given:
            at = np.searchsorted(rows, own)
            F[np.ix_(at, at)] += U
        n = b - a
        L, info = dpotrf(F[:n, :n], lower=1, clean=1)
        if info:
            unknown = a + info - 1
            scale = abs(columns[[unknown], [unknown]][0]) or 1.0
            raise NotPositiveError(int(self.order[unknown]), float(L[info - 1, info - 1] / scale))
        M = dtrsm(1.0, L, F[n:, :n], side=1, lower=1, trans_a=1)
        self._steps.append((L, M, rest))
        if len(rest):
            U = dsyrk(-1.0, M, 1.0, np.asfortranarray(F[n:, n:]), lower=1, overwrite_c=1)
            parent = int(np.searchsorted(self._ends, rest[0], side="right")) - 1
            left.setdefault(parent, []).append((rest, U))
