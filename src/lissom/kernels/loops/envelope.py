"""Cholesky factor of Lambda within its envelope: rows from their first entries to the diagonal.

  Lambda = L L^T,    L_kl = (Lambda_kl - sum L_kj L_lj) / L_ll                               (1)
Loops that share no body have no entry in Lambda.  With the loops ordered by neighbourhood
(`elimination`) each row is as long as the band of its neighbours, and a row of windows costs as
much per window however many there are.  The factor has no entries outside the envelope.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..tree.modal import modal_dot


@jit
def row_of_envelope(ints, h, k):
    """First column of row k, and the offset of its column zero."""
    e = (ints[h + field.ENVELOPE] & POSITIVE) + field.ENVELOPE_ROW * k
    return ints[e] & POSITIVE, ints[e + 1]


@jit
def clear_envelope(ints, scratch, h):
    """Set Lambda to zero."""
    Lam = ints[h + field.LAMBDA] & POSITIVE
    for k in range(ints[h + field.N_SOLVED]):
        first, row = row_of_envelope(ints, h, k)
        for l in range(first, k + 1):
            scratch[Lam + row + l] = 0.0


@jit
def factor_envelope(ints, scratch, h, sizes, least):
    """Write the factor (1), with 1/L_kk on the diagonal; the smallest remainder of a row.

    Remainders are relative to the sizes of rows.  Stops where one is not above `least`.
    """
    Lam, factor = ints[h + field.LAMBDA] & POSITIVE, ints[h + field.FACTOR] & POSITIVE
    smallest = 1.0
    for k in range(ints[h + field.N_SOLVED]):
        first, row = row_of_envelope(ints, h, k)
        d = scratch[Lam + row + k]
        for l in range(first, k):
            start, other = row_of_envelope(ints, h, l)
            start = max(first, start)
            s = scratch[Lam + row + l] - modal_dot(
                scratch, factor + row + start, l - start, scratch, factor + other + start
            )
            s *= scratch[factor + other + l]
            scratch[factor + row + l] = s
            d -= s * s
        part = d / scratch[sizes + k]
        if not part > least:
            return part
        smallest = min(smallest, part)
        scratch[factor + row + k] = 1.0 / math.sqrt(d)
    return smallest


@jit
def solve_envelope(ints, scratch, h, y):
    """Replace scratch[y:] by the solution with the factor (1)."""
    factor, n = ints[h + field.FACTOR] & POSITIVE, ints[h + field.N_SOLVED]
    for k in range(n):
        first, row = row_of_envelope(ints, h, k)
        s = scratch[y + k] - modal_dot(scratch, factor + row + first, k - first, scratch, y + first)
        scratch[y + k] = s * scratch[factor + row + k]
    for k in range(n - 1, -1, -1):
        first, row = row_of_envelope(ints, h, k)
        s = scratch[y + k] * scratch[factor + row + k]
        scratch[y + k] = s
        for l in range(first, k):
            scratch[y + l] -= scratch[factor + row + l] * s


@jit
def spread_envelope(ints, scratch, h, out):
    """Write the whole matrix Lambda to scratch[out:]."""
    Lam, n = ints[h + field.LAMBDA] & POSITIVE, ints[h + field.N_SOLVED]
    for k in range(n * n):
        scratch[out + k] = 0.0
    for k in range(n):
        first, row = row_of_envelope(ints, h, k)
        for l in range(first, k + 1):
            scratch[out + k * n + l] = scratch[out + l * n + k] = scratch[Lam + row + l]
