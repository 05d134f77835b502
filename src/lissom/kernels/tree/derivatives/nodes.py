"""Columns of modes at the nodes of a flexible body.

A node moves relative to its body like the outboard side of a joint whose motions Pi_hat depend on
its coordinates.  In body axes at the node, with w_j, d_j the two halves of column j of Pi_hat, w
and l_dot the relative rates, w_dot and l_ddot the relative accelerations of a body at rest:
  sigma_j = [w|j - w_j x w;  l_dot|j - w_j x l_dot]                                           (1)
  tau_j = [w_dot|j - w_j x w_dot;
           l_ddot|j - w|j x l_dot - w x l_dot|j - w_j x (l_ddot - w x l_dot)]
  pi_j = [w_dot|j';  l_ddot|j' - w_j x l_dot - w x d_j]                                       (2)
where |j is the derivative by eta_j, and |j' that by its rate.  The columns follow by (2)-(4) of
`hinges`, V_N and A_N being those of the body and V that of the node.

With theta = Pi_w eta and l = l_0 + Pi_v eta the derivatives are those of `turning` times Pi_w; at
level "stiffened" S eta_dot and S eta_ddot of (3) of `nodes` are added.
"""

from __future__ import annotations

from typing import NamedTuple

from ...compiling import jit
from ...records import node_record
from ...small import ZERO, add, added, cross, dot, matrix, scaled, turn, turn_back, vector
from ..modal import modal_sums
from .frames import ACCELERATION, PLACE, TURN, VELOCITY, motion_cross, put_column, rows_of
from .turning import moment_curvature, turning_jacobian, turning_slopes


class Bend(NamedTuple):
    """Second order of a node: rows of S that are not zero, and where they are; see `nodes`."""

    bits: int
    S: int


@jit
def shape_columns(body, c, o, s, bent, work, b, at, columns, q, v, x):
    """Write frame and columns of one node; c[o]: its record, s: array of its second order."""
    m, node = body.n_mode, node_record(o)
    o_q, o_v = body.modal_q, body.modal_v
    d, e = modal_sums(c, node.shapes, m, q, o_q), modal_sums(c, node.shapes, m, v, o_v)
    g = modal_sums(c, node.shapes, m, x, o_v)
    theta = add(vector(c, node.turn), (d[0], d[1], d[2]))
    l = add(vector(c, node.position), (d[3], d[4], d[5]))
    second = add((g[0], g[1], g[2]), vector(c, node.bend))
    l_dot, l_ddot = (e[3], e[4], e[5]), add((g[3], g[4], g[5]), vector(c, node.bend + 3))
    slopes = turning_slopes(theta, (e[0], e[1], e[2]), second)
    _E, J, w, w_dot, by_turn, by_turn_dot, by_rate = slopes
    place_node(work, b, at, l, w, l_dot, w_dot, l_ddot)
    for j in range(m):
        a, d_j = rows_of(c, node.shapes, m, j), rows_of(c, node.shapes + 3 * m, m, j)
        w_j, w_q = turn(J, a), turn(by_turn, a)
        w_dot_q, w_dot_v = turn(by_turn_dot, a), turn(by_rate, a)
        l_dot_q, l_ddot_q, l_ddot_v = ZERO, ZERO, ZERO
        if bent.bits != 0:
            r_w, r_v = _bending(s, bent, m, v, o_v, j)
            s_w, s_v = _bending(s, bent, m, x, o_v, j)
            bent_w = turn(J, r_w)
            w_q, w_dot_q = add(w_q, bent_w), add(w_dot_q, add(turn(J, s_w), turn(by_rate, r_w)))
            w_dot_v = added(w_dot_v, 2.0, bent_w)
            l_dot_q, l_ddot_q, l_ddot_v = r_v, s_v, scaled(2.0, r_v)
        put_mode(
            work, b, at, columns, m, j, w, l_dot, w_dot, l_ddot,
            w_j, d_j, w_q, l_dot_q, w_dot_q, l_ddot_q, w_dot_v, l_ddot_v,
        )  # fmt: skip


@jit
def _bending(s, bent, m, x, o_x, j):
    """Rows of S times x, of mode j: [rho x; h x]."""
    found_w, found_v, o = ZERO, ZERO, bent.S
    for k in range(6):
        if bent.bits >> k & 1 != 0:
            e = 0.0
            for i in range(m):
                e += s[o + j * m + i] * x[o_x + i]
            if k == 0:
                found_w = e, found_w[1], found_w[2]
            elif k == 1:
                found_w = found_w[0], e, found_w[2]
            elif k == 2:
                found_w = found_w[0], found_w[1], e
            elif k == 3:
                found_v = e, found_v[1], found_v[2]
            elif k == 4:
                found_v = found_v[0], e, found_v[2]
            else:
                found_v = found_v[0], found_v[1], e
            o += m * m
    return found_w, found_v


