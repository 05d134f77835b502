"""Detection of matrices that are positive definite only by rounding.

A Riccati recursion subtracts: if a control (a hinge) removes all of the weight (inertia) in a
direction, only rounding errors remain, and a later control in that direction must be rejected
rather than solved.  A first-order bound of the rounding error is propagated with the recursion:

  error of S  <=  eps E,     E_parent = sum Gamma^T E Gamma + diagonal of the terms added      (1)
  error of R  <=  eps (B^T E B + diagonal of the terms added)                                  (2)

Gamma = A - B K is the closed loop, in which errors of the gain K are of second order.  All terms
have the units of S and R, so that the result does not depend on the choice of units.
"""

from __future__ import annotations

import numpy as np

from ...algorithms.loops.closed_loops import least_norm
from ...errors import SingularError

Array = np.ndarray

# Error of a sum of products, in units in the last place.
_NOISE = 4 * np.finfo(float).eps


def diagonal_bound(gross: Array) -> Array:
    """Diagonal upper bound of all symmetric matrices whose entries are at most those of `gross`.

    `gross` (n, n): sum of the absolute terms, of which entry (i, j) is at most about the geometric
    mean of (i, i) and (j, j).
    """
    return np.diag(len(gross) * np.diag(gross))


def check_definite(matrix: Array, rounding: Array, message: str, body: str = "") -> None:
    """Raise unless a symmetric matrix is positive definite by more than its rounding error.

    `matrix` (m, m): matrix to check; `rounding` (m, m): bound of its error in units of the machine
    precision (2).
    """
    if np.all(np.isfinite(matrix)):
        try:
            np.linalg.cholesky(matrix - _NOISE * rounding)
            return
        except np.linalg.LinAlgError:
            pass
    raise SingularError(message, body=body)


def least_multipliers(compliance: Array, right: Array) -> Array:
    """Solution of least norm of Lambda mu = right; rows that depend on others are left out.

    So are rows with less than 1e-12 of the largest compliance, which may be rounding.

    `compliance` (n, n): lambda, positive semidefinite; `right` (n,): right-hand side.
    """
    size = np.diag(compliance).max(initial=np.finfo(float).tiny)
    return least_norm(compliance, right, np.full(len(right), size))[0]
