"""Derivatives of inverse dynamics by configuration, speeds and accelerations.  O(N d).

d is the number of coordinates that carry a body, on the average.  Notation of `frames`; rows are
the motions S_r of hinges and modes, with the force T_r = S_r . f of all they carry.  For a row r
and a column c of a hinge or mode that carries it, or of its own hinge:
  dT_r/dq_c = S_r^T (I psi_2 + B psi_1) + (d S_r along c) . f                                 (1)
  dT_r/dv_c = S_r^T (I phi_2 + B xi)        M_rc = S_r^T I xi                                 (2)
with I and B of what the row carries, so that S_r^T I and S_r^T B are formed once for a row: the
force turns with the row as it is displaced.  For a row r that carries a column c:
  dT_r/dq_c = S_r . (I psi_2 + B psi_1 + xi x* f)                                             (3)
  dT_r/dv_c = S_r . (I phi_2 + B xi)                                                          (4)
with I, B and f of what the column carries: six numbers, formed once for a column.  (d S_r) is not
zero only between motions of one hinge (`hinges`) and between modes of one body (`bodies`).

1. outward: motions and columns of all frames       2. inward: I, B, f of all frames
3. branch by branch outward: (1)-(4) against the columns of all carriers, which lie side by side in
   a stack: the path from the base to the body
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...layout.derivatives import PLAN_ROWS, DerivativesHeader, DerivativesRow
from ...layout.records import CarrierRecord
from ...layout.tree import BodyRow
from ...small import (
    IDENTITY,
    ZERO,
    add,
    added,
    matrix,
    put_matrix,
    put_vector,
    turn,
    vector,
)
from ..articulated import all_finite
from ..external import apply_external
from ..inverse import forces_tip_to_base
from ..motion import motion_base_to_tip
from .attached import own_terms_record
from .bodies import body_tip_to_base, node_columns
from .frames import (
    ACCELERATION,
    COLUMNS,
    FORCE,
    FRAME,
    PHI_2,
    PLACE,
    PSI_1,
    PSI_2,
    TURN,
    VELOCITY,
    XI,
    add_frame,
    add_rigid,
    clear_frame,
    coupling_times,
    force_cross,
    inertia_times,
    put_force,
    rows_of,
    times_coupling,
)
from .hinges import depends, hinge_columns, hinge_motion, moved_motions
from .jumps import add_jump_products, add_lower, clear_lower, lower_times, times_lower
from .ruthless import add_jump, carrying_node

GROUND = 0  # work: frame of the ground


@jit
def inverse_derivatives(ints, floats, scratch, plan, work, index, q, v, x, T, D_q, D_v, M, flags):
    """Forces T and their derivatives D_q, D_v and M, each (n_v, n_v), at accelerations x."""
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    forces_tip_to_base(ints, scratch, x, T, flags)
    columns_base_to_tip(ints, floats, scratch, plan, work, q, v, x)
    frames_tip_to_base(ints, floats, scratch, plan, work, q, v, x)
    n = ints[field.N_V]
    for r in range(n):
        for c in range(n):
            D_q[r, c] = D_v[r, c] = M[r, c] = 0.0
    for i in range(ints[field.N_BODY]):
        _rows_and_columns(ints, floats, plan, work, index, ints[ints[field.ORDER] + i], D_q, D_v, M)
    return all_finite(T, n)


@jit
def columns_base_to_tip(ints, floats, scratch, plan, work, q, v, x):
    """Motions and columns of all frames, after `motion_base_to_tip` with given accelerations x."""
    _ground(ints, scratch, work, v)
    for i in range(ints[field.N_BODY]):
        body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
        ruthless = places.jump >= 0
        if ruthless:
            carrying_node(ints, scratch, plan, work, body, places, q, v, x)
        hinge_columns(floats, scratch, work, body, places, v, x)
        if ruthless:
            add_jump(ints, scratch, plan, work, body, places, q, v)
        clear_frame(work, places.frame)
        if body.level != field.RIGID:
            if body.level != field.RUTHLESS:
                for node in range(body.n_node):
                    clear_frame(work, places.nodes + node * FRAME)
            node_columns(floats, scratch, work, body, places, q, v, x)


@jit
def _ground(ints, scratch, work, v):
    """Write the frame of the ground, which recedes from the first body's origin."""
    body, rate = BodyRow(ints, field.HEADER), ZERO
    b, o_v = CarrierRecord(scratch, body.record), body.hinge_v
    C = b.R if body.level != field.RIGID else IDENTITY
    for c in range(body.hinge_dof):
        _h_w, h_v = hinge_motion(scratch, body, c)
        rate = added(rate, -v[o_v + c], turn(C, h_v))
    put_matrix(work, GROUND + TURN, IDENTITY)
    put_vector(work, GROUND + PLACE, (-b.arm[0], -b.arm[1], -b.arm[2]))
    put_vector(work, GROUND + VELOCITY, ZERO)
    put_vector(work, GROUND + VELOCITY + 3, rate)
    put_vector(work, GROUND + ACCELERATION, ZERO)
    put_vector(work, GROUND + ACCELERATION + 3, CarrierRecord(scratch, field.GROUND_RECORD).a)


