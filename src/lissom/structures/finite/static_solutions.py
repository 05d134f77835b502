"""Static solutions of a structure that is held at some of its interfaces.

The coordinates are z = (z_P, z_I): those of a few supports P, the interfaces or a statically
determinate choice, and the others I.  With z_P held the stiffness is positive definite and
factorised once:

  [K_PP K_PI] [z_P]   [B_P^T]          [f_P]
  [K_IP K_II] [z_I] + [B_I^T] lambda = [f_I],     B z = g                                      (1)

Elimination of z_I leaves a small system for (z_P, lambda), whatever is held:

  [S  G^T] [z_P   ]   [f_P - X_P^T f_I]        X_P = K_II^-1 K_IP,  S = K_PP - K_PI X_P
  [G  H  ] [lambda] = [g - X_B^T f_I  ],       X_B = K_II^-1 B_I^T,
                                               G = B_P - X_B^T K_IP,  H = -B_I X_B             (2)

z_I = K_II^-1 f_I - X_P z_P - X_B lambda                                                      (3)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk, dtrsm
from scipy.linalg.lapack import dpotrf

# Order of elimination by nested dissection of the nodes in space.
#
# The nodes are ranked along the longest extent of their box and cut in two.  Nodes of the first
# part that touch the second separate both and are eliminated last.  Node i with rank r_i, whose
# farthest neighbour has rank f_i, is among them for all cuts c with
#
#   r_i < c <= f_i                                                                              (1)
#
# so that one sum counts the separators of all cuts, and the best one near the middle is taken: with
# quadratic elements, one through corners, not one between.  For a solid with n nodes the factor has
# O(n^(4/3)) entries, and fewer than with an order of minimal degree once n is large (George 1973).

_LEAF = 64  # nodes below which a part is not cut
_NEAR = 0.3  # a cut leaves this share of the nodes on either side


def dissection(positions: NDArray[np.float64], graph: Any) -> list[Whole]:
    """Nodes that are eliminated together, in the order of elimination.

    `positions` (n, 3): nodes; only their arrangement counts; `graph` (n, n): nonzero where two
    nodes are coupled, symmetric.
    """
    graph = sp.csr_array(graph)
    n = graph.shape[0]
    graph = sp.csr_array(graph + sp.eye_array(n))  # a node is its own neighbour
    parts, rank, pending = [], np.full(n, -1), [np.arange(n)]
    while pending:  # parts are taken out last part first, so the order is built from its end
        part = pending.pop()
        if len(part) <= _LEAF:
            parts.append(part)
            continue
        axis = int(np.argmax(np.ptp(positions[part], axis=0)))
        ranked = part[np.argsort(positions[part, axis], kind="stable")]
        rank[ranked] = np.arange(len(part))
        far = _farthest(graph, ranked, rank)
        rank[ranked] = -1
        c = _best_cut(far)
        touches = far[:c] >= c
        parts.append(ranked[:c][touches])
        pending += [x for x in (ranked[:c][~touches], ranked[c:]) if len(x)]
    return [part for part in parts[::-1] if len(part)]


def _farthest(graph: Any, nodes: Whole, rank: Whole) -> Whole:
    """Highest rank among the neighbours of each of some nodes."""
    starts = graph.indptr[nodes]
    lengths = graph.indptr[nodes + 1] - starts
    first = np.cumsum(lengths) - lengths
    entries = np.arange(lengths.sum()) + np.repeat(starts - first, lengths)
    return np.asarray(np.maximum.reduceat(rank[graph.indices[entries]], first))


def _best_cut(far: Whole) -> int:
    """Cut near the middle with few separators by (1)."""
    n = len(far)
    ranks = np.arange(n)
    change = np.bincount(ranks + 1, minlength=n + 2) - np.bincount(far + 1, minlength=n + 2)
    low, high = int(_NEAR * n), int((1 - _NEAR) * n) + 1
    cuts = np.arange(low, high)
    off = 2 * cuts / n - 1
    return int(cuts[np.argmin(np.cumsum(change)[low:high] * (1 + off**2))])


# Cholesky factorisation of a sparse matrix by fronts.
#
# The unknowns are eliminated part by part, in the order of a nested dissection.  Part p gathers its
# columns and what earlier parts left for it in one dense matrix, its front:
#
#   F = [F_11  . ]    F_11 = L_11 L_11^T,   L_21 = F_21 L_11^-T,   U = F_22 - L_21 L_21^T       (1)
#       [F_21 F_22]
#
# U goes to the part in which the first of its unknowns is eliminated.  All work is in dense
# matrices, so that it runs at the speed of LAPACK; a general sparse solver took five times as long
# for solids.
# Source: Duff & Reid, "The multifrontal solution of indefinite sparse symmetric linear
# equations", ACM Transactions on Mathematical Software 9, 1983.

Whole = NDArray[np.intp]


class NotPositiveError(Exception):
    """A pivot is not positive."""

    def __init__(self, unknown: int, pivot: float) -> None:
        super().__init__()
        self.unknown, self.pivot = unknown, pivot


class Fronts:
    """Cholesky factor of a sparse symmetric positive definite matrix.

    `K` (n, n): the matrix.
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
        solution = np.empty_like(x)
        solution[self.order] = x
        return solution

    def _eliminate(self, p: int, columns: Any, left: dict[int, list[tuple[Whole, Array]]]) -> None:
        """Step (1) for part p."""
        a, b = self._ends[p : p + 2]
        updates = left.pop(p, [])
        begin, end = columns.indptr[a], columns.indptr[b]
        row, value = columns.indices[begin:end], columns.data[begin:end]
        column = np.repeat(np.arange(b - a), np.diff(columns.indptr[a : b + 1]))
        below = row >= a + column  # the lower triangle says all
        row, column, value = row[below], column[below], value[below]
        beyond = np.concatenate([row, *(rows for rows, _ in updates)])
        rest = np.unique(beyond[beyond >= b]).astype(np.intp)
        rows = np.concatenate([np.arange(a, b), rest])
        F = np.zeros((len(rows), len(rows)), order="F")
        F[np.searchsorted(rows, row), column] = value
        for update_rows, U in updates:
            at = np.searchsorted(rows, update_rows)
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


