"""Normalisation of a modal basis, reproducible on every machine.

Given shapes become x = transform @ modal coordinates with M_ff = I and K diagonal.  A solver
returns arbitrary signs and arbitrary combinations of shapes that share a frequency; here equal
frequencies keep the combination nearest the given shapes, and the largest entry of each column
of the transform is positive, so that saved states keep their meaning.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..errors import ModelError, name_list

Array = np.ndarray

_EQUAL = 1e-10  # relative gap below which two frequencies count as equal
_NORMALISED = 1e-12  # deviation below which a given basis counts as already normalised


def normal_basis(M_ff: Array, K: Array) -> tuple[Array, Array]:
    """Transform (m, m) and squared angular frequencies (m,) of K x = lambda M_ff x.

    `M_ff` (m, m): modal mass matrix, positive definite; `K` (m, m): modal stiffness, symmetric
    positive semidefinite.
    """
    m = len(K)
    off_diagonal = np.abs(K - np.diag(np.diag(K))).max(initial=0.0)
    if np.abs(M_ff - np.eye(m)).max(
        initial=0.0
    ) <= _NORMALISED and off_diagonal <= _NORMALISED * np.abs(K).max(initial=0.0):
        return np.eye(m), np.diag(K).clip(min=0.0).copy()
    L = np.linalg.cholesky(M_ff)
    U, omega, _ = np.linalg.svd(np.linalg.solve(L, _square_root(K)))
    order = np.argsort(omega, kind="stable")
    omega, x = omega[order], np.linalg.solve(L.T, U[:, order])
    for group in _equal_runs(omega):
        x[:, group] = _nearest_to_shapes(x[:, group], M_ff)
    x = x * _signs(x)
    stiffness = np.einsum("ia,ij,ja->a", x, K, x) if len(_equal_runs(omega)) < m else omega**2
    return x, stiffness.clip(min=0.0)


def _square_root(K: Array) -> Array:
    """Matrix C with C C^T = K; exact for a diagonal K, which keeps low frequencies accurate."""
    if not np.any(K - np.diag(np.diag(K))):
        return np.diag(np.sqrt(np.diag(K).clip(min=0.0)))
    try:
        return np.linalg.cholesky(K)
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(K)
        return vectors * np.sqrt(values.clip(min=0.0))


def _equal_runs(omega: Array) -> list[slice]:
    """Slices of equal entries of the ascending frequencies."""
    gaps = np.diff(omega) > _EQUAL * np.maximum(omega[1:], 1e-4 * omega.max(initial=0.0))
    edges = [0, *(np.flatnonzero(gaps) + 1), len(omega)]
    return [slice(a, b) for a, b in pairwise(edges)]


def _nearest_to_shapes(x: Array, M_ff: Array) -> Array:
    """Orthonormal basis of span(x) nearest the given shapes that lie most in it."""
    k = x.shape[1]
    if k == 1:
        return x
    B = x.T @ M_ff / np.sqrt(np.diag(M_ff))  # column j: given shape j, its part in the span
    pivots: list[int] = []
    rest = B.copy()
    for _ in range(k):
        sizes = np.linalg.norm(rest, axis=0)
        pivot = int(np.argmax(sizes > (1 - 1e-6) * sizes.max()))  # the first of equals
        pivots.append(pivot)
        direction = rest[:, pivot] / sizes[pivot]
        rest = rest - np.outer(direction, direction @ rest)
    U, _, Vt = np.linalg.svd(B[:, sorted(pivots)])
    return x @ (U @ Vt)


def _signs(x: Array) -> Array:
    sizes = np.abs(x)
    largest = np.argmax(sizes > (1 - 1e-6) * sizes.max(axis=0), axis=0)
    return np.where(x[largest, np.arange(x.shape[1])] < 0, -1.0, 1.0)


def check_independent(M_ff: Array, raw_size: Array) -> None:
    """Reject modes that move no mass, are rigid-body motions or are linearly dependent.

    `M_ff` (m, m): modal mass matrix relative to the inboard node; `raw_size` (m,): modal mass of
    each shape as given, before its rigid-body part was removed.
    """
    modal_masses = np.diag(M_ff)
    for mode, (size, raw) in enumerate(zip(modal_masses, raw_size, strict=True)):
        if raw <= 0:
            raise ModelError(
                f"FlexibleBody: mode {mode} moves no mass; remove it or give its nodes mass"
            )
        if size <= 1e-16 * raw:
            raise ModelError(
                f"FlexibleBody: mode {mode} is a rigid-body motion of the whole body; rigid-body "
                "motion belongs to the joint, remove the mode"
            )
    scaled = M_ff / np.sqrt(np.outer(modal_masses, modal_masses))
    values, vectors = np.linalg.eigh(scaled)
    if len(values) and values[0] < 1e-12:
        involved = np.flatnonzero(np.abs(vectors[:, 0]) > 0.05)
        names = name_list(involved, show=str)
        raise ModelError(
            f"FlexibleBody: modes {names} are linearly dependent (up to a rigid-body motion); "
            "remove one of them"
        )


def check_stiffness(K: Array) -> None:
    """Reject a stiffness that is not symmetric or has negative eigenvalues."""
    size = np.abs(K).max(initial=0.0)
    if np.abs(K - K.T).max(initial=0.0) > 1e-9 * size:
        raise ModelError("FlexibleBody: stiffness is not symmetric")
    values, vectors = np.linalg.eigh((K + K.T) / 2)
    if len(values) and values[0] < -1e-10 * size:
        mode = int(np.argmax(np.abs(vectors[:, 0])))
        raise ModelError(
            f"FlexibleBody: stiffness is indefinite: a deformation that is mostly mode {mode} has "
            f"the stiffness {values[0]:.3g}; all eigenvalues must be positive or zero"
        )
