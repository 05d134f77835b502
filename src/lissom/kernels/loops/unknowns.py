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
from ..layout.loops import CouplingRow, LoopRow, LoopsHeader
from ..layout.records import ClosingRecord
from ..records import closure_record, solution_record


@jit
def solution_of(loops):
    """Offsets of the solution."""
    return solution_record(loops.solution, loops.n_solved)


@jit
def closing_of(ints, scratch):
    """How the loops are kept closed."""
    return ClosingRecord(scratch, LoopsHeader(ints, ints[field.LOOPS]).closing)


@jit
def gather(ints, floats, scratch, source, out):
    """Write the combinations (1) of the constraints at scratch[source:] to scratch[out:]."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    for j in range(loops.n_loop):
        loop = LoopRow(ints, loops.loop_rows, j)
        n, m, turn = loop.n, loop.n_solved, loop.turn
        o, y = source + loop.first, out + loop.solved
        for k in range(m):
            if turn < 0:
                scratch[y + k] = scratch[o + k]
                continue
            s = 0.0
            for c in range(n):
                s += floats[turn + 6 * m + c * m + k] * scratch[o + c]
            scratch[y + k] = s
    for j in range(loops.n_coupling):
        coupling = CouplingRow(ints, loops.coupling_rows, j)
        scratch[out + coupling.solved] = scratch[source + coupling.column]


@jit
def scatter(ints, floats, scratch):
    """Write lambda (1) of the unknown forces to the equations of the loops."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    source = solution_of(loops).force
    n_column = loops.n_column
    out = closure_record(loops.closure, n_column).force
    for j in range(loops.n_loop):
        loop = LoopRow(ints, loops.loop_rows, j)
        n, m, turn = loop.n, loop.n_solved, loop.turn
        o, y = source + loop.solved, out + loop.first
        for c in range(n):
            if turn < 0:
                scratch[y + c] = scratch[o + c]
                continue
            s = 0.0
            for k in range(m):
                s += floats[turn + 6 * m + c * m + k] * scratch[o + k]
            scratch[y + c] = s
    for j in range(loops.n_coupling):
        coupling = CouplingRow(ints, loops.coupling_rows, j)
        scratch[out + coupling.column] = scratch[source + coupling.solved]
