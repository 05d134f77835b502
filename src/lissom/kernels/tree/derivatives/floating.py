"""Bodies whose shapes turn their inboard node d: columns of the frame F of the shapes.

F moves relative to d, which the hinge moves, opposite to d's motion relative to F: with u the
relative velocity of d, s its relative acceleration, xi_d, sigma, tau, pi of `nodes` for d in F,
  V_F = V_d - u    A_F = A_d - V_F x u - s                                                    (1)
  xi_F = -xi_d     psi_1 = V_F x xi_F - sigma
  psi_2 = A_d x xi_F - psi_1 x u - V_F x (sigma + xi_d x u) - tau - xi_d x s - psi_1 x V_F    (2)
  phi_2 = (V_d + V_F) x xi_F - pi
Everything on F has the sum of these columns and of its own in F.  Motions of nodes turn with F:
  d xi_i along j = xi_Fj x xi_i + (d xi_i in F)     d xi_Fi = xi_Fj x xi_Fi - (d xi_di in F)  (3)
"""

from __future__ import annotations

from ...compiling import jit
from ...small import add, added, cross, matrix, product, scaled, transposed, turn, turn_back, vector
from ..modal import modal_sums
from .frames import (
    ACCELERATION,
    COLUMNS,
    PHI_2,
    PLACE,
    PSI_1,
    PSI_2,
    TURN,
    VELOCITY,
    clear_frame,
    force_cross,
    motion_cross,
    put_column,
    rows_of,
)
from .nodes import moved_to_common, relative_derivatives
from .turning import turning_slopes


@jit
def frame_columns(floats, work, body, b, F, columns, q, v, x):
    """Write frame and columns of F, (1) and (2); b: frame of the inboard node."""
    m, c = body.n_mode, body.rod
    o_q, o_v = body.modal_q, body.modal_v
    d, e = modal_sums(floats, c, m, q, o_q), modal_sums(floats, c, m, v, o_v)
    g = modal_sums(floats, c, m, x, o_v)
    l, l_dot, l_ddot = (d[3], d[4], d[5]), (e[3], e[4], e[5]), (g[3], g[4], g[5])
    slopes = turning_slopes((d[0], d[1], d[2]), (e[0], e[1], e[2]), (g[0], g[1], g[2]))
    E, J, w, w_dot, by_turn, by_turn_dot, by_rate = slopes
    C, p = product(matrix(work, b + TURN), transposed(E)), vector(work, b + PLACE)
    V_w, V_v = vector(work, b + VELOCITY), vector(work, b + VELOCITY + 3)
    A_w, A_v = vector(work, b + ACCELERATION), vector(work, b + ACCELERATION + 3)
    u_w, u_v = moved_to_common(C, p, w, l_dot)
    s_w, s_v = moved_to_common(C, p, w_dot, added(l_ddot, -1.0, cross(w, l_dot)))
    F_w, F_v = added(V_w, -1.0, u_w), added(V_v, -1.0, u_v)
    turned = motion_cross(F_w, F_v, u_w, u_v)
    for k in range(9):
        work[F + TURN + k] = C[k]
    place = added(p, -1.0, turn(C, l))
    a_w, a_v = added(A_w, -1.0, add(turned[0], s_w)), added(A_v, -1.0, add(turned[1], s_v))
    for k in range(3):
        work[F + PLACE + k] = place[k]
        work[F + VELOCITY + k], work[F + VELOCITY + 3 + k] = F_w[k], F_v[k]
        work[F + ACCELERATION + k], work[F + ACCELERATION + 3 + k] = a_w[k], a_v[k]
    clear_frame(work, F)
    both_w, both_v = add(V_w, F_w), add(V_v, F_v)
    zero = 0.0, 0.0, 0.0
    for j in range(m):
        a, d_j = rows_of(floats, c, m, j), rows_of(floats, c + 3 * m, m, j)
        w_j = turn(J, a)
        sigma, tau, pi = relative_derivatives(
            w, l_dot, w_dot, l_ddot, w_j, d_j, turn(by_turn, a), zero, turn(by_turn_dot, a), zero,
            turn(by_rate, a), zero,
        )  # fmt: skip
        d_w, d_v = moved_to_common(C, p, w_j, d_j)
        g_w, g_v = moved_to_common(C, p, sigma[0], sigma[1])
        t_w, t_v = moved_to_common(C, p, tau[0], tau[1])
        pi_w, pi_v = moved_to_common(C, p, pi[0], pi[1])
        xi_w, xi_v = scaled(-1.0, d_w), scaled(-1.0, d_v)
        one = motion_cross(F_w, F_v, xi_w, xi_v)
        psi_w, psi_v = added(one[0], -1.0, g_w), added(one[1], -1.0, g_v)
        one = motion_cross(A_w, A_v, xi_w, xi_v)
        two = motion_cross(psi_w, psi_v, V_w, V_v)  # u + V_F = V_d
        three = motion_cross(d_w, d_v, u_w, u_v)
        three = motion_cross(F_w, F_v, add(g_w, three[0]), add(g_v, three[1]))
        four = motion_cross(d_w, d_v, s_w, s_v)
        five = motion_cross(both_w, both_v, xi_w, xi_v)
        put_column(
            work, columns, m, j, xi_w, xi_v, psi_w, psi_v,
            added(one[0], -1.0, add(add(two[0], three[0]), add(t_w, four[0]))),
            added(one[1], -1.0, add(add(two[1], three[1]), add(t_v, four[1]))),
            added(five[0], -1.0, pi_w), added(five[1], -1.0, pi_v),
        )  # fmt: skip


