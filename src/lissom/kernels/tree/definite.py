"""Whether the modes of a body that carries others have a positive definite mass.

At level "stiffened" the mass matrix is truncated, and may become indefinite at large deflections.
Hinges notice it by their own inertia; the modes of a body with children of articulated inertia
Gamma need, with S = L L^T,
  I + L^T Gamma L  positive definite                                              (1)
which is the case wherever Gamma is, so that (1) is formed only where Gamma is not.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..dense import factor_spd
from ..fields import POSITIVE
from ..records import stack_record
from .compliance import place_nodes
from .one_node import children_rows

# Pivots of semidefinite matrices within this fraction of the diagonal count as zero.
ZERO_PIVOT = 1e-9


@jit
def modes_definite(ints, scratch, row):
    """Whether (1) holds; before `pass_one_node` or `pass_nodes`, whose workspace it uses."""
    t, nodes = ints[row + field.STACK] & POSITIVE, ints[row + field.NODES] & POSITIVE
    n_node = ints[row + field.N_NODE]
    stack, n = stack_record(t, n_node), 6 * n_node
    definite = True
    for s in range(n_node):
        _put_gamma(scratch, nodes + s * field.NODE_RECORD, stack.work, 0, 6)
        definite = definite and semi_factor(scratch, stack.work, 6)
    if definite:
        return True
    place_nodes(scratch, t, ints[row + field.COMPLIANCE] & POSITIVE, nodes, n_node)
    for k in range(n * n):
        scratch[stack.work + k] = scratch[stack.compliance + k]
        scratch[stack.passing + k] = 0.0
    semi_factor(scratch, stack.work, n)  # L
    for s in range(n_node):
        _put_gamma(scratch, nodes + s * field.NODE_RECORD, stack.passing, 6 * s, n)
    for r in range(n):  # Gamma L, in the place of Gamma
        for c in range(n):
            e = 0.0
            for k in range(c, n):
                e += scratch[stack.passing + r * n + k] * scratch[stack.work + k * n + c]
            scratch[stack.passing + r * n + c] = e
    for c in range(n):  # I + L^T (Gamma L); a column of Gamma L serves rows from c on
        for r in range(n):
            e = 1.0 if r == c else 0.0
            for k in range(r, n):
                e += scratch[stack.work + k * n + r] * scratch[stack.passing + k * n + c]
            scratch[stack.passing + r * n + c] = e
    return factor_spd(scratch, stack.passing, n, 0.0) < 0


@jit
def _put_gamma(scratch, d, o, first, n):
    """Write the articulated inertia of the children at node d as a block of the n x n matrix."""
    rows = children_rows(scratch, d)
    for r in range(6):
        for c in range(6):
            scratch[o + (first + r) * n + first + c] = rows[r][c]


@jit
def semi_factor(x, o, n):
    """Replace the lower triangle of a semidefinite n x n matrix by L, A = L L^T.

    Returns whether it is semidefinite.
    """
    for c in range(n):
        d = x[o + c * n + c]
        size = d
        for k in range(c):
            d -= x[o + c * n + k] * x[o + c * n + k]
        if d < -ZERO_PIVOT * abs(size):
            return False
        root = d**0.5 if d > ZERO_PIVOT * size else 0.0
        x[o + c * n + c] = root
        for r in range(c + 1, n):
            e = x[o + r * n + c]
            for k in range(c):
                e -= x[o + r * n + k] * x[o + c * n + k]
            x[o + r * n + c] = e / root if root > 0.0 else 0.0
    return True
