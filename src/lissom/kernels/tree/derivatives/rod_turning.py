"""Derivatives of the turning of a rod over one piece (`rod_pieces`).

The piece turns its end by R' = R exp[psi]x, psi a polynomial of the moments a = (a1, a2, a3).  They
are linear in the coordinates: coordinate j bends about e, da = (alpha_1, alpha_2, alpha_3) e.
From R, W, w and w_dot at the start of the piece, root axes, with the local turning
u = J_l psi_dot, s = J_l psi_ddot + J_l' psi_dot of `turning` and their derivatives |j, |j':
  W'     = W_j + R J_l psi|j
  w|j    = w|j + W_j x R u + R u|j                                                            (1)
  w_dot|j  = w_dot|j + w|j x R u + w x (W_j x R u + R u|j) + W_j x R s + R s|j                (2)
  w_dot|j' = w_dot|j' + W_j x R u + w x R J_l psi|j + R s|j'                                  (3)
"""

from __future__ import annotations

from ...compiling import jit
from ...small import ZERO, add, added, cross, dot, scaled, turn, turn_back, unit, vector
from .frames import put_rows, rows_of
from .turning import moment_curvature, turning_slopes

SCALE = 1.0 / 240.0


@jit
def magnus(a1, a2, a3, d1, d2, d3, s1, s2, s3):
    """Rotation vector psi, its rate and its second rate, and their factors.

    a, d, s: moments, their rates and second rates.
    """
    C, C_1 = cross(a2, a1), add(cross(d2, a1), cross(a2, d1))
    C_2 = add(scaled(2.0, cross(d2, d1)), add(cross(s2, a1), cross(a2, s1)))
    g, g_1, g_2 = added(C, 2.0, a3), added(C_1, 2.0, d3), added(C_2, 2.0, s3)
    Q = added(a2, 1.0 / 60.0, cross(a1, g))
    Q_1 = added(d2, 1.0 / 60.0, add(cross(d1, g), cross(a1, g_1)))
    second = add(add(cross(s1, g), scaled(2.0, cross(d1, g_1))), cross(a1, g_2))
    Q_2 = added(s2, 1.0 / 60.0, second)
    P = added(added(C, -20.0, a1), -1.0, a3)
    P_1 = added(added(C_1, -20.0, d1), -1.0, d3)
    P_2 = added(added(C_2, -20.0, s1), -1.0, s3)
    psi = added(added(a1, 1.0 / 12.0, a3), SCALE, cross(Q, P))
    rate = added(added(d1, 1.0 / 12.0, d3), SCALE, add(cross(Q_1, P), cross(Q, P_1)))
    both = add(add(cross(Q_2, P), scaled(2.0, cross(Q_1, P_1))), cross(Q, P_2))
    second = added(added(s1, 1.0 / 12.0, s3), SCALE, both)
    return psi, rate, second, (g, g_1, g_2), (Q, Q_1, Q_2), (P, P_1, P_2)


@jit
def magnus_along(a1, a2, d1, d2, s1, s2, g, Q, P, e1, e2, e3):
    """Changes of psi and of its two rates by a change e of the moments; after `magnus`."""
    C = add(cross(e2, a1), cross(a2, e1))
    C_1, C_2 = add(cross(d2, e1), cross(e2, d1)), add(cross(s2, e1), cross(e2, s1))
    h = added(C, 2.0, e3)
    q = added(e2, 1.0 / 60.0, add(cross(e1, g[0]), cross(a1, h)))
    q_1 = scaled(1.0 / 60.0, add(add(cross(d1, h), cross(e1, g[1])), cross(a1, C_1)))
    q_2 = add(add(cross(s1, h), scaled(2.0, cross(d1, C_1))), add(cross(e1, g[2]), cross(a1, C_2)))
    q_2 = scaled(1.0 / 60.0, q_2)
    p = added(added(C, -20.0, e1), -1.0, e3)
    psi = added(added(e1, 1.0 / 12.0, e3), SCALE, add(cross(q, P[0]), cross(Q[0], p)))
    rate = add(add(cross(q_1, P[0]), cross(Q[1], p)), add(cross(q, P[1]), cross(Q[0], C_1)))
    second = add(add(cross(q_2, P[0]), cross(Q[2], p)), add(cross(q, P[2]), cross(Q[0], C_2)))
    second = added(second, 2.0, add(cross(q_1, P[1]), cross(Q[1], C_1)))
    return psi, scaled(SCALE, rate), scaled(SCALE, second)


@jit
def unit_moments(k):
    """Change of one of the nine moments: of a1 about x, y, z, then of a2, of a3."""
    e = unit(k % 3)
    return (e if k < 3 else ZERO, e if 3 <= k < 6 else ZERO, e if k >= 6 else ZERO)


@jit
def axis_of(body, i):
    """Axis about which a coordinate bends; 3 for one of stretch or shear."""
    if i < body.first_xz:
        return 2
    if i < body.first_torsion:
        return 1
    return 0 if i < body.first_stretch else 3


@jit
def moments_of(body, c, moments, x, o_x):
    """Sums a1, a2, a3 of coordinates or rates."""
    m = body.n_mode
    a1, a2, a3 = ZERO, ZERO, ZERO
    for i in range(body.first_stretch):
        e, y = unit(axis_of(body, i)), x[o_x + i]
        a1 = added(a1, c[moments + i] * y, e)
        a2 = added(a2, c[moments + m + i] * y, e)
        a3 = added(a3, c[moments + 2 * m + i] * y, e)
    return a1, a2, a3


