"""Cholesky factor of Lambda within its envelope: rows from their first entries to the diagonal.

  Lambda = L L^T,    L_kl = (Lambda_kl - sum L_kj L_lj) / L_ll                               (1)
Loops that share no body have no entry in Lambda.  With the loops ordered by neighbourhood
(`elimination`) each row is as long as the band of its neighbours, and a row of windows costs as
much per window however many there are.  The factor has no entries outside the envelope.

`e` is where its EnvelopeRows begin in ints; `first` and `last` limit the rows of a group, which
have no entries to the left of the group.
"""

from __future__ import annotations

import math

from ..compiling import jit
from ..layout.loops import EnvelopeRow
from ..tree.modal import modal_dot


@jit
def row_of_envelope(ints, e, k):
    """First column of row k, and the offset of its column zero."""
    row = EnvelopeRow(ints, e, k)
    return row.first, row.zero


@jit
def clear_envelope(ints, scratch, e, Lam, n):
    """Set Lambda to zero."""
    for k in range(n):
        start, row = row_of_envelope(ints, e, k)
        for l in range(start, k + 1):
            scratch[Lam + row + l] = 0.0


@jit
def factor_envelope(ints, scratch, loops, e, first, last, sizes, least):
    """Write the factor (1), with 1/L_kk on the diagonal; the smallest remainder of a row.

    Remainders are relative to the sizes of rows.  Stops where one is not above `least`.
    """
    Lam, factor = loops.Lambda, loops.factor
    smallest = 1.0
    for k in range(first, last):
        begin, row = row_of_envelope(ints, e, k)
        d = scratch[Lam + row + k]
        for l in range(begin, k):
            start, other = row_of_envelope(ints, e, l)
            start = max(begin, start)
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
def solve_envelope(ints, scratch, loops, e, first, last, y):
    """Replace entries `first` to `last` of scratch[y:] by the solution with the factor (1)."""
    factor = loops.factor
    for k in range(first, last):
        begin, row = row_of_envelope(ints, e, k)
        s = scratch[y + k] - modal_dot(scratch, factor + row + begin, k - begin, scratch, y + begin)
        scratch[y + k] = s * scratch[factor + row + k]
    for k in range(last - 1, first - 1, -1):
        begin, row = row_of_envelope(ints, e, k)
        s = scratch[y + k] * scratch[factor + row + k]
        scratch[y + k] = s
        for l in range(begin, k):
            scratch[y + l] -= scratch[factor + row + l] * s


@jit
def spread_envelope(ints, scratch, loops, e, first, last, out):
    """Write the whole matrix Lambda of the rows `first` to `last` to scratch[out:]."""
    Lam, n = loops.Lambda, last - first
    for k in range(n * n):
        scratch[out + k] = 0.0
    for k in range(n):
        begin, row = row_of_envelope(ints, e, first + k)
        for l in range(begin - first, k + 1):
            s = scratch[Lam + row + first + l]
            scratch[out + k * n + l] = scratch[out + l * n + k] = s
