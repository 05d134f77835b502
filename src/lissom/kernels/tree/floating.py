"""Bodies whose shapes turn their inboard node d: from the frame F of the shapes to that node.

The terms of the point masses are found in F, as those of any body, and moved to d; equations (16)
and (17) of `body_terms`.  In axes of F, with the inboard node at l_d, attitude E_d, rate w_d and
bias B_d there, and [w; alpha; a] the motion of d:
  S = [-Pi_w; Pi_w x l_d - Pi_v] of d,  u = w_d x l_d - l_d_dot                               (1)
  w_F = w - w_d
  alpha_F = alpha - B_d - w x w_d                                                             (2)
  a_F = a - alpha x l_d - w x (w x l_d) + 2 w x u
        - w_d x (w_d x l_d) + B_d x l_d + 2 w_d x l_d_dot                                     (3)
Both accelerations also have S eta_ddot where accelerations are given.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..records import floating_record, modal_record, node_record
from ..small import (
    add,
    added,
    apply,
    cross,
    dot,
    matrix,
    one_plus,
    product,
    put_matrix,
    put_vector,
    rotation_coefficients,
    scaled,
    six,
    transposed,
    turn,
    turn_back,
    turned_symmetric,
    vector,
)
from .modal import modal_spread, modal_sums
from .rigid import shifted_inertia


@jit
def _turning(theta, theta_dot):
    """Attitude exp([theta]x), J_l, J_l theta_dot and dJ_l/dt theta_dot."""
    a0, b0, c0, b1, c1 = rotation_coefficients(dot(theta, theta))
    J_l, y, s = one_plus(b0, c0, theta), cross(theta, theta_dot), dot(theta, theta_dot)
    bias = add(scaled(b1 * s, y), scaled(c1 * s, cross(theta, y)))
    bias = added(bias, c0, cross(theta_dot, y))
    return one_plus(a0, b0, theta), J_l, turn(J_l, theta_dot), bias


@jit
def inboard_node(floats, scratch, body, q, v, moving):
    """Write the record of the inboard node in F, and S (1)."""
    m, c = body.n_mode, body.rod
    at = floating_record(body.stations, m)
    d = modal_sums(floats, c, m, q, body.modal_q)
    e = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if moving:
        e = modal_sums(floats, c, m, v, body.modal_v)
    E, J_l, w, bias = _turning((d[0], d[1], d[2]), (e[0], e[1], e[2]))
    l = d[3], d[4], d[5]
    put_matrix(scratch, at.turn, E)
    put_vector(scratch, at.place, l)
    put_vector(scratch, at.place_rate, (e[3], e[4], e[5]))
    put_vector(scratch, at.rate, w)
    put_vector(scratch, at.bias, bias)
    for a in range(m):
        pi_w = turn(J_l, (floats[c + a], floats[c + m + a], floats[c + 2 * m + a]))
        pi_v = floats[c + 3 * m + a], floats[c + 4 * m + a], floats[c + 5 * m + a]
        swung = added(cross(pi_w, l), -1.0, pi_v)
        for k in range(3):
            scratch[at.shapes + k * m + a] = pi_w[k]
            scratch[at.shapes + (3 + k) * m + a] = pi_v[k]
            scratch[at.frame + k * m + a] = -pi_w[k]
            scratch[at.frame + (3 + k) * m + a] = swung[k]


@jit
def frame_motion(scratch, body, w, alpha, a, x, flags):
    """Rate and acceleration of F in its axes (2), (3), from those of the inboard node in its own.

    After `inboard_node`.
    """
    m = body.n_mode
    at = floating_record(body.stations, m)
    E, l = matrix(scratch, at.turn), vector(scratch, at.place)
    w, alpha, a = turn(E, w), turn(E, alpha), turn(E, a)
    a = added(a, -1.0, cross(alpha, l))
    if flags & field.RATES != 0:
        w_d, bias = vector(scratch, at.rate), vector(scratch, at.bias)
        rate = vector(scratch, at.place_rate)
        u = added(cross(w_d, l), -1.0, rate)
        alpha = added(alpha, -1.0, add(bias, cross(w, w_d)))
        a = add(a, cross(w, added(scaled(2.0, u), -1.0, cross(w, l))))
        a = add(a, add(cross(bias, l), cross(w_d, added(scaled(2.0, rate), -1.0, cross(w_d, l)))))
        w = added(w, -1.0, w_d)
    if flags & field.ACCELERATED != 0:
        d = modal_sums(scratch, at.frame, m, x, body.modal_v)
        alpha, a = add(alpha, (d[0], d[1], d[2])), add(a, (d[3], d[4], d[5]))
    return w, alpha, a


@jit
def seen_from_inboard(floats, scratch, body, points, J, p, mass, z_w, z_v):
    """Move inertia and forces from F to the inboard node; returns J, p and the force there.

    M_rf and the modal forces are changed in place, and M_ff is written; floats[points]: that in F.
    """
    m, M_rf = body.n_mode, body.M_rf
    _W, t, M_ff = modal_record(body.modal, m)
    at = floating_record(body.stations, m)
    E, l, S = matrix(scratch, at.turn), vector(scratch, at.place), at.frame
    modal_spread(scratch, S, m, six(z_w, z_v), scratch, t)
    for i in range(m):
        for j in range(m):
            scratch[M_ff + i * m + j] = floats[points + i * m + j]
    _add_products(scratch, M_rf, S, m, M_ff, True)  # M_rf^T S
    for i in range(m):
        s_w = scratch[S + i], scratch[S + m + i], scratch[S + 2 * m + i]
        s_v = scratch[S + 3 * m + i], scratch[S + 4 * m + i], scratch[S + 5 * m + i]
        n = add(apply(J, s_w), cross(p, s_v))
        f = added(cross(s_w, p), mass, s_v)
        for k in range(3):
            scratch[M_rf + k * m + i] += n[k]
            scratch[M_rf + (3 + k) * m + i] += f[k]
    _add_products(scratch, M_rf, S, m, M_ff, False)  # S^T (M_rf + M_rr S)
    for i in range(m):
        n = scratch[M_rf + i], scratch[M_rf + m + i], scratch[M_rf + 2 * m + i]
        f = scratch[M_rf + 3 * m + i], scratch[M_rf + 4 * m + i], scratch[M_rf + 5 * m + i]
        n, f = turn_back(E, added(n, -1.0, cross(l, f))), turn_back(E, f)
        for k in range(3):
            scratch[M_rf + k * m + i] = n[k]
            scratch[M_rf + (3 + k) * m + i] = f[k]
    J, p = shifted_inertia(J, p, mass, scaled(-1.0, l))
    z_w = added(z_w, -1.0, cross(l, z_v))
    return (
        turned_symmetric(transposed(E), J),
        turn_back(E, p),
        turn_back(E, z_w),
        turn_back(E, z_v),
    )


@jit
def _add_products(scratch, rows, S, m, M_ff, flipped):
    """Add rows^T S to M_ff, or S^T rows; six rows of m numbers each."""
    for i in range(m):
        for j in range(m):
            s = 0.0
            for k in range(6):
                s += scratch[rows + k * m + i] * scratch[S + k * m + j]
            scratch[M_ff + (i * m + j if flipped else j * m + i)] += s


@jit
def floating_node(body, c, o, scratch, q, v, y, out):
    """Write the record of a node to y[out], from its place 3 and shapes 6m in F at c[o].

    After `inboard_node`.
    """
    m, shapes, node = body.n_mode, o + 3, node_record(out)
    at = floating_record(body.stations, m)
    d = modal_sums(c, shapes, m, q, body.modal_q)
    e = modal_sums(c, shapes, m, v, body.modal_v)
    E, J_l, w, bias = _turning((d[0], d[1], d[2]), (e[0], e[1], e[2]))
    E_d, w_d, bias_d = matrix(scratch, at.turn), vector(scratch, at.rate), vector(scratch, at.bias)
    l = added(add(vector(c, o), (d[3], d[4], d[5])), -1.0, vector(scratch, at.place))
    rate = added((e[3], e[4], e[5]), -1.0, vector(scratch, at.place_rate))
    relative = added(w, -1.0, w_d)
    angular = added(added(bias, -1.0, bias_d), -1.0, cross(w_d, relative))
    linear = added(cross(w_d, added(cross(w_d, l), -2.0, rate)), -1.0, cross(bias_d, l))
    put_matrix(y, node.turn, product(transposed(E_d), E))
    put_vector(y, node.position, turn_back(E_d, l))
    put_vector(y, node.bend, turn_back(E_d, angular))
    put_vector(y, node.bend + 3, turn_back(E_d, linear))
    for a in range(m):
        s, D = shapes + a, at.shapes + a
        held_w = scratch[D], scratch[D + m], scratch[D + 2 * m]
        held_v = scratch[D + 3 * m], scratch[D + 4 * m], scratch[D + 5 * m]
        pi_w = added(turn(J_l, (c[s], c[s + m], c[s + 2 * m])), -1.0, held_w)
        pi_v = c[s + 3 * m], c[s + 4 * m], c[s + 5 * m]
        pi_v = added(pi_v, -1.0, add(held_v, cross(held_w, l)))
        pi_w, pi_v = turn_back(E_d, pi_w), turn_back(E_d, pi_v)
        for k in range(3):
            y[node.shapes + k * m + a] = pi_w[k]
            y[node.shapes + (3 + k) * m + a] = pi_v[k]