@jit
def frame_motion_in_axes(work, F):
    """Rate, angular acceleration and acceleration of the origin of F, in its axes."""
    C, p = matrix(work, F + TURN), vector(work, F + PLACE)
    w, V = vector(work, F + VELOCITY), vector(work, F + VELOCITY + 3)
    alpha, A = vector(work, F + ACCELERATION), vector(work, F + ACCELERATION + 3)
    a = add(added(A, -1.0, cross(p, alpha)), cross(w, add(V, cross(w, p))))
    return turn_back(C, w), turn_back(C, alpha), turn_back(C, a)


@jit
def add_frame_columns(work, b, at, columns, base, m):
    """Add the columns of F to those of a node, whose children are in the axes of the body b."""
    for k in range(COLUMNS * m):
        work[columns + k] += work[base + k]
    for k in range(9):
        work[at + TURN + k] = work[b + TURN + k]


@jit
def rows_on_frame(work, terms, m):
    """Add what the columns of F do with the body's own rows, and its motions with own columns."""
    for i in range(m):
        A_w, A_v = rows_of(work, terms.A, m, i), rows_of(work, terms.A + 3 * m, m, i)
        B, to, xi = rows_of(work, terms.B, m, i), i * m, terms.base_columns
        for j in range(m):
            psi_2 = xi + PSI_2 * m
            work[terms.D_q + to + j] += (
                _dot_rows(work, psi_2, m, j, A_w, A_v)
                + _three(work, xi + PSI_1 * m, m, j, B)
                + _dot_rows(work, terms.F, m, j, *_six(work, xi, m, i))
            )
            work[terms.D_v + to + j] += (
                _dot_rows(work, xi + PHI_2 * m, m, j, A_w, A_v)
                + _three(work, xi, m, j, B)
                + _dot_rows(work, terms.G, m, j, *_six(work, xi, m, i))
            )
            work[terms.M + to + j] += _dot_rows(work, xi, m, j, A_w, A_v) + _dot_rows(
                work, terms.A, m, j, *_six(work, xi, m, i)
            )


@jit
def _six(work, o, m, k):
    return rows_of(work, o, m, k), rows_of(work, o + 3 * m, m, k)


@jit
def _three(work, o, m, k, a):
    return work[o + k] * a[0] + work[o + m + k] * a[1] + work[o + 2 * m + k] * a[2]


@jit
def _dot_rows(work, o, m, k, a_w, a_v):
    return _three(work, o, m, k, a_w) + _three(work, o + 3 * m, m, k, a_v)


@jit
def turned_with_frame(work, terms, m, columns, n, f):
    """Add (xi_Fj x xi_i) . (n, f) of (3) to D_q[i, j]; xi_i of these columns, less that of F.

    With the columns of F themselves: xi_Fj x xi_Fi.
    """
    itself = columns == terms.base_columns
    for i in range(m):
        xi_w, xi_v = _six(work, columns, m, i)
        if not itself:
            F_w, F_v = _six(work, terms.base_columns, m, i)
            xi_w, xi_v = added(xi_w, -1.0, F_w), added(xi_v, -1.0, F_v)
        # (a x b) . f = a . (b x* f)
        t_w, t_v = force_cross(xi_w, xi_v, n, f)
        for j in range(m):
            work[terms.D_q + i * m + j] += _dot_rows(work, terms.base_columns, m, j, t_w, t_v)
