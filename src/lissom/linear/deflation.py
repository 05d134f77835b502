"""Null spaces and clean zero eigenvalues of matrices whose entries differ by orders of magnitude.

A matrix is equilibrated before its singular values decide what is zero:
  A_hat = R A S,  rows and columns of largest entry 1;  null(A) = S null(A_hat)                (1)
A zero eigenvalue is often defective: a body that floats has as many chains x1 -> x0 -> 0 as free
motions, and rounding would scatter them over a circle.  With T orthogonal, its first columns the
null space of A, and the same again for what remains,
  T^T A T = [[N, X], [0, A_r]],  N nilpotent                                                  (2)
Eigenvalues of A_r are those of A that are not zero; to an eigenvector y of A_r belongs T [x; y],
  (N - lambda I) x = -X y                                                                     (3)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import matrix_balance

Array = np.ndarray

SCALINGS = 30
EVEN = 1e-3  # difference from 1 of the largest entries of scaled rows and columns
ROUNDING = 1e-13  # relative error of sums of products
SMALL = 1e-12  # component of a unit vector that is none
ZERO = 1e-9  # singular values of the equilibrated matrix below this are zero,
GAP, NOISE = 1e3, 1e-13  # if the next one is so many times larger, or if they are smaller still


class Deflated(NamedTuple):
    """Decomposition (2)."""

    transform: Array  # (n, n) T
    whole: Array  # (n, n) T^T A T
    zeros: int  # number of zero eigenvalues
    null: Array  # (n, k) orthonormal null space of A

    @property
    def rest(self) -> Array:
        """A_r."""
        return self.whole[self.zeros :, self.zeros :]

    def eigenvectors(self, values: Array, vectors: Array) -> Array:
        """Eigenvectors (n, k) of A from those of A_r (3)."""
        if not self.zeros:
            return vectors
        N, X = self.whole[: self.zeros, : self.zeros], self.whole[: self.zeros, self.zeros :]
        above = _solved(N, values, -X @ vectors)
        return self.transform @ np.vstack([above, vectors])


def _solved(N: Array, values: Array, b: Array) -> Array:
    """Solutions of (3), N being zero on and below its diagonal; a column for each eigenvalue.

    Of least norm where an eigenvalue is zero but for rounding.
    """
    x, some = np.zeros(b.shape, dtype=complex), values != 0
    for i in reversed(range(len(N))):
        x[i, some] = (N[i, i + 1 :] @ x[i + 1 :, some] - b[i, some]) / values[some]
    for k in np.flatnonzero(~some):
        x[:, k] = np.linalg.lstsq(N, b[:, k], rcond=None)[0]
    return x


def null_space(A: Array) -> Array:
    """Orthonormal null space (n, k) of a matrix (m, n), by (1).

    `A` (m, n): matrix; entries that are noise must be zero.
    """
    m, n = A.shape
    if not m or not n:
        return np.eye(n)
    rows, columns, sizes = np.ones(m), np.ones(n), np.abs(A)
    for _ in range(SCALINGS):
        scaled = rows[:, None] * sizes * columns
        r, c = scaled.max(axis=1), scaled.max(axis=0)
        r, c = np.where(r > 0, r, 1.0), np.where(c > 0, c, 1.0)
        rows, columns = rows / np.sqrt(r), columns / np.sqrt(c)
        if max(np.abs(r - 1).max(), np.abs(c - 1).max()) < EVEN:
            break
    scaled = rows[:, None] * A * columns
    if _regular(scaled):
        return np.zeros((n, 0))
    _, sigma, Vt = np.linalg.svd(scaled)
    null = Vt[_rank(sigma) :].T
    null[np.abs(null).max(axis=1, initial=0.0) < SMALL] = 0.0  # coordinates that take no part
    basis = columns[:, None] * null
    return np.linalg.qr(basis)[0] if basis.shape[1] else basis


def _rank(sigma: Array) -> int:
    """Number of singular values, in descending order, that are not zero.

    Those of soft motions go on without a gap where a mechanism has many bodies; zeros are apart.
    """
    scale = max(1.0, float(sigma[0]))
    rank = int(np.sum(sigma > ZERO * scale))
    while 0 < rank < len(sigma) and sigma[rank] > max(NOISE * scale, sigma[rank - 1] / GAP):
        rank += 1
    return rank


def _regular(A: Array) -> bool:
    """Whether norms of a square matrix and its inverse show that no singular value is zero.

    The inverse of the smallest one is at most |A^-1|, the largest at most |A|, Frobenius norms.
    """
    if A.shape[0] != A.shape[1]:
        return False
    try:
        inverse = np.linalg.norm(np.linalg.inv(A))
    except np.linalg.LinAlgError:
        return False
    return bool(inverse * ZERO * max(1.0, float(np.linalg.norm(A))) < 1.0)


def deflated(A: Array, levels: list[Array]) -> Deflated:
    """Decomposition (2) of a square matrix from the levels of its chains.

    `A` (n, n): matrix; `levels` (n, k): orthonormal null space of A; then what A takes into it,
    orthogonal to it, and so on.
    """
    n = len(A)
    basis = np.hstack([np.zeros((n, 0)), *levels])
    done = basis.shape[1]
    if not done:
        return Deflated(np.eye(n), A, 0, basis)
    T = np.linalg.qr(basis, mode="complete")[0]
    T[:, :done] = basis
    whole = T.T @ A @ T
    whole[done:, :done] = 0.0
    whole[:done, :done][np.tril_indices(done)] = 0.0  # nilpotent, up to rounding
    return Deflated(T, whole, done, levels[0] if levels else basis)


def evened(A: Array) -> tuple[Array, Array]:
    """Matrix D^-1 A D whose rows and columns are of like size, and D (n,), powers of two.

    Orthogonal transformations mix states: those of stiff bodies must not drown those of soft ones.

    `A` (n, n): matrix.
    """
    if not len(A):
        return A, np.ones(0)
    with np.errstate(invalid="ignore"):  # SciPy makes integers of the factors, for permutations
        even, (D, _) = matrix_balance(A, permute=False, separate=True)
    return even, D


def chain_levels(A: Array) -> list[Array]:
    """Levels of the chains of the eigenvalue zero, found one after the other.

    A takes a new level into the levels L before it, A x = L y, so that (x, y) is in the null space
    of [A, -L].  The matrix itself stays as it is: in other coordinates than its own, soft motions
    would be lost beside stiff ones.

    `A` (n, n): matrix; entries that are noise must be zero.
    """
    n, levels = len(A), list[Array]()
    L = np.zeros((n, 0))
    while L.shape[1] < n:
        x = null_space(np.hstack([A, -L]))[:n]
        n_new = x.shape[1] - L.shape[1]
        if n_new <= 0:
            break
        x = x - L @ (L.T @ x)
        new = np.linalg.svd(x - L @ (L.T @ x), full_matrices=False)[0][:, :n_new]
        new[np.abs(new) < ROUNDING] = 0.0
        levels.append(new)
        L = np.hstack([L, new])
    return levels
