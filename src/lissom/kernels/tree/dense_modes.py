"""Bodies whose modal mass depends on the deformation: lumps, or level "exact".

With M_ff + a_f = L d L^T and the columns of M_rf^T and of Pi^T of each node, six each,
  V = L^-1 [M_rf^T, Pi^T]     [M_rf; Pi] W [M_rf^T, Pi^T] = V^T d^-1 V                    (1)
whose blocks are those of `compliance`, (1) there.
"""

from __future__ import annotations

from ..compiling import jit
from ..dense import factor_spd
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..records import halves_record, modal_record, node_shapes, softened_record
from .rigid import rigid_as_articulated


@jit
def dense_compliance(scratch, body):
    """Factor M_ff + a_f and write M_bar, X and S_0 of one body; return whether that succeeded."""
    m, n_node = body.n_mode, body.n_node
    modal = modal_record(body.modal, m)
    M_ff, armature = modal.mass, modal.weight  # the armature is stored in place of W
    for k in range(m):
        scratch[M_ff + k * m + k] += scratch[armature + k]
    if factor_spd(scratch, M_ff, m, 0.0) >= 0:
        return False
    V, gram = halves_record(M_ff, m, n_node)
    width = 6 + 6 * n_node
    M_rf, shapes = body.M_rf, body.node_shapes
    _put_columns(scratch, M_rf, m, V, width)
    for node in range(n_node):
        _put_columns(scratch, node_shapes(shapes, node, m), m, V + 6 + 6 * node, width)
    _forward(scratch, M_ff, m, V, width)
    _gram(scratch, M_ff, m, V, width, gram)
    _put_blocks(scratch, body, gram, n_node)
    return True


@jit
def _put_columns(scratch, rows, m, out, width):
    """Write six rows of m numbers as columns."""
    rows, m, out, width = rows & POSITIVE, m & POSITIVE, out & POSITIVE, width & POSITIVE
    for a in range(m):
        for k in range(6):
            scratch[out + a * width + k] = scratch[rows + k * m + a]


@jit
def _forward(scratch, L, m, V, width):
    """Replace the m rows of V by those of L^-1 V."""
    L, m, V, width = L & POSITIVE, m & POSITIVE, V & POSITIVE, width & POSITIVE
    for a in range(m):
        row = (V + a * width) & POSITIVE
        for b in range(a):
            e, other = scratch[L + a * m + b], (V + b * width) & POSITIVE
            for k in range(width):
                scratch[row + k] -= e * scratch[other + k]


@jit
def _gram(scratch, L, m, V, width, out):
    """Write V^T d^-1 V; 1/d is on the diagonal of L."""
    L, m, V, width, out = L & POSITIVE, m & POSITIVE, V & POSITIVE, width & POSITIVE, out & POSITIVE
    for k in range(width * width):
        scratch[out + k] = 0.0
    for a in range(m):
        d, row = scratch[L + a * m + a], (V + a * width) & POSITIVE
        for r in range(width):
            e, to = d * scratch[row + r], (out + r * width) & POSITIVE
            for k in range(width):
                scratch[to + k] += e * scratch[row + k]


@jit
def _put_blocks(scratch, body, gram, n_node):
    """Write M_bar, X and S_0 from the Gram matrix."""
    b, order, width = CarrierRecord(scratch, body.record), 6 * n_node, 6 + 6 * n_node
    softened = softened_record(body.compliance, n_node)
    A, B, D = rigid_as_articulated(
        b.J,
        b.p,
        b.mass,
    )
    for k in range(6):
        scratch[softened.inertia + k], scratch[softened.inertia + 15 + k] = A[k], D[k]
    for k in range(9):
        scratch[softened.inertia + 6 + k] = B[k]
    at = softened.inertia
    for r in range(3):
        for c in range(r, 3):
            scratch[at] -= scratch[gram + r * width + c]
            scratch[at + 15] -= scratch[gram + (3 + r) * width + 3 + c]
            at += 1
    for r in range(3):
        for c in range(3):
            scratch[softened.inertia + 6 + 3 * r + c] -= scratch[gram + r * width + 3 + c]
    for r in range(6):
        for c in range(order):
            scratch[softened.coupling + r * order + c] = scratch[gram + r * width + 6 + c]
    for r in range(order):
        for c in range(order):
            scratch[softened.compliance + r * order + c] = scratch[gram + (6 + r) * width + 6 + c]