@jit
def frames_tip_to_base(ints, floats, scratch, plan, work, q, v, x):
    """Inertia, coupling and force of all frames, after `forces_tip_to_base`."""
    if DerivativesHeader(plan, 0).jumps != 0:
        clear_lower(ints, plan, work)
    for i in range(ints[field.N_BODY] - 1, -1, -1):
        body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
        b, record = places.frame, CarrierRecord(scratch, body.record)
        C = matrix(work, b + TURN)
        n, f = record.z_w, record.z_v
        put_force(work, b, C, n, f)
        if body.level == field.RIGID:
            J, p = record.J, record.p
            add_rigid(work, b, C, J, p, record.mass)
        else:
            body_tip_to_base(ints, floats, scratch, plan, work, body, places, q, v, x)
        if body.parent >= 0:
            add_frame(work, places.carrier, b)
            if DerivativesHeader(plan, 0).jumps != 0:
                add_lower(work, places.carrier, b)


@jit
def _rows_and_columns(ints, floats, plan, work, index, i, D_q, D_v, M):
    """Entries (1)-(4) of one body and all that carry it."""
    body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
    r, m = body.hinge_dof, body.n_mode
    o_v, o_m = body.hinge_v, body.modal_v
    stack, width = DerivativesHeader(plan, 0).stack, DerivativesHeader(plan, 0).stack_width
    below, b = places.below, places.frame
    columns, buffer = places.hinge_columns, DerivativesHeader(plan, 0).temporary
    if places.carrier_columns >= 0:
        parent = BodyRow(ints, field.HEADER, body.parent)
        of_parent = parent.n_mode
        first = parent.modal_v
        _push(work, places.carrier_columns, of_parent, stack, width, below - of_parent)
        for k in range(of_parent):
            index[below - of_parent + k] = first + k
    _push(work, columns, r, stack, width, below)
    for k in range(r):
        index[below + k] = o_v + k
    n, f = vector(work, b + FORCE), vector(work, b + FORCE + 3)
    varies, jumps = depends(body), DerivativesHeader(plan, 0).jumps != 0
    for k in range(r):
        xi_w = rows_of(work, columns + XI * r, r, k)
        xi_v = rows_of(work, columns + (XI + 3) * r, r, k)
        a_w, a_v = inertia_times(work, b, xi_w, xi_v)
        coupling = times_coupling(work, b, xi_w, xi_v)
        if jumps:
            coupling = add(coupling, times_lower(work, b, xi_v))
        _row(work, index, stack, width, below + r, buffer, o_v + k,
             a_w, a_v, coupling, D_q, D_v, M)  # fmt: skip
        if jumps:
            add_jump_products(ints, plan, work, index, i, o_v + k, a_w, a_v, D_q, D_v)
        if varies:
            for l in range(r):
                D_q[o_v + k, o_v + l] += moved_motions(floats, work, body, columns, k, l, n, f)
        psi_1 = rows_of(work, columns + PSI_1 * r, r, k)
        p_w, p_v = inertia_times(
            work, b, rows_of(work, columns + PSI_2 * r, r, k),
            rows_of(work, columns + (PSI_2 + 3) * r, r, k),
        )  # fmt: skip
        c_w, c_v = coupling_times(work, b, psi_1)
        t_w, t_v = force_cross(xi_w, xi_v, n, f)
        s_w, s_v = inertia_times(
            work, b, rows_of(work, columns + PHI_2 * r, r, k),
            rows_of(work, columns + (PHI_2 + 3) * r, r, k),
        )  # fmt: skip
        d_w, d_v = coupling_times(work, b, xi_w)
        if jumps:
            c_v = add(c_v, lower_times(work, b, psi_1))
            d_v = add(d_v, lower_times(work, b, xi_w))
        _column(work, index, stack, width, below, buffer, o_v + k,
                add(p_w, add(c_w, t_w)), add(p_v, add(c_v, t_v)),
                add(s_w, d_w), add(s_v, d_v), D_q, D_v)  # fmt: skip
    if m > 0:
        _modal_rows_and_columns(ints, plan, work, index, i, o_m, m, below + r, D_q, D_v, M)


