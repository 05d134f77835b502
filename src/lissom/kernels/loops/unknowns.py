"""Unknown forces of loops: combinations of the constraints of each that can do work.

Some combinations of a loop's constraints do no work in any configuration, as the moments across the
pins of a planar linkage.  Their forces of least norm are zero, and with an orthonormal basis Q of
the others the equations of a loop are
  rhs = Q^T (right-hand side of its constraints)      lambda = Q (unknown forces)            (1)
A coupling is its own unknown.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..records import closure_record, solution_record


@jit
def solution_of(ints, h):
    """Offsets of the solution."""
    return solution_record(ints[h + field.SOLUTION] & POSITIVE, ints[h + field.N_SOLVED] & POSITIVE)


@jit
def gather(ints, floats, scratch, source, out):
    """Write the combinations (1) of the constraints at scratch[source:] to scratch[out:]."""
    h = ints[field.LOOPS] & POSITIVE
    for j in range(ints[h + field.N_LOOP]):
        l = (ints[h + field.LOOP_ROWS] & POSITIVE) + j * field.LOOP_ROW
        n, m, turn = ints[l + field.L_N], ints[l + field.L_N_SOLVED], ints[l + field.L_TURN]
        o, y = source + ints[l + field.L_FIRST], out + ints[l + field.L_SOLVED]
        for k in range(m):
            if turn < 0:
                scratch[y + k] = scratch[o + k]
                continue
            s = 0.0
            for c in range(n):
                s += floats[turn + 6 * m + c * m + k] * scratch[o + c]
            scratch[y + k] = s
    for j in range(ints[h + field.N_COUPLING]):
        c = (ints[h + field.COUPLING_ROWS] & POSITIVE) + j * field.COUPLING_ROW
        scratch[out + ints[c + field.C_SOLVED]] = scratch[source + ints[c + field.C_COLUMN]]


@jit
def scatter(ints, floats, scratch):
    """Write lambda (1) of the unknown forces to the equations of the loops."""
    h = ints[field.LOOPS] & POSITIVE
    source = solution_of(ints, h).force
    n_column = ints[h + field.N_COLUMN] & POSITIVE
    out = closure_record(ints[h + field.CLOSURE] & POSITIVE, n_column).force
    for j in range(ints[h + field.N_LOOP]):
        l = (ints[h + field.LOOP_ROWS] & POSITIVE) + j * field.LOOP_ROW
        n, m, turn = ints[l + field.L_N], ints[l + field.L_N_SOLVED], ints[l + field.L_TURN]
        o, y = source + ints[l + field.L_SOLVED], out + ints[l + field.L_FIRST]
        for c in range(n):
            if turn < 0:
                scratch[y + c] = scratch[o + c]
                continue
            s = 0.0
            for k in range(m):
                s += floats[turn + 6 * m + c * m + k] * scratch[o + k]
            scratch[y + c] = s
    for j in range(ints[h + field.N_COUPLING]):
        c = (ints[h + field.COUPLING_ROWS] & POSITIVE) + j * field.COUPLING_ROW
        scratch[out + ints[c + field.C_COLUMN]] = scratch[source + ints[c + field.C_SOLVED]]