Array = NDArray[np.float64]
Solution = Callable[..., Array]

_SMALL = 600  # unknowns below which the order does not matter
_STRETCHED = 1e9  # condition of (2), scaled, above which its softest motion is looked at
_STRAINLESS = 1e-15  # energy of a motion over the sum of the sizes of what it is made of
_NEGATIVE = 1e-10  # pivots below this share of the diagonal are not zero by rounding


class SingularStiffnessError(Exception):
    """The held structure moves without strain, or its stiffness is not positive."""

    def __init__(self, coordinate: int, negative: bool = False) -> None:
        super().__init__()
        self.coordinate, self.negative = coordinate, negative


class Held:
    """Factorised structure, of which any interfaces can be held.

    `K` (n, n): stiffness in the coordinates z; `B` (k, n): rows that may be held; `positions` (n,
    3): places of the coordinates, for the order of elimination.
    """

    def __init__(self, K: Any, B: Any, support: NDArray[np.intp], positions: Array) -> None:
        n = K.shape[0]
        self.K, self.support = K, support
        self.rest = np.setdiff1d(np.arange(n), support)
        rows = K[self.rest]
        self._factor = SparseFactor(
            sp.csc_array(rows[:, self.rest]), positions[self.rest], self.rest
        )
        K_IP = rows[:, support].toarray()
        B_P, B_I = B[:, support].toarray(), B[:, self.rest].toarray()
        self.X_P, self.X_B = self._factor.solve(K_IP), self._factor.solve(B_I.T)
        self.S = K[support][:, support].toarray() - K_IP.T @ self.X_P
        self.G = B_P - self.X_B.T @ K_IP
        self.H = -B_I @ self.X_B

    def solution(self, held: NDArray[np.intp]) -> Solution:
        """Function of loads f (n, k) and motions g (len(held), k) that returns z (n, k) of (1)."""
        S, G, H = (self.S + self.S.T) / 2, self.G[held], self.H[np.ix_(held, held)]
        border = np.block([[S, G.T], [G, (H + H.T) / 2]])
        scale = _scales(border)
        border = border * np.outer(scale, scale)
        if len(border) and np.linalg.cond(border) > _STRETCHED:
            self._check_moving(np.linalg.svd(border)[2][-1] * scale, held)
        factor = la.lu_factor(border) if len(border) else None

        def solve(f: Array, g: Array | None = None) -> Array:
            f_I = self._factor.solve(f[self.rest])
            held_motions = np.zeros((len(held), f.shape[1])) if g is None else g
            right = np.vstack(
                [
                    f[self.support] - self.X_P.T @ f[self.rest],
                    held_motions - self.X_B[:, held].T @ f[self.rest],
                ]
            )
            z = np.zeros_like(f)
            if factor is not None:
                y = scale[:, None] * la.lu_solve(factor, scale[:, None] * right)
                z[self.support], reaction = y[: len(self.support)], y[len(self.support) :]
                f_I = f_I - self.X_P @ z[self.support] - self.X_B[:, held] @ reaction
            z[self.rest] = f_I
            return z

        return solve

    def _check_moving(self, softest: Array, held: NDArray[np.intp]) -> None:
        """Raise if the softest motion of (2) has no strain: its energy is that of rounding."""
        moved, reaction = np.split(softest, [len(self.support)])
        z = np.zeros(self.K.shape[0])
        z[self.support] = moved
        z[self.rest] = -self.X_P @ moved - self.X_B[:, held] @ reaction
        energy, size = z @ (self.K @ z), np.abs(z) @ (abs(self.K) @ np.abs(z))
        if not energy > _STRAINLESS * size:
            stiffness = np.abs(z) * np.sqrt(np.abs(self.K.diagonal()))
            raise SingularStiffnessError(int(np.argmax(stiffness)))


