"""Modes followed along a sweep by the modal assurance criterion.

  MAC_ab = |phi_a^H M phi_b|^2 / ((phi_a^H M phi_a) (phi_b^H M phi_b))                          (1)
is 1 for equal shapes and 0 for orthogonal ones.  Between two values of the parameter modes are
paired so that the sum of
  1 - MAC_ab + w |lambda_b - lambda_a'| / (|lambda_b| + |lambda_a'|)                            (2)
is least, lambda_a' being the eigenvalue expected from the two values before.  A mode and its
conjugate are the same: whichever is nearer is taken, so that a frequency may pass through zero.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

Array = np.ndarray

WEIGHT = 0.5  # w of (2)


def mac(a: Array, b: Array, M: Array) -> Array:
    """Modal assurance criterion (1) of all pairs, (k_a, k_b).

    `a`, `b` (n, k_a), (n, k_b): shapes; `M` (n, n): mass matrix.
    """
    pushed = M @ b
    cross = np.abs(a.conj().T @ pushed) ** 2
    size_a = np.sum(a.conj() * (M @ a), axis=0).real
    size_b = np.sum(b.conj() * pushed, axis=0).real
    sizes = np.outer(size_a, size_b)
    return cross / np.where(sizes > 0, sizes, 1.0)


def paired(
    expected: Array, shapes: Array, values: Array, candidates: Array, M: Array
) -> tuple[Array, Array, Array]:
    """Candidates that continue given modes: their numbers, whether conjugate, and the MAC.

    `expected`, `shapes` (k,), (n, k): expected eigenvalues and last shapes of the modes that are
    followed; `values`, `candidates` (m,), (n, m): eigenvalues and shapes of the candidates, m >= k;
    `M` (n, n): mass matrix of the candidates.
    """
    options = [(values, candidates), (values.conj(), candidates.conj())]
    costs, criteria = [], []
    for value, candidate in options:
        likeness = mac(shapes, candidate, M)
        apart = np.abs(value - expected[:, None])
        size = np.abs(value) + np.abs(expected)[:, None]
        criteria.append(likeness)
        costs.append(1 - likeness + WEIGHT * apart / np.where(size > 0, size, 1.0))
    conjugate = costs[1] < costs[0] - 1e-9
    _, which = linear_sum_assignment(np.where(conjugate, costs[1], costs[0]))
    rows = np.arange(len(which))
    flipped = conjugate[rows, which]
    return which, flipped, np.where(flipped, criteria[1][rows, which], criteria[0][rows, which])
