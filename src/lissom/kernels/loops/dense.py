"""Loops by the dense mass matrix: rows of A below it, Lambda from its factor.

rows of A: forces of each constraint shifted inward, T_f = Pi_hat^T f_t, T_r = H f + u      (1)
M = L d L^T     Y = L^-1 A^T     Lambda = Y^T d^-1 Y                                        (2)
d L^T vdot = L^-1 (T - b) + Y lambda                                                        (3)
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..dense import forward_spd
from ..fields import POSITIVE
from ..records import closure_record, node_shapes
from ..small import ZERO, add, cross, dot, matrix, turn, turn_back, vector
from .closing import close_loops, place_loops
from .columns import add_at_carrier
from .envelope import row_of_envelope
from .forces import closed_in_speeds, expects, gather_rhs, keep_asked
from .groups import factor_group, solve_group
from .unknowns import scatter, solution_of


@jit
def constraint_rows(ints, floats, scratch, q, v, given, before, M, flags):
    """Close the loops and write the rows of A (1) to M, below the mass matrix and two vectors.

    given: accelerations of driven hinges.
    """
    place_loops(ints, scratch, v, flags)
    close_loops(ints, floats, scratch, q, v, given, flags)
    closed_in_speeds(ints, floats, scratch, before)
    gather_rhs(ints, floats, scratch)
    h = ints[field.LOOPS] & POSITIVE
    n_v = ints[field.N_V]
    for k in range(ints[h + field.N_SOLVED]):
        for c in range(n_v):
            M[n_v + 2 + k, c] = 0.0
    for j in range(ints[h + field.N_PATH] - 1, -1, -1):
        p = (ints[h + field.PATH_ROWS] & POSITIVE) + j * field.PATH_ROW
        row = ints[p + field.W_BODY] & POSITIVE
        b, active = ints[row + field.BODY] & POSITIVE, ints[p + field.W_ACTIVE] & POSITIVE
        forces, rigid = ints[p + field.W_FORCES] & POSITIVE, ints[row + field.LEVEL] == field.RIGID
        o, o_v = ints[row + field.HINGE] & POSITIVE, ints[row + field.HINGE_V] & POSITIVE
        r = ints[row + field.HINGE_DOF] if ints[row + field.DRIVEN] == 0 else 0
        e = ints[p + field.W_INNOVATIONS] & POSITIVE
        m, o_m = ints[row + field.N_MODE] & POSITIVE, ints[row + field.MODAL_V] & POSITIVE
        arm, R = vector(scratch, b + field.ARM), matrix(scratch, b + field.R_)
        n = ints[p + field.W_N_ACTIVE]
        for i in range(n):
            below = n_v + 2 + ints[active + i]
            z_w, z_v = vector(scratch, forces + 6 * i), vector(scratch, forces + 6 * i + 3)
            if not rigid:
                z_w, z_v = ZERO, ZERO
                for node in range(ints[p + field.W_N_NODE]):
                    d = (ints[row + field.NODES] & POSITIVE) + node * field.NODE_RECORD
                    Pi = node_shapes(ints[row + field.NODE_SHAPES] & POSITIVE, node, m)
                    column = forces + 6 * n * node + 6 * i
                    f_w, f_v = vector(scratch, column), vector(scratch, column + 3)
                    b_w = turn_back(matrix(scratch, d + field.LEFT), f_w)
                    for a in range(m):
                        M[below, o_m + a] -= (
                            b_w[0] * scratch[Pi + a]
                            + b_w[1] * scratch[Pi + m + a]
                            + b_w[2] * scratch[Pi + 2 * m + a]
                            + f_v[0] * scratch[Pi + 3 * m + a]
                            + f_v[1] * scratch[Pi + 4 * m + a]
                            + f_v[2] * scratch[Pi + 5 * m + a]
                        )
                    z_w = add(z_w, add(f_w, cross(vector(scratch, d + field.ARM), f_v)))
                    z_v = add(z_v, f_v)
            for c in range(r):
                h_w, h_v = vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)
                M[below, o_v + c] = scratch[e + r * i + c] - dot(h_w, z_w) - dot(h_v, z_v)
            place = ints[active + n + i]
            if place >= 0:
                if not rigid:
                    z_w, z_v = turn(R, z_w), turn(R, z_v)
                add_at_carrier(scratch, place & POSITIVE, arm, z_w, z_v)
    if expects(ints, scratch):
        asked = solution_of(ints, h).asked
        for k in range(ints[h + field.N_SOLVED]):
            e, row_k = 0.0, M[n_v + 2 + k]
            for c in range(n_v):
                e += row_k[c] * before[c]
            scratch[asked + k] -= e


@jit
def constraint_compliance(ints, scratch, M):
    """Replace the rows of A by Y and write Lambda (2); after the factorisation."""
    h = ints[field.LOOPS] & POSITIVE
    n_v, Lam = ints[field.N_V], ints[h + field.LAMBDA] & POSITIVE
    flat = M.ravel()
    for k in range(ints[h + field.N_SOLVED]):
        forward_spd(flat, 0, n_v, flat, (n_v + 2 + k) * n_v)
        y = M[n_v + 2 + k]
        first, row = row_of_envelope(ints, ints[h + field.WHOLE], k)
        for l in range(first, k + 1):
            z, e = M[n_v + 2 + l], 0.0
            for c in range(n_v):
                e += y[c] * M[c, c] * z[c]
            scratch[Lam + row + l] = e


@jit
def constrain_dense(ints, floats, scratch, M):
    """Add Y lambda to L^-1 (T - b), the row below the factor of the mass matrix (2), (3)."""
    h = ints[field.LOOPS] & POSITIVE
    n, n_v, solution = ints[h + field.N_SOLVED], ints[field.N_V], solution_of(ints, h)
    x = M[n_v]
    for k in range(n):
        y, e = M[n_v + 2 + k], 0.0
        for c in range(n_v):
            e += y[c] * M[c, c] * x[c]
        scratch[solution.rhs + k] -= e
    if not expects(ints, scratch):
        keep_asked(ints, scratch)
    table = ints[h + field.WHOLE]
    scratch[(ints[h + field.CLOSING] & POSITIVE) + field.LEAST_LEFT] = 1.0
    rank, soft = factor_group(ints, floats, scratch, h, table, 0, n)
    solve_group(ints, scratch, h, table, 0, n, rank, soft)
    scatter(ints, floats, scratch)
    finite = 0.0
    for k in range(n):
        s = scratch[solution.force + k]
        finite += 0.0 * s
        y = M[n_v + 2 + k]
        for c in range(n_v):
            x[c] += s * y[c]
    return field.DONE if finite == 0.0 else field.NOT_FINITE


@jit
def keep_loop_forces(ints, scratch):
    """Save lambda."""
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    closure = closure_record(ints[h + field.CLOSURE] & POSITIVE, n)
    for k in range(n):
        scratch[closure.applied + k] = scratch[closure.force + k]


@jit
def add_kept_loop_forces(ints, scratch):
    """Add the saved values to lambda."""
    h = ints[field.LOOPS] & POSITIVE
    n = ints[h + field.N_COLUMN] & POSITIVE
    closure = closure_record(ints[h + field.CLOSURE] & POSITIVE, n)
    for k in range(n):
        scratch[closure.force + k] += scratch[closure.applied + k]