@jit
def _modal_rows_and_columns(ints, plan, work, index, i, o_m, m, below, D_q, D_v, M):
    """Entries of the modes of one body."""
    places, stack, width = (
        DerivativesRow(plan, PLAN_ROWS, i),
        DerivativesHeader(plan, 0).stack,
        DerivativesHeader(plan, 0).stack_width,
    )
    buffer, terms = DerivativesHeader(plan, 0).temporary, own_terms_record(places.own_terms, m)
    for k in range(m):
        a_w, a_v = rows_of(work, terms.A, m, k), rows_of(work, terms.A + 3 * m, m, k)
        _row(work, index, stack, width, below, buffer, o_m + k,
             a_w, a_v, rows_of(work, terms.B, m, k), D_q, D_v, M)  # fmt: skip
        if places.over >= 0:
            add_jump_products(ints, plan, work, index, i, o_m + k, a_w, a_v, D_q, D_v)
        _column(work, index, stack, width, below, buffer, o_m + k,
                rows_of(work, terms.F, m, k), rows_of(work, terms.F + 3 * m, m, k),
                rows_of(work, terms.G, m, k), rows_of(work, terms.G + 3 * m, m, k),
                D_q, D_v)  # fmt: skip
        for l in range(m):
            D_q[o_m + k, o_m + l] = work[terms.D_q + k * m + l]
            D_v[o_m + k, o_m + l] = work[terms.D_v + k * m + l]
            M[o_m + k, o_m + l] = work[terms.M + k * m + l]


@jit
def _push(work, columns, n, stack, width, first):
    """Copy n columns to the stack."""
    columns, stack = columns & POSITIVE, (stack + first) & POSITIVE
    for r in range(COLUMNS):
        for k in range(n):
            work[stack + r * width + k] = work[columns + r * n + k]


@jit
def _row(work, index, stack, width, count, buffer, r, a_w, a_v, b, D_q, D_v, M):
    """Row r against the first `count` columns of the stack: (1), (2) without d S_r."""
    a0, a1, a2 = a_w
    a3, a4, a5 = a_v
    b0, b1, b2 = b
    s, w, o = stack & POSITIVE, width & POSITIVE, buffer & POSITIVE
    e, g, h = s + PSI_1 * w, s + PSI_2 * w, s + PHI_2 * w
    for c in range(count):
        x0, x1, x2 = work[s + c], work[s + w + c], work[s + 2 * w + c]
        work[o + c] = (
            a0 * work[g + c] + a1 * work[g + w + c] + a2 * work[g + 2 * w + c]
            + a3 * work[g + 3 * w + c] + a4 * work[g + 4 * w + c] + a5 * work[g + 5 * w + c]
            + b0 * work[e + c] + b1 * work[e + w + c] + b2 * work[e + 2 * w + c]
        )  # fmt: skip
        work[o + w + c] = (
            a0 * work[h + c] + a1 * work[h + w + c] + a2 * work[h + 2 * w + c]
            + a3 * work[h + 3 * w + c] + a4 * work[h + 4 * w + c] + a5 * work[h + 5 * w + c]
            + b0 * x0 + b1 * x1 + b2 * x2
        )  # fmt: skip
        work[o + 2 * w + c] = (
            a0 * x0 + a1 * x1 + a2 * x2
            + a3 * work[s + 3 * w + c] + a4 * work[s + 4 * w + c] + a5 * work[s + 5 * w + c]
        )  # fmt: skip
    for c in range(count):
        k = index[c]
        D_q[r, k] = work[o + c]
        D_v[r, k] = work[o + w + c]
        M[r, k] = work[o + 2 * w + c]
        M[k, r] = work[o + 2 * w + c]


@jit
def _column(work, index, stack, width, count, buffer, c, f_w, f_v, g_w, g_v, D_q, D_v):
    """Column c against the first `count` rows of the stack: (3), (4)."""
    f0, f1, f2 = f_w
    f3, f4, f5 = f_v
    g0, g1, g2 = g_w
    g3, g4, g5 = g_v
    s, w, o = stack & POSITIVE, width & POSITIVE, buffer & POSITIVE
    for r in range(count):
        x0, x1, x2 = work[s + r], work[s + w + r], work[s + 2 * w + r]
        x3, x4, x5 = work[s + 3 * w + r], work[s + 4 * w + r], work[s + 5 * w + r]
        work[o + r] = f0 * x0 + f1 * x1 + f2 * x2 + f3 * x3 + f4 * x4 + f5 * x5
        work[o + w + r] = g0 * x0 + g1 * x1 + g2 * x2 + g3 * x3 + g4 * x4 + g5 * x5
    for r in range(count):
        k = index[r]
        D_q[k, c] = work[o + r]
        D_v[k, c] = work[o + w + r]