class SparseFactor:
    """Factorisation of a sparse symmetric positive definite matrix.

    `K` (n, n): the matrix; `positions` (n, 3): places of the unknowns; those at one place are
    eliminated together; `names` (n,): numbers of the unknowns, for errors.
    """

    def __init__(self, K: Any, positions: Array, names: NDArray[np.intp]) -> None:
        parts = _parts(K, positions)
        try:
            self._fronts = Fronts(K, parts)
        except NotPositiveError as error:
            negative = error.pivot < -_NEGATIVE
            at = error.unknown if negative else _softest(K, parts)
            raise SingularStiffnessError(int(names[at]), negative) from None
        if K.shape[0]:
            self._check(K, names)

    def solve(self, right: Array) -> Array:
        """Solution for right-hand sides (n, k)."""
        return self._fronts.solve(right)

    def _check(self, K: Any, names: NDArray[np.intp]) -> None:
        """Raise if the matrix is singular or not positive definite, as far as can be seen."""
        diagonal = K.diagonal()
        x = self.solve(
            np.random.default_rng(1).standard_normal((K.shape[0], 2)) * diagonal[:, None]
        )
        x /= np.sqrt(np.sum(diagonal[:, None] * x * x, axis=0))
        energy = np.sum(x * (K @ x), axis=0)
        worst = int(np.argmin(energy))
        moving = int(np.argmax(np.abs(x[:, worst]) * np.sqrt(diagonal)))
        if not energy[worst] > 1e-14:
            raise SingularStiffnessError(int(names[moving]), bool(energy[worst] < -1e-10))


def _softest(K: Any, parts: list[NDArray[np.intp]]) -> int:
    """Unknown of a singular matrix that moves most in its null vector (roughly)."""
    diagonal = np.abs(K.diagonal())
    try:
        shifted = Fronts(sp.csc_array(K + sp.diags_array(1e-10 * diagonal + 1e-300)), parts)
    except NotPositiveError as error:
        return error.unknown
    x = shifted.solve((np.random.default_rng(1).standard_normal(len(diagonal)) * diagonal)[:, None])
    return int(np.argmax(np.abs(x[:, 0]) * np.sqrt(diagonal)))


def _parts(K: Any, positions: Array) -> list[NDArray[np.intp]]:
    """Order of elimination: nested dissection of the places of the unknowns."""
    n = K.shape[0]
    if n <= _SMALL:
        return [np.arange(n)] if n else []
    places, group = np.unique(positions, axis=0, return_inverse=True)
    group = group.ravel()
    member = sp.csr_array((np.ones(n), (np.arange(n), group)))
    pattern = sp.csr_array(K, copy=True)
    pattern.data[:] = 1.0
    unknowns = np.split(np.argsort(group, kind="stable"), np.cumsum(np.bincount(group))[:-1])
    parts = dissection(places, member.T @ pattern @ member)
    return [np.concatenate([unknowns[place] for place in part]) for part in parts]


def _scales(border: Array) -> Array:
    """Scales that bring the rows of a symmetric matrix to size 1."""
    scale = np.ones(len(border))
    for _ in range(5):
        size = np.abs(border * np.outer(scale, scale)).max(axis=1, initial=1e-300)
        scale = scale / np.sqrt(np.maximum(size, 1e-300))
    return scale
