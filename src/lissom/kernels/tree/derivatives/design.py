"""Derivatives of inverse dynamics by design: inertias, places of joints, gravity, modal constants.

Notation of `frames` and `sweep`; after `inverse_derivatives`, whose frames and columns are used.
A rigid body's force is linear in its inertia: with dI in body axes and its motion (w, alpha, a)
  df = [dJ alpha + dp x a + w x dJ w;  dm a + alpha x dp + w x (w x dp)]                      (1)
acts on its own hinge and on all that carry it: dT_r = S_r . df.
The place of a joint on its carrier N is a joint without speed, of motion xi there:
  psi_1 = V_N x xi      psi_2 = A_N x xi + V_N x (V_N x xi)                                   (2)
For rows outboard, the own hinge included, and for those inboard, with I, B, f of what is placed:
  dT_r = S_r^T (I psi_2 + B psi_1)      dT_r = S_r . (I psi_2 + B psi_1 + xi x* f)            (3)
On a body at level "ruthless" psi_2 contains the change of the jump, and rows outboard of such
bodies have K^T S_r^T I in addition to S_r^T B (`jumps`).
Gravity is an acceleration of the ground, psi_2 = [0; -dg] for all rows.  Modal stiffness and
damping act on their mode: dT = eta, eta_dot.
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...layout.derivatives import PLAN_ROWS, DerivativesHeader, DerivativesRow
from ...layout.records import BodyConstants, CarrierRecord
from ...layout.tree import BodyRow
from ...small import (
    ZERO,
    add,
    cross,
    dot,
    matrix,
    product,
    scaled,
    symmetric,
    turn,
    turned_symmetric,
    vector,
)
from ..rigid import rigid_force
from .attached import own_terms_record
from .frames import (
    ACCELERATION,
    FORCE,
    PLACE,
    TURN,
    VELOCITY,
    XI,
    coupling_times,
    force_cross,
    inertia_times,
    motion_cross,
    rows_of,
    times_coupling,
)
from .jumps import jumps_times, lower_times, times_lower
from .ruthless import moved_jump

# parameters: rows of three numbers; directions: ten numbers each
KIND, BODY, WHICH, PARAMETER = range(4)
INERTIA, SHIFT, TURNING, GRAVITY, STIFFNESS, DAMPING = range(6)
# direction of INERTIA: mass 1, first moment 3, inertia about the origin 6; of others 3 numbers
DIRECTION = 10


@jit
def design_columns(ints, floats, scratch, plan, work, parameters, directions, q, v, P):
    """Derivatives P (n_v, n_parameter) of the forces, after `inverse_derivatives`."""
    for k in range(len(parameters) // PARAMETER):
        kind, i = parameters[k * PARAMETER + KIND], parameters[k * PARAMETER + BODY]
        for r in range(ints[field.N_V]):
            P[r, k] = 0.0
        o = k * DIRECTION
        if kind == INERTIA:
            n, f = _change_of_force(ints, scratch, plan, work, i, directions, o)
            _hinge_rows(ints, plan, work, i, n, f, P, k)
            _rows_inboard(ints, plan, work, i, n, f, P, k)
        elif kind == SHIFT or kind == TURNING:
            _placed(ints, floats, scratch, plan, work, i, kind, vector(directions, o), q, v, P, k)
        elif kind == GRAVITY:
            change = scaled(-1.0, vector(directions, o))
            for j in range(ints[field.N_BODY]):
                _rows_outboard(ints, plan, work, j, j, ZERO, ZERO, change, P, k)
        else:
            body, j = BodyRow(ints, field.HEADER, i), parameters[k * PARAMETER + WHICH]
            o_q, o_v = body.modal_q, body.modal_v
            P[o_v + j, k] = q[o_q + j] if kind == STIFFNESS else v[o_v + j]


@jit
def _change_of_force(ints, scratch, plan, work, i, directions, o):
    """Force (1) about the common point for the change of inertia directions[o:], body axes."""
    body = BodyRow(ints, field.HEADER, i)
    b = DerivativesRow(plan, PLAN_ROWS, i).frame
    record = CarrierRecord(scratch, body.record)
    C = product(matrix(work, b + TURN), record.R)
    r, w = vector(work, b + PLACE), vector(work, b + VELOCITY)
    alpha = vector(work, b + ACCELERATION)
    rate = add(vector(work, b + VELOCITY + 3), cross(w, r))
    a = add(add(vector(work, b + ACCELERATION + 3), cross(w, rate)), cross(alpha, r))
    J, p = turned_symmetric(C, symmetric(directions, o + 4)), turn(C, vector(directions, o + 1))
    n, f = rigid_force(J, p, directions[o], w, alpha, a)
    return add(n, cross(r, f)), f


@jit
def _placed(ints, floats, scratch, plan, work, i, kind, direction, q, v, P, k):
    """Column (3) of a displacement or a turn of the joint of body i, in the carrier's axes."""
    body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
    b, N = places.frame, places.carrier
    carrier, c = CarrierRecord(scratch, body.carrier), BodyConstants(floats, body.constants)
    C = product(matrix(work, N + TURN), carrier.R)
    p = add(vector(work, N + PLACE), turn(C, c.place))
    e = turn(C, direction)
    xi_w, xi_v = (ZERO, e) if kind == SHIFT else (e, cross(p, e))
    V_w, V_v = vector(work, N + VELOCITY), vector(work, N + VELOCITY + 3)
    A_w, A_v = vector(work, N + ACCELERATION), vector(work, N + ACCELERATION + 3)
    one_w, one_v = motion_cross(V_w, V_v, xi_w, xi_v)  # (2)
    first, second = motion_cross(A_w, A_v, xi_w, xi_v), motion_cross(V_w, V_v, one_w, one_v)
    two_w, two_v = add(first[0], second[0]), add(first[1], second[1])
    if places.jump >= 0:
        d_w, d_v = moved_jump(ints, scratch, plan, work, body, places, xi_w, xi_v, q, v)
        two_w, two_v = add(two_w, d_w), add(two_v, d_v)
    for j in range(i, ints[field.N_BODY]):
        if _carried(ints, j, i):
            _rows_outboard(ints, plan, work, j, i, one_w, two_w, two_v, P, k)
    n, f = vector(work, b + FORCE), vector(work, b + FORCE + 3)
    i_w, i_v = inertia_times(work, b, two_w, two_v)
    c_w, c_v = coupling_times(work, b, one_w)
    if DerivativesHeader(plan, 0).jumps != 0:
        c_v = add(c_v, lower_times(work, b, one_w))
    t_w, t_v = force_cross(xi_w, xi_v, n, f)
    _rows_inboard(ints, plan, work, i, add(i_w, add(c_w, t_w)), add(i_v, add(c_v, t_v)), P, k)