@jit
def piece_moments(body, c, natural, moments, q, v, x):
    """Moments of a piece, their rates and second rates."""
    o_q, o_v = body.modal_q, body.modal_v
    a1, a2, a3 = moments_of(body, c, moments, q, o_q)
    a = (
        add(vector(c, natural), a1),
        add(vector(c, natural + 3), a2),
        add(vector(c, natural + 6), a3),
    )
    return a, moments_of(body, c, moments, v, o_v), moments_of(body, c, moments, x, o_v)


@jit
def turn_piece(body, c, natural, moments, q, v, x, R, w, w_dot, work, start, end, table):
    """Derivatives at the end of a piece (1)-(3); returns rate and acceleration there.

    R, w, w_dot: at the start.  work[start:], work[end:]: W, w|j, w_dot|j, w_dot|j' at its ends,
    three rows of m each.  work[table:]: 81 numbers of work.
    """
    m = body.n_mode
    a, d, s = piece_moments(body, c, natural, moments, q, v, x)
    psi, rate, second, g, Q, P = magnus(*a, *d, *s)
    _E, J, u, accelerated, by_turn, by_turn_dot, by_rate = turning_slopes(psi, rate, second)
    for k in range(9):
        e1, e2, e3 = unit_moments(k)
        by_q, by_v, by_x = magnus_along(a[0], a[1], d[0], d[1], s[0], s[1], g, Q, P, e1, e2, e3)
        for i in range(3):
            work[table + 9 * k + i] = by_q[i]
            work[table + 9 * k + 3 + i] = by_v[i]
            work[table + 9 * k + 6 + i] = by_x[i]
    y, z = turn(R, u), turn(R, accelerated)
    for j in range(m):
        W, w_q = rows_of(work, start, m, j), rows_of(work, start + 3 * m, m, j)
        a_q, a_v = rows_of(work, start + 6 * m, m, j), rows_of(work, start + 9 * m, m, j)
        axis, e_q, e_v, e_x = axis_of(body, j), ZERO, ZERO, ZERO
        if axis < 3:
            for k in range(3):
                o, alpha = table + 9 * (3 * k + axis), c[moments + k * m + j]
                e_q = added(e_q, alpha, vector(work, o))
                e_v = added(e_v, alpha, vector(work, o + 3))
                e_x = added(e_x, alpha, vector(work, o + 6))
        u_q = turn(R, add(turn(by_turn, e_q), turn(J, e_v)))
        s_q = turn(R, add(add(turn(by_turn_dot, e_q), turn(by_rate, e_v)), turn(J, e_x)))
        s_v = turn(R, add(turn(by_rate, e_q), scaled(2.0, turn(J, e_v))))
        turned, swung = turn(R, turn(J, e_q)), cross(W, y)
        a_q = add(add(a_q, cross(w_q, y)), add(cross(w, add(swung, u_q)), add(cross(W, z), s_q)))
        a_v = add(add(a_v, swung), add(cross(w, turned), s_v))
        put_rows(work, end, m, j, add(W, turned))
        put_rows(work, end + 3 * m, m, j, add(add(w_q, swung), u_q))
        put_rows(work, end + 6 * m, m, j, a_q)
        put_rows(work, end + 9 * m, m, j, a_v)
    return add(w, y), add(w_dot, add(cross(w, y), z))


@jit
def piece_curvature(body, c, natural, moments, q, R, M, work, start, table, D):
    """Add M . (d (R J_l psi|i) along j), R at the start of the piece, to D[i, j].

    W_j x (R J_l psi|i) + R (d J_l along psi|j) psi|i + R J_l psi|ij                          (4)
    work[start:]: W at the start; work[table:]: 27 + 81 numbers of work.
    """
    m, bends = body.n_mode, body.first_stretch
    a, _d, _s = piece_moments(body, c, natural, moments, q, q, q)
    psi, _1, _2, g, Q, P = magnus(*a, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO)
    _E, J, _u, _a, _b, _c, _e = turning_slopes(psi, ZERO, ZERO)
    n = turn_back(R, M)
    Y, n_J, square = moment_curvature(psi, n), turn_back(J, n), table + 27
    for k in range(9):
        e1, e2, e3 = unit_moments(k)
        by_q, _v, _x = magnus_along(a[0], a[1], ZERO, ZERO, ZERO, ZERO, g, Q, P, e1, e2, e3)
        for i in range(3):
            work[table + 3 * k + i] = by_q[i]
    for k in range(9):
        d1, d2, d3 = unit_moments(k)
        _p, _r, _s, g, Q, P = magnus(*a, d1, d2, d3, ZERO, ZERO, ZERO)
        for i in range(k + 1):
            e1, e2, e3 = unit_moments(i)
            _q, both, _x = magnus_along(a[0], a[1], d1, d2, ZERO, ZERO, g, Q, P, e1, e2, e3)
            work[square + 9 * k + i] = work[square + 9 * i + k] = dot(n_J, both)
    for k in range(9):
        for i in range(9):
            e = turn(Y, vector(work, table + 3 * i))
            work[square + 9 * k + i] += dot(vector(work, table + 3 * k), e)  # [j, i]
    for i in range(bends):
        about_i, turned = axis_of(body, i), ZERO
        for k in range(3):
            turned = added(
                turned, c[moments + k * m + i], vector(work, table + 3 * (3 * k + about_i))
            )
        turned = cross(turn(R, turn(J, turned)), M)
        for j in range(bends):
            about_j, e = axis_of(body, j), dot(rows_of(work, start, m, j), turned)
            for k in range(3):
                for l in range(3):
                    e += (
                        c[moments + k * m + j] * c[moments + l * m + i]
                        * work[square + 9 * (3 * k + about_j) + 3 * l + about_i]
                    )  # fmt: skip
            work[D + i * m + j] += e