@jit
def place_node(work, b, at, l, w, l_dot, w_dot, l_ddot):
    """Write place, velocity and acceleration of a node, from its relative motion in body axes."""
    C = matrix(work, b + TURN)
    p = add(vector(work, b + PLACE), turn(C, l))
    for k in range(9):
        work[at + TURN + k] = C[k]
    u_w, u_v = turn(C, w), turn(C, l_dot)
    u_v = add(u_v, cross(p, u_w))
    V_w, V_v = vector(work, b + VELOCITY), vector(work, b + VELOCITY + 3)
    t_w, t_v = turn(C, w_dot), turn(C, added(l_ddot, -1.0, cross(w, l_dot)))
    A_w, A_v = motion_cross(V_w, V_v, u_w, u_v)
    A_w = add(A_w, add(vector(work, b + ACCELERATION), t_w))
    A_v = add(A_v, add(vector(work, b + ACCELERATION + 3), add(t_v, cross(p, t_w))))
    V_w, V_v = add(V_w, u_w), add(V_v, u_v)
    for k in range(3):
        work[at + PLACE + k] = p[k]
        work[at + VELOCITY + k], work[at + VELOCITY + 3 + k] = V_w[k], V_v[k]
        work[at + ACCELERATION + k], work[at + ACCELERATION + 3 + k] = A_w[k], A_v[k]


@jit
def relative_derivatives(
    w, l_dot, w_dot, l_ddot, w_j, d_j, w_q, l_dot_q, w_dot_q, l_ddot_q, w_dot_v, l_ddot_v
):
    """Terms sigma, tau (1) and pi (2) of a mode from the derivatives of the relative motion."""
    sigma = added(w_q, -1.0, cross(w_j, w)), added(l_dot_q, -1.0, cross(w_j, l_dot))
    t_v = added(l_ddot_q, -1.0, add(cross(w_q, l_dot), cross(w, l_dot_q)))
    t_v = added(t_v, -1.0, cross(w_j, added(l_ddot, -1.0, cross(w, l_dot))))
    tau = added(w_dot_q, -1.0, cross(w_j, w_dot)), t_v
    pi_v = added(l_ddot_v, -1.0, add(cross(w_j, l_dot), cross(w, d_j)))
    return sigma, tau, (w_dot_v, pi_v)


@jit
def put_mode(
    work, b, at, columns, m, j, w, l_dot, w_dot, l_ddot,
    w_j, d_j, w_q, l_dot_q, w_dot_q, l_ddot_q, w_dot_v, l_ddot_v,
):  # fmt: skip
    """Write column j of a node from its relative motion and the derivatives of that, body axes."""
    C, p = matrix(work, at + TURN), vector(work, at + PLACE)
    N_w, N_v = vector(work, b + VELOCITY), vector(work, b + VELOCITY + 3)
    B_w, B_v = add(N_w, vector(work, at + VELOCITY)), add(N_v, vector(work, at + VELOCITY + 3))
    A_w, A_v = vector(work, b + ACCELERATION), vector(work, b + ACCELERATION + 3)
    sigma, tau, pi = relative_derivatives(
        w, l_dot, w_dot, l_ddot, w_j, d_j, w_q, l_dot_q, w_dot_q, l_ddot_q, w_dot_v, l_ddot_v
    )
    xi_w, xi_v = moved_to_common(C, p, w_j, d_j)
    s_w, s_v = moved_to_common(C, p, sigma[0], sigma[1])
    t_w, t_v = moved_to_common(C, p, tau[0], tau[1])
    pi_w, pi_v = moved_to_common(C, p, pi[0], pi[1])
    e_w, e_v = motion_cross(N_w, N_v, xi_w, xi_v)
    one, two = motion_cross(A_w, A_v, xi_w, xi_v), motion_cross(N_w, N_v, e_w, e_v)
    three, four = motion_cross(B_w, B_v, s_w, s_v), motion_cross(B_w, B_v, xi_w, xi_v)
    put_column(
        work, columns, m, j, xi_w, xi_v, add(e_w, s_w), add(e_v, s_v),
        add(add(one[0], two[0]), add(three[0], t_w)), add(add(one[1], two[1]), add(three[1], t_v)),
        add(four[0], pi_w), add(four[1], pi_v),
    )  # fmt: skip


@jit
def moved_to_common(C, p, a_w, a_v):
    """Motion at a point p, in axes turned by C, about the common point in world axes."""
    a_w, a_v = turn(C, a_w), turn(C, a_v)
    return a_w, add(a_v, cross(p, a_w))


@jit
def shape_curvature(body, c, o, s, bent, q, n, f, work, D, sign):
    """Add sign times (d Pi_hat_i along j) . (n, f) of a node to D[i, j]; the force in body axes.

    n . d w_i + f . (d d_i + d_j x w_i), the last because the force acts about a fixed point; with
    Y of `turning`: Pi_wj^T Y Pi_wi, and S at level "stiffened".
    """
    m, node = body.n_mode, node_record(o)
    n, f = scaled(sign, n), scaled(sign, f)
    d = modal_sums(c, node.shapes, m, q, body.modal_q)
    theta = add(vector(c, node.turn), (d[0], d[1], d[2]))
    Y, J = moment_curvature(theta, n), turning_jacobian(theta)
    for i in range(m):
        a = rows_of(c, node.shapes, m, i)
        bent_a, w_i = turn(Y, a), turn(J, a)
        arm = cross(w_i, f)
        for j in range(m):
            work[D + i * m + j] += dot(rows_of(c, node.shapes, m, j), bent_a)
            work[D + i * m + j] += dot(rows_of(c, node.shapes + 3 * m, m, j), arm)
    n, S = turn_back(J, n), bent.S
    for k in range(6):
        if bent.bits >> k & 1 != 0:
            e = n[k] if k < 3 else f[k - 3]
            for i in range(m * m):
                work[D + i] += e * s[S + i]
            S += m * m