@jit
def _carried(ints, j, i):
    """Whether body j is body i or carried by it."""
    while j > i:
        j = BodyRow(ints, field.HEADER, j).parent
    return j == i


@jit
def _rows_outboard(ints, plan, work, j, i, one_w, two_w, two_v, P, k):
    """Add (3) to the rows of body j, hinge and modes, for a change at the joint of body i."""
    body, places = BodyRow(ints, field.HEADER, j), DerivativesRow(plan, PLAN_ROWS, j)
    r, m = body.hinge_dof, body.n_mode
    o_v, o_m = body.hinge_v, body.modal_v
    b, columns = places.frame, places.hinge_columns
    for c in range(r):
        xi_w = rows_of(work, columns + XI * r, r, c)
        xi_v = rows_of(work, columns + (XI + 3) * r, r, c)
        a_w, a_v = inertia_times(work, b, xi_w, xi_v)
        coupling = times_coupling(work, b, xi_w, xi_v)
        if DerivativesHeader(plan, 0).jumps != 0:
            coupling = add(coupling, times_lower(work, b, xi_v))
            coupling = add(coupling, jumps_times(ints, plan, work, j, i, a_w, a_v))
        P[o_v + c, k] += dot(a_w, two_w) + dot(a_v, two_v) + dot(coupling, one_w)
    if m > 0:
        terms = own_terms_record(places.own_terms, m)
        for c in range(m):
            a_w, a_v = rows_of(work, terms.A, m, c), rows_of(work, terms.A + 3 * m, m, c)
            coupling = rows_of(work, terms.B, m, c)
            coupling = add(coupling, jumps_times(ints, plan, work, j, i, a_w, a_v))
            P[o_m + c, k] += dot(a_w, two_w) + dot(a_v, two_v) + dot(coupling, one_w)


@jit
def _rows_inboard(ints, plan, work, i, n, f, P, k):
    """Add the force (n, f) on body i to the rows of all that carry it, without its own hinge."""
    while i >= 0:
        body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
        p = body.parent
        if places.carrier_columns >= 0:
            parent = BodyRow(ints, field.HEADER, p)
            m, o_m = parent.n_mode, parent.modal_v
            _add_products(work, places.carrier_columns & POSITIVE, m, o_m, n, f, P, k)
        if p >= 0:
            _hinge_rows(ints, plan, work, p, n, f, P, k)
        i = p


@jit
def _hinge_rows(ints, plan, work, i, n, f, P, k):
    """Add the force (n, f) to the rows of the hinge of body i."""
    body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
    r, o_v = body.hinge_dof, body.hinge_v
    _add_products(work, places.hinge_columns, r, o_v, n, f, P, k)


@jit
def _add_products(work, columns, count, o_v, n, f, P, k):
    """Add xi . (n, f) of a set of columns."""
    for c in range(count):
        xi_w = rows_of(work, columns + XI * count, count, c)
        xi_v = rows_of(work, columns + (XI + 3) * count, count, c)
        P[o_v + c, k] += dot(xi_w, n) + dot(xi_v, f)
