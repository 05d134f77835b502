"""Products of one vector with the derivatives of inverse dynamics, which are not formed.  O(N).

Notation of `frames` and `sweep`.  For speeds mu, with S_r the rows of hinges and modes:
  Xi   = sum mu_r S_r          over all that carry a frame, outwards                          (1)
  Y, Z = sum mu_r (I S_r, B^T S_r)   over the rows of a body and of all it carries, inwards   (2)
and for a column c, with Y and Z of the body outboard of it, and Xi, I, B, f of the frame it moves,
  mu . dT/dq_c = Y . psi_2 + Z . psi_1 + Xi . (I psi_2 + B psi_1 + xi x* f) + sum mu_r (d S_r) . f
  mu . dT/dv_c = Y . phi_2 + Z . xi_w  + Xi . (I phi_2 + B xi)                                (3)
where Xi is without the own hinge, whose rows are in Y and Z.  Between modes of one body the blocks
of `bodies` are taken as they are.  Bodies at level "ruthless" have further terms and are left out.
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...layout.derivatives import PLAN_ROWS, DerivativesRow
from ...layout.tree import BodyRow
from ...small import ZERO, add, added, dot, put_vector, vector
from .attached import own_terms_record
from .frames import (
    FORCE,
    PHI_2,
    PSI_1,
    PSI_2,
    XI,
    force_cross,
    inertia_times,
    rows_of,
    times_coupling,
)
from .hinges import depends, moved_motions

CARRIED, TOTAL, ROWS, COUPLED, SUMS = 0, 6, 12, 18, 21  # of a body: Xi inboard and all, Y, Z


@jit
def derivative_products(ints, floats, plan, work, sums, mu, by_q, by_v):
    """Write (3) for all columns, after `columns_base_to_tip` and `frames_tip_to_base`.

    sums: SUMS numbers of work for each body.
    """
    for i in range(ints[field.N_BODY]):
        _sum_rows(ints, plan, work, sums, i, mu)
    for k in range(ints[field.N_V]):
        by_q[k] = by_v[k] = 0.0
    for i in range(ints[field.N_BODY] - 1, -1, -1):
        body, s = BodyRow(ints, field.HEADER, i), i * SUMS
        p = body.parent
        Y = vector(sums, s + ROWS), vector(sums, s + ROWS + 3)
        Z = vector(sums, s + COUPLED)
        _of_hinge(ints, floats, plan, work, sums, i, Y, Z, mu, by_q, by_v)
        _of_modes(ints, plan, work, sums, i, mu, by_q, by_v)
        if p >= 0:
            columns = DerivativesRow(plan, PLAN_ROWS, i).carrier_columns
            if columns >= 0:
                parent = BodyRow(ints, field.HEADER, p)
                m, o_m = parent.n_mode, parent.modal_v
                _outboard(work, columns & POSITIVE, m & POSITIVE, o_m & POSITIVE, Y, Z, by_q, by_v)
            for k in range(ROWS, SUMS):
                sums[p * SUMS + k] += sums[s + k]


@jit
def _sum_rows(ints, plan, work, sums, i, mu):
    """Write (1) of a body, and what its own rows add to (2)."""
    body, places, s = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i), i * SUMS
    r, m = body.hinge_dof, body.n_mode
    o_v, o_m = body.hinge_v, body.modal_v
    p, b = body.parent, places.frame
    x_w, x_v = ZERO, ZERO
    if p >= 0:
        x_w, x_v = vector(sums, p * SUMS + TOTAL), vector(sums, p * SUMS + TOTAL + 3)
    if places.carrier_columns >= 0:
        parent = BodyRow(ints, field.HEADER, p)
        n, first = parent.n_mode, parent.modal_v
        c_w, c_v = _combined(work, places.carrier_columns & POSITIVE, n & POSITIVE, first, mu)
        x_w, x_v = add(x_w, c_w), add(x_v, c_v)
    h_w, h_v = _combined(work, places.hinge_columns, r, o_v, mu)
    put_vector(sums, s + CARRIED, x_w)
    put_vector(sums, s + CARRIED + 3, x_v)
    put_vector(sums, s + TOTAL, add(x_w, h_w))
    put_vector(sums, s + TOTAL + 3, add(x_v, h_v))
    y_w, y_v = inertia_times(work, b, h_w, h_v)
    z = times_coupling(work, b, h_w, h_v)
    if m > 0:
        terms = own_terms_record(places.own_terms, m)
        for k in range(m):
            a = mu[o_m + k]
            y_w = added(y_w, a, rows_of(work, terms.A, m, k))
            y_v = added(y_v, a, rows_of(work, terms.A + 3 * m, m, k))
            z = added(z, a, rows_of(work, terms.B, m, k))
    put_vector(sums, s + ROWS, y_w)
    put_vector(sums, s + ROWS + 3, y_v)
    put_vector(sums, s + COUPLED, z)


@jit
def _combined(work, columns, n, first, mu):
    """Sum of mu xi over n columns."""
    x_w, x_v = ZERO, ZERO
    for k in range(n):
        x_w = added(x_w, mu[first + k], rows_of(work, columns + XI * n, n, k))
        x_v = added(x_v, mu[first + k], rows_of(work, columns + (XI + 3) * n, n, k))
    return x_w, x_v


@jit
def _of_hinge(ints, floats, plan, work, sums, i, Y, Z, mu, by_q, by_v):
    """Add (3) for the columns of the hinge of a body."""
    body, places, s = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i), i * SUMS
    r, o_v = body.hinge_dof, body.hinge_v
    if r == 0:
        return
    b, columns = places.frame, places.hinge_columns
    x_w, x_v = vector(sums, s + CARRIED), vector(sums, s + CARRIED + 3)
    i_w, i_v = inertia_times(work, b, x_w, x_v)
    Y, Z = (add(Y[0], i_w), add(Y[1], i_v)), add(Z, times_coupling(work, b, x_w, x_v))
    _outboard(work, columns, r, o_v, Y, Z, by_q, by_v)
    n, f = vector(work, b + FORCE), vector(work, b + FORCE + 3)
    varies = depends(body)
    for c in range(r):
        xi_w = rows_of(work, columns + XI * r, r, c)
        xi_v = rows_of(work, columns + (XI + 3) * r, r, c)
        t_w, t_v = force_cross(xi_w, xi_v, n, f)
        by_q[o_v + c] += dot(x_w, t_w) + dot(x_v, t_v)
        if varies:
            for k in range(r):
                change = moved_motions(floats, work, body, columns, k, c, n, f)
                by_q[o_v + c] += mu[o_v + k] * change


@jit
def _outboard(work, columns, n, first, Y, Z, by_q, by_v):
    """Add the products of Y and Z with n columns."""
    y_w, y_v = Y
    for c in range(n):
        two_w = rows_of(work, columns + PSI_2 * n, n, c)
        two_v = rows_of(work, columns + (PSI_2 + 3) * n, n, c)
        one = rows_of(work, columns + PSI_1 * n, n, c)
        by_q[first + c] += dot(y_w, two_w) + dot(y_v, two_v) + dot(Z, one)
        two_w = rows_of(work, columns + PHI_2 * n, n, c)
        two_v = rows_of(work, columns + (PHI_2 + 3) * n, n, c)
        one = rows_of(work, columns + XI * n, n, c)
        by_v[first + c] += dot(y_w, two_w) + dot(y_v, two_v) + dot(Z, one)


@jit
def _of_modes(ints, plan, work, sums, i, mu, by_q, by_v):
    """Add what the modes of a body do to the rows that carry them, and among each other."""
    body, places, s = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i), i * SUMS
    m, o_m = body.n_mode, body.modal_v
    if m == 0:
        return
    terms = own_terms_record(places.own_terms, m)
    x_w, x_v = vector(sums, s + TOTAL), vector(sums, s + TOTAL + 3)
    for c in range(m):
        f_w, f_v = rows_of(work, terms.F, m, c), rows_of(work, terms.F + 3 * m, m, c)
        g_w, g_v = rows_of(work, terms.G, m, c), rows_of(work, terms.G + 3 * m, m, c)
        by_q[o_m + c] += dot(x_w, f_w) + dot(x_v, f_v)
        by_v[o_m + c] += dot(x_w, g_w) + dot(x_v, g_v)
    for k in range(m):
        y = mu[o_m + k]
        for c in range(m):
            by_q[o_m + c] += y * work[terms.D_q + k * m + c]
            by_v[o_m + c] += y * work[terms.D_v + k * m + c]
