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

Array = np.ndarray

SCALINGS = 30
ROUNDING = 1e-13  # relative error of sums of products
SMALL = 1e-12  # component of a unit vector that is none
ZERO = 1e-9  # singular values of the equilibrated matrix below this are zero


class Deflated(NamedTuple):
    """Decomposition (2).

    Attributes
    ----------
    transform : array (n, n)
        T.
    whole : array (n, n)
        T^T A T.
    zeros : int
        Number of zero eigenvalues.
    null : array (n, k)
        Orthonormal null space of A.
    """

    transform: Array
    whole: Array
    zeros: int
    null: Array

    @property
    def rest(self) -> Array:
        """A_r."""
        return self.whole[self.zeros :, self.zeros :]

    def eigenvectors(self, values: Array, vectors: Array) -> Array:
        """Eigenvectors (n, k) of A from those of A_r (3)."""
        N, X = self.whole[: self.zeros, : self.zeros], self.whole[: self.zeros, self.zeros :]
        eye = np.eye(self.zeros)
        above = [
            _solved(N - value * eye, -X @ y) for value, y in zip(values, vectors.T, strict=True)
        ]
        x = np.array(above, dtype=complex).reshape(len(values), self.zeros).T
        return self.transform @ np.vstack([x, vectors])


def _solved(A: Array, b: Array) -> Array:
    """Solution of (3); of least norm where an eigenvalue is zero but for rounding."""
    try:
        return np.linalg.solve(A, b)
    except np.linalg.LinAlgError:
        return np.linalg.lstsq(A, b, rcond=None)[0]


def null_space(A: Array) -> Array:
    """Orthonormal null space (n, k) of a matrix (m, n), by (1).

    Parameters
    ----------
    A : array (m, n)
        Matrix; entries that are noise must be zero.
    """
    m, n = A.shape
    if not m or not n:
        return np.eye(n)
    rows, columns = np.ones(m), np.ones(n)
    for _ in range(SCALINGS):
        scaled = np.abs(rows[:, None] * A * columns)
        r, c = scaled.max(axis=1), scaled.max(axis=0)
        rows /= np.sqrt(np.where(r > 0, r, 1.0))
        columns /= np.sqrt(np.where(c > 0, c, 1.0))
    _, sigma, Vt = np.linalg.svd(rows[:, None] * A * columns)
    rank = int(np.sum(sigma > ZERO * max(1.0, sigma[0])))
    found = Vt[rank:].T
    found[np.abs(found).max(axis=1, initial=0.0) < SMALL] = 0.0  # coordinates that take no part
    basis = columns[:, None] * found
    return np.linalg.qr(basis)[0] if basis.shape[1] else basis


def deflated(A: Array, levels: list[Array]) -> Deflated:
    """Decomposition (2) of a square matrix from the levels of its chains.

    Parameters
    ----------
    A : array (n, n)
        Matrix.
    levels : list of arrays (n, k)
        Orthonormal null space of A; then what A takes into it, orthogonal to it, and so on.
    """
    n = len(A)
    basis = np.hstack([np.zeros((n, 0)), *levels])
    done = basis.shape[1]
    T = np.linalg.qr(basis, mode="complete")[0] if done else np.eye(n)
    T[:, :done] = basis
    whole = T.T @ A @ T
    whole[done:, :done] = 0.0
    whole[:done, :done][np.tril_indices(done)] = 0.0  # nilpotent, up to rounding
    return Deflated(T, whole, done, levels[0] if levels else basis)


def chain_levels(A: Array) -> list[Array]:
    """Levels of the chains of the eigenvalue zero, found one after the other.

    Parameters
    ----------
    A : array (n, n)
        Matrix; entries that are noise must be zero.
    """
    T, done, levels = np.eye(len(A)), 0, []
    while done < len(A):
        rest = (T.T @ A @ T)[done:, done:]
        noise = np.abs(T.T) @ np.abs(A) @ np.abs(T)
        rest[np.abs(rest) <= ROUNDING * noise[done:, done:]] = 0.0
        basis = null_space(rest)
        if not basis.shape[1]:
            break
        Q = np.linalg.qr(basis, mode="complete")[0]
        Q[np.abs(Q) < ROUNDING] = 0.0
        T[:, done:] = T[:, done:] @ Q
        levels.append(T[:, done : done + basis.shape[1]].copy())
        done += basis.shape[1]
    return levels
