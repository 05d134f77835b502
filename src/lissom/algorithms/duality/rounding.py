"""When a matrix that should be positive definite is no more than noise.

A Riccati recursion subtracts: where a control (a hinge) takes away all of the weight (inertia) in
a direction, round-off is left over, and a later control in that direction must be refused rather
than solved.  A first-order bound of the round-off travels with the recursion:

  error of S  <=  eps E,     E_parent = sum Gamma^T E Gamma + diagonal of the terms added      (1)
  error of R  <=  eps (B^T E B + diagonal of the terms added)                                  (2)

Gamma = A - B K is the closed loop, in which errors of the gain K are of second order.  Every step
has the units of S and R, so the verdict does not depend on the choice of units.
"""

from __future__ import annotations

import numpy as np

from ...errors import SingularError

Array = np.ndarray

# Units in the last place that a sum of products may be off.
_NOISE = 4 * np.finfo(float).eps


def diagonal_bound(gross: Array) -> Array:
    """Diagonal matrix above any symmetric matrix whose entries are at most those of `gross`.

    Parameters
    ----------
    gross : array (n, n)
        Sum of the absolute terms, of which entry (i, j) is at most about the geometric mean of
        (i, i) and (j, j).
    """
    return np.diag(len(gross) * np.diag(gross))


def check_definite(matrix: Array, rounding: Array, message: str, body: str = "") -> None:
    """Raise unless a symmetric matrix is positive definite by more than its round-off.

    Parameters
    ----------
    matrix : array (m, m)
        What must be positive definite.
    rounding : array (m, m)
        Bound of its error in units of the machine precision (2).
    message : str
        What the error says.
    body : str
        Name of the body or node at fault.
    """
    if np.all(np.isfinite(matrix)):
        try:
            np.linalg.cholesky(matrix - _NOISE * rounding)
            return
        except np.linalg.LinAlgError:
            pass
    raise SingularError(message, body=body)
