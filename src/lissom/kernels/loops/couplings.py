"""Couplings between hinge coordinates, as further rows after those of the loops.

With ratios r_i, coordinates q_i and the offset, all times the scale s of the coupling:
  gap = s (sum r_i q_i - offset)     A v = s sum r_i v_i     gamma = 0                       (1)
The force lambda of a coupling is the generalized force s r_i lambda at each of its hinges.  Unlike
a loop it has no forces on nodes: its column starts as innovations at the hinges.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.loops import CouplingRow, LoopsHeader, TermRow
from ..layout.tree import BodyRow
from ..records import closure_record

# Rounding error of a coupling as a fraction of the sum of its terms: wheels turn many times.
ROUNDED = 4e-16
# Constants of a coupling: scale, offset times scale, ratios times scale.
C_OFFSET, C_RATIOS = 1, 2


@jit
def close_couplings(ints, floats, scratch, q, v, x, flags):
    """Gap, rate, right-hand side and columns of all couplings (1); the largest speed of a term.

    Within `close_loops`, after the columns are cleared.
    """
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    speed = 0.0
    for k in range(loops.n_coupling):
        coupling = CouplingRow(ints, loops.coupling_rows, k)
        column, numbers = coupling.column, coupling.numbers
        gap, gross, rate, rhs = (
            -floats[numbers + C_OFFSET],
            abs(floats[numbers + C_OFFSET]),
            0.0,
            0.0,
        )
        for i in range(coupling.n):
            term = TermRow(ints, coupling.terms, i)
            s, o_v = floats[numbers + C_RATIOS + i], term.v
            part = s * q[term.q]
            gap += part
            gross += abs(part)
            driven = BodyRow(ints, term.body).driven != 0
            if flags & field.RATES != 0:
                rate += s * v[o_v]
                speed = max(speed, abs(s * v[o_v]))
            if flags != 0 and (driven or flags & field.ACCELERATED != 0):
                rhs -= s * x[o_v]
            if not driven:
                scratch[term.place] += s
        if abs(gap) <= ROUNDED * gross:
            gap = 0.0
        scratch[closure.gap + column] = gap
        scratch[closure.rate + column] = rate
        if flags & field.GRAVITY != 0:  # accelerations are wanted
            stiffness = scratch[closure.stiffness + column]
            rhs -= stiffness * gap + scratch[closure.damping + column] * rate
        scratch[closure.rhs + column] = rhs
    return speed


@jit
def coupling_rates(ints, floats, scratch, x, out):
    """Write the rows A x of all couplings to scratch[out:], without driven hinges."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    for k in range(loops.n_coupling):
        coupling = CouplingRow(ints, loops.coupling_rows, k)
        numbers, e = coupling.numbers, 0.0
        for i in range(coupling.n):
            term = TermRow(ints, coupling.terms, i)
            if BodyRow(ints, term.body).driven == 0:
                e += floats[numbers + C_RATIOS + i] * x[term.v]
        scratch[out + coupling.column] = e


@jit
def take_coupling_forces(ints, floats, scratch, T):
    """Subtract the forces of couplings, with lambda of a solution, from generalized forces T."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    for k in range(loops.n_coupling):
        coupling = CouplingRow(ints, loops.coupling_rows, k)
        numbers = coupling.numbers
        force = scratch[closure.force + coupling.column]
        for i in range(coupling.n):
            term = TermRow(ints, coupling.terms, i)
            T[term.v] -= floats[numbers + C_RATIOS + i] * force


@jit
def coupling_force(ints, floats, scratch, k):
    """Force of coupling k: hinge i receives its ratio times this."""
    loops = LoopsHeader(ints, ints[field.LOOPS])
    n = loops.n_column
    closure = closure_record(loops.closure, n)
    coupling = CouplingRow(ints, loops.coupling_rows, k)
    force = scratch[closure.force + coupling.column]
    return floats[coupling.numbers] * force
