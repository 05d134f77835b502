"""Inertia, residual forces and node motions of a flexible body.

Equations and notation of `body_terms`; [alpha; a] is the body's acceleration, so that the inertial
forces below contain M_m times it:
  z   = M_rr [alpha; a] + M_rf eta_ddot + b_r                                     (1)
  t_f = M_rf^T [alpha; a] + M_ff eta_ddot + b_f + K eta + C eta_dot               (2)
(eta_ddot only where accelerations are given).

Modal products at level "full" come as symmetric and antisymmetric matrices,
  N_kk, N_kl + N_lk (k < l)    and    O_x = N_yz - N_zy, O_y = N_zx - N_xz, O_z = N_xy - N_yx,
without those that vanish (a beam in bending has no motion along its axis).  With u_kl the first six
times eta and o_k the others times eta:
  M_rf = [g_yz - g_zy - o_x; ...; s]     b_f = sum A_kl (g_kl + u_kl) - 2 sum w_k O_k eta_dot
  h_kl eta_dot = g_kl eta_dot + (u_kl -+ o_m) eta_dot / 2

A body whose shapes turn its inboard node has these terms in the frame of its shapes (`floating`).

Level "stiffened", (13) and (14) of `body_terms`: with X_x = Z_yz - Z_zy and so on, the first
nine matrices become N_kk + Z_kk, N_kl + N_lk + Z_kl + Z_lk and O_k - X_k, so that all but the last
term of b_f has the same form.  After them follow X_k and sigma_k:
  M_rf = [...; s + sigma eta]     p += sigma[eta, eta]/2     b_f -= 2 sum w_k X_k eta_dot    (3)
  b_r += [X[eta_dot, eta_dot]; sigma[eta_dot, eta_dot]]                                      (4)
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import BodyConstants, CarrierRecord
from ..records import modal_products, modal_record, node_size, shapes_record
from ..small import (
    ZERO,
    add,
    added,
    apply,
    cross,
    scaled,
    six,
    unit,
)
from .floating import frame_motion, inboard_node, seen_from_inboard
from .lumps import lump_terms, point_mass
from .modal import (
    modal_dot,
    modal_product,
    modal_spread,
    modal_spread_two,
    modal_sums,
    symmetric_form,
    symmetric_product,
    three_sums,
)
from .nodes import deform_node, node_motion
from .rods import rod_terms


@jit
def flexible_terms(ints, floats, scratch, body, q, v, x, flags):
    """Write inertia, forces (1), (2) and nodes of one body, whose acceleration is in its record."""
    b, c = CarrierRecord(scratch, body.record), BodyConstants(floats, body.constants)
    m, s = body.n_mode, body.shapes
    o_v = body.modal_v
    t = modal_record(body.modal, m).force
    w = b.rate
    alpha, a = b.alpha, b.a
    level, w_d = body.level, w
    if level == field.FLOATING:
        inboard_node(floats, scratch, body, q, v, flags & field.RATES != 0)
        w, alpha, a = frame_motion(scratch, body, w, alpha, a, x, flags)
        b.rate = w  # of the frame of the shapes, for the point masses
    A = _spin(w)
    mass, p = c.mass, c.p
    J = c.J
    swirl, drift, M_rf = ZERO, ZERO, body.M_rf
    if level == field.EXACT:
        rod_terms(ints, floats, scratch, body, q, v, x, flags)
        if flags & field.ELASTIC != 0:
            _elastic(floats, scratch, body, q, v)
        _nodes(floats, scratch, body, q, v, x, flags)
        return
    if level >= field.FULL:
        p, J, swirl, drift = _deformed(ints, floats, scratch, body, q, v, flags)
    if level == field.STIFFENED:
        p, drift = _bent(floats, scratch, body, q, v, p, flags)
    moments = shapes_record(s, m).moments
    modal_spread_two(floats, moments, A, scratch, M_rf, six(alpha, a), m, scratch, t)  # (2)
    if level >= field.FULL and flags & field.RATES != 0:
        swirl = add(swirl, _deformed_force(ints, floats, scratch, body, v, A))
    if flags & field.ELASTIC != 0:
        _elastic(floats, scratch, body, q, v)
    z_w = add(add(apply(J, alpha), cross(p, a)), add(cross(w, apply(J, w)), swirl))  # (1)
    z_v = add(add(scaled(mass, a), cross(alpha, p)), add(cross(w, cross(w, p)), drift))
    if flags & field.ACCELERATED != 0:
        e = modal_sums(scratch, M_rf, m, x, o_v)
        z_w, z_v = add(z_w, (e[0], e[1], e[2])), add(z_v, (e[3], e[4], e[5]))
        if level == field.FLOATING:
            modal_product(floats, point_mass(body), m, x, o_v, 1.0, scratch, t)
        elif body.n_lump == 0:
            for k in range(m):
                scratch[t + k] += x[o_v + k]  # (2)
    if level == field.FLOATING:
        J, p, z_w, z_v = seen_from_inboard(
            floats, scratch, body, point_mass(body), J, p, mass, z_w, z_v
        )
        b.rate = w_d
    if level >= field.FULL or body.n_lump != 0:  # else constant
        b.J = J
        b.p = p
        b.mass = mass
    b.z_w = z_w
    b.z_v = z_v
    if body.n_lump != 0:
        lump_terms(ints, floats, scratch, body, q, v, x, flags)
    _nodes(floats, scratch, body, q, v, x, flags)


@jit
def _spin(w):
    """Matrix A = w w^T - w^2 I, six numbers."""
    xx, yy, zz = w[0] * w[0], w[1] * w[1], w[2] * w[2]
    return -(yy + zz), w[0] * w[1], w[0] * w[2], -(xx + zz), w[1] * w[2], -(xx + yy)


@jit
def _elastic(floats, scratch, body, q, v):
    """Add K eta + C eta_dot to the modal forces (2)."""
    m, s = body.n_mode, body.shapes
    o_q, o_v = body.modal_q, body.modal_v
    d, t = body.damping, body.modal + m
    if body.damped == field.DIAGONAL:
        for k in range(m):
            scratch[t + k] += floats[s + k] * q[o_q + k] + floats[d + k] * v[o_v + k]
        return
    for k in range(m):
        scratch[t + k] += floats[s + k] * q[o_q + k]
    if body.damped == field.MATRIX:
        modal_product(floats, d, m, v, o_v, 1.0, scratch, t)


@jit
def _deformed(ints, floats, scratch, body, q, v, flags):
    """First moment and inertia of the deformed body, M_rf, and the vectors u_kl, o_k.

    Returns p, J, the moment 2 (tr(Q) w - Q^T w) and the force 2 w x (s eta_dot).
    """
    b, c = CarrierRecord(scratch, body.record), BodyConstants(floats, body.constants)
    m, s = body.n_mode, body.shapes
    o_q, o_v = body.modal_q, body.modal_v
    g, M_rf = body.second, body.M_rf
    u = ints[field.TEMPORARY] & POSITIVE  # six vectors u_kl, then three o_k
    w, bits = b.rate, body.products
    for k in range(9 * m):
        scratch[u + k] = 0.0
    product, shapes = modal_products(g, m), shapes_record(s, m)
    for k in range(9):
        if bits >> k & 1 != 0:
            modal_product(floats, product, m, q, o_q, 1.0, scratch, u + k * m)
            product += m * m
    for k in range(6 * m):
        scratch[M_rf + k] = floats[shapes.M_rf + k]
    for k in range(3 * m):
        scratch[M_rf + k] -= scratch[u + 6 * m + k]
    moved = modal_sums(floats, shapes.M_rf, m, q, o_q)
    p = add(c.p, (moved[3], moved[4], moved[5]))
    # L = L0 + sym(g eta) + eta^T N eta from J0 = tr(L0) I - L0, by its changes
    G, U = modal_sums(floats, shapes.moments, m, q, o_q), modal_sums(scratch, u, m, q, o_q)
    xx, yy, zz = 2.0 * G[0] + U[0], 2.0 * G[3] + U[3], 2.0 * G[5] + U[5]
    xy, xz, yz = G[1] + 0.5 * U[1], G[2] + 0.5 * U[2], G[4] + 0.5 * U[4]
    J = c.J
    J = J[0] + yy + zz, J[1] - xy, J[2] - xz, J[3] + xx + zz, J[4] - yz, J[5] + xx + yy
    if flags & field.RATES == 0:
        return p, J, ZERO, ZERO
    rate = modal_sums(floats, shapes.M_rf, m, v, o_v)
    drift = scaled(2.0, cross(w, (rate[3], rate[4], rate[5])))
    U = modal_sums(scratch, u, m, v, o_v)
    o_x = modal_dot(scratch, u + 6 * m, m, v, o_v)
    o_y = modal_dot(scratch, u + 7 * m, m, v, o_v)
    o_z = modal_dot(scratch, u + 8 * m, m, v, o_v)
    row_x = three_sums(floats, g, m, v, o_v)
    row_y = three_sums(floats, g + 3 * m, m, v, o_v)
    row_z = three_sums(floats, g + 6 * m, m, v, o_v)
    Q_x = row_x[0] + U[0], row_x[1] + 0.5 * (U[1] - o_z), row_x[2] + 0.5 * (U[2] + o_y)
    Q_y = row_y[0] + 0.5 * (U[1] + o_z), row_y[1] + U[3], row_y[2] + 0.5 * (U[4] - o_x)
    Q_z = row_z[0] + 0.5 * (U[2] - o_y), row_z[1] + 0.5 * (U[4] + o_x), row_z[2] + U[5]
    trace = Q_x[0] + Q_y[1] + Q_z[2]
    turned = add(add(scaled(w[0], Q_x), scaled(w[1], Q_y)), scaled(w[2], Q_z))  # Q^T w
    return p, J, scaled(2.0, added(scaled(trace, w), -1.0, turned)), drift


@jit
def _deformed_force(ints, floats, scratch, body, v, A):
    """Add the terms of the deformation to b_f: sum A_kl u_kl - 2 sum w_k O_k eta_dot.

    Returns the moment of (4).
    """
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    f, g = body.modal, body.second
    o_v, bits = body.modal_v, body.products
    w, product = b.rate, modal_products(g, m)
    b_f = modal_record(f, m).force
    modal_spread(scratch, ints[field.TEMPORARY] & POSITIVE, m, A, scratch, b_f)
    for k in range(9):
        if bits >> k & 1 != 0:
            if k >= 6:
                modal_product(floats, product, m, v, o_v, -2.0 * w[k - 6], scratch, b_f)
            product += m * m
    moment = ZERO
    for k in range(3):  # (3)
        if bits >> (9 + k) & 1 != 0:
            form = symmetric_form(floats, product, m, v, o_v, -2.0 * w[k], scratch, b_f)
            moment = added(moment, form, unit(k))
            product += m * m
    return moment


@jit
def _bent(floats, scratch, body, q, v, p, flags):
    """Second order of a body after `_deformed`: adds sigma eta to M_rf (3).

    Returns the first moment, and the force of (4) with 2 w x (s eta_dot).
    """
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    o_q, o_v = body.modal_q, body.modal_v
    g, M_rf = body.second, body.M_rf
    bits, product, pushed = body.products, modal_products(g, m), ZERO
    for k in range(12):
        product += (bits >> k & 1) * m * m
    for k in range(3):
        if bits >> (12 + k) & 1 != 0:
            s = M_rf + (3 + k) * m
            square, bend = symmetric_product(floats, product, m, q, o_q, v, o_v, scratch, s)
            p, pushed = added(p, 0.5 * square, unit(k)), added(pushed, bend, unit(k))
            product += m * m
    if flags & field.RATES == 0:
        return p, ZERO
    w, rate = b.rate, modal_sums(scratch, M_rf, m, v, o_v)
    return p, add(pushed, scaled(2.0, cross(w, (rate[3], rate[4], rate[5]))))


@jit
def _nodes(floats, scratch, body, q, v, x, flags):
    """Write the records of the nodes that carry children."""
    m, level = body.n_mode, body.level
    shapes, c = body.node_shapes, body.bending
    size = body.listed - node_size(m)
    for node in range(body.n_node):
        out = shapes + node * node_size(m)
        if level >= field.STIFFENED:
            deform_node(body, floats, c + node * size, scratch, q, v, scratch, out)
        d = CarrierRecord(scratch, body.nodes, node)
        moved = CarrierRecord(scratch, body.node_motion, node)
        E, l, J_l, w_t, alpha_t, a_t = node_motion(body, scratch, out, scratch, q, v, x, flags)
        moved.R = E
        d.arm = l
        d.J_l = J_l
        moved.rate = w_t
        moved.alpha = alpha_t
        moved.a = a_t
        d.z_w = ZERO
        d.z_v = ZERO
