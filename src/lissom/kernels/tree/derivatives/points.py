"""Derivatives of the own terms of a flexible body up to level "stiffened", its lumps apart.

z and t_f of `flexible` with their derivatives, in body axes at the body's origin:
  z_w = J alpha + p x a + w x J w + 2 (tr(Q) w - Q^T w) + X[eta_dot, eta_dot] + M_rf,w eta_ddot
  z_v = m a + alpha x p + w x (w x p) + 2 w x s eta_dot + sigma[eta_dot, eta_dot] + M_rf,v eta_ddot
  t_f = M_rf^T [alpha; a] + eta_ddot + A . (g + u) - 2 sum w_k O_k eta_dot + K eta + C eta_dot
with the matrices N_kl (first six, symmetric) and O_k - X_k, X_k, sigma_k of `flexible`:
  dL_kl|j = g_kl + u_kl (twice on the diagonal)    dQ_kl|j = (H_kl^T eta_dot)_j
  H_kk = N_kk,  H_xy = (N_xy - (O_z - X_z))/2, H_yx with +, and so on                         (1)
Matrices of modes are stored by columns, in this order; levels up to "linear" have none of them.
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...layout.records import BodyConstants
from ...records import modal_products, shapes_record
from ...small import (
    ZERO,
    add,
    added,
    apply,
    cross,
    matrix,
    scaled,
    turn,
    turn_back,
    turned,
    vector,
)
from ..lumps import point_mass
from ..modal import modal_dot, modal_product, modal_sums
from .frames import PLACE, TURN, VELOCITY, add_carried, add_rigid, put_rows, rows_of

# Rows of products with the rates: N 6, (O - X)^T 3, O 3, X 3, sigma 3; with the accelerations:
# (O - X)^T 3, sigma 3
BY_SWIRL, BY_GYRO, BY_TWIST, BY_PUSH, TO_SWIRL, TO_PUSH = 6, 9, 12, 15, 18, 21


@jit
def point_terms(floats, work, body, b, terms, w, alpha, a, q, v, x):
    """Write rows, columns and block of the modes, and add the inertia to the frame b.

    w, alpha, a: rate and acceleration of the body frame in its axes.
    """
    m, level = body.n_mode, body.level
    c, s = BodyConstants(floats, body.constants), body.shapes
    o_q, o_v = body.modal_q, body.modal_v
    shapes, C = shapes_record(s, m), matrix(work, b + TURN)
    bends = level >= field.FULL
    for k in range(6 * m):
        work[terms.A + k] = floats[shapes.M_rf + k]
    p, J = c.p, c.J
    Q = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if bends:
        _products(floats, work, body, terms, q, v, x)
        p, J = _deformed(floats, work, terms, shapes, m, p, J, q, o_q)
        _slopes_of_moments(floats, work, body, terms)
        h = terms.image + 9 * m
        Q = (
            modal_dot(work, h, m, v, o_v), modal_dot(work, h + m, m, v, o_v),
            modal_dot(work, h + 2 * m, m, v, o_v), modal_dot(work, h + 3 * m, m, v, o_v),
            modal_dot(work, h + 4 * m, m, v, o_v), modal_dot(work, h + 5 * m, m, v, o_v),
            modal_dot(work, h + 6 * m, m, v, o_v), modal_dot(work, h + 7 * m, m, v, o_v),
            modal_dot(work, h + 8 * m, m, v, o_v),
        )  # fmt: skip
    add_rigid(work, b, C, J, p, c.mass)
    if bends:
        pushed = modal_sums(work, terms.A, m, v, o_v)
        _add_swirl(work, b, C, Q, (pushed[3], pushed[4], pushed[5]))
    r, w_0 = vector(work, b + PLACE), vector(work, b + VELOCITY)
    rate = turn_back(C, add(vector(work, b + VELOCITY + 3), cross(w_0, r)))
    for j in range(m):
        _mode(floats, shapes.moments, work, terms, m, j, bends, w, alpha, a, rate, C, r)
    start_blocks(floats, work, body, terms)
    if bends:
        _bent_blocks(floats, work, body, terms, w, alpha, a)


@jit
def _products(floats, work, body, terms, q, v, x):
    """Products of the matrices with coordinates, rates and accelerations; M_rf in terms.A."""
    m, g = body.n_mode, body.second
    o_q, o_v = body.modal_q, body.modal_v
    bits, P, u, rates = body.products, modal_products(g, m), terms.image, terms.rates
    for k in range(9 * m):
        work[u + k] = 0.0
    for k in range(24 * m):
        work[rates + k] = 0.0
    for k in range(15):
        if bits >> k & 1 == 0:
            continue
        if k < 9:
            modal_product(floats, P, m, q, o_q, 1.0, work, u + k * m)
        if k < 6:
            modal_product(floats, P, m, v, o_v, 1.0, work, rates + k * m)
        elif k < 9:
            modal_product(floats, P, m, v, o_v, 1.0, work, rates + (BY_GYRO + k - 6) * m)
            _transposed_product(floats, P, m, v, o_v, work, rates + (BY_SWIRL + k - 6) * m)
            _transposed_product(floats, P, m, x, o_v, work, rates + (TO_SWIRL + k - 6) * m)
        elif k < 12:
            modal_product(floats, P, m, v, o_v, 1.0, work, rates + (BY_GYRO + k - 9) * m)
            modal_product(floats, P, m, v, o_v, 1.0, work, rates + (BY_TWIST + k - 9) * m)
        else:
            modal_product(floats, P, m, q, o_q, 1.0, work, terms.A + (3 + k - 12) * m)
            modal_product(floats, P, m, v, o_v, 1.0, work, rates + (BY_PUSH + k - 12) * m)
            modal_product(floats, P, m, x, o_v, 1.0, work, rates + (TO_PUSH + k - 12) * m)
        P += m * m
    for k in range(3 * m):
        work[terms.A + k] -= work[u + 6 * m + k]


@jit
def _transposed_product(c, o, m, x, o_x, y, o_y):
    """Add the transpose of the matrix at c[o] times x to y."""
    for b in range(m):
        y[o_y + b] += modal_dot(c, o + b * m, m, x, o_x)


@jit
def _deformed(floats, work, terms, shapes, m, p, J, q, o_q):
    """First moment and inertia of the deformed body."""
    first = modal_sums(floats, shapes.M_rf, m, q, o_q)
    both = modal_sums(work, terms.A, m, q, o_q)
    p = add(p, scaled(0.5, add((first[3], first[4], first[5]), (both[3], both[4], both[5]))))
    G, U = modal_sums(floats, shapes.moments, m, q, o_q), modal_sums(work, terms.image, m, q, o_q)
    xx, yy, zz = 2.0 * G[0] + U[0], 2.0 * G[3] + U[3], 2.0 * G[5] + U[5]
    xy, xz, yz = G[1] + 0.5 * U[1], G[2] + 0.5 * U[2], G[4] + 0.5 * U[4]
    return p, (
        J[0] + yy + zz, J[1] - xy, J[2] - xz, J[3] + xx + zz, J[4] - yz, J[5] + xx + yy
    )  # fmt: skip


@jit
def _slopes_of_moments(floats, work, body, terms):
    """Write h_kl, nine rows of m numbers, after u and o."""
    m, g = body.n_mode, body.second
    _combine(floats, g, m, work, terms.image, terms.image + 6 * m, terms.image + 9 * m)


@jit
def _combine(c, g, m, work, u, o, to):
    """Write g_kl plus the parts of symmetric rows u and antisymmetric rows o (1)."""
    for k in range(9):
        i, j = k // 3, k % 3
        low, high = min(i, j), max(i, j)
        symmetric_row = low * 3 + high - (low * (low + 1)) // 2
        for a in range(m):
            e = work[u + symmetric_row * m + a]
            if i != j:
                sign = -1.0 if (j - i) % 3 == 1 else 1.0
                e = 0.5 * (e + sign * work[o + (3 - i - j) * m + a])
            work[to + k * m + a] = c[g + k * m + a] + e


@jit
def _add_swirl(work, b, C, Q, pushed):
    """Add the coupling by the rates of the modes: 2 (tr(Q) 1 - Q^T), and their momentum."""
    s = 2.0 * (Q[0] + Q[4] + Q[8])
    swirl = (
        s - 2.0 * Q[0], -2.0 * Q[3], -2.0 * Q[6], -2.0 * Q[1], s - 2.0 * Q[4], -2.0 * Q[7],
        -2.0 * Q[2], -2.0 * Q[5], s - 2.0 * Q[8],
    )  # fmt: skip
    nothing = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    r = vector(work, b + PLACE)
    add_carried(work, b, r, nothing, ZERO, 0.0, turned(C, swirl), turn(C, pushed))


@jit
def _mode(floats, moments, work, terms, m, j, bends, w, alpha, a, rate, C, r):
    """Rows and columns of mode j, turned to common axes; terms.A holds M_rf in body axes."""
    n_w, dp = rows_of(work, terms.A, m, j), rows_of(work, terms.A + 3 * m, m, j)
    e = (
        floats[moments + j], floats[moments + m + j], floats[moments + 2 * m + j],
        floats[moments + 3 * m + j], floats[moments + 4 * m + j], floats[moments + 5 * m + j],
    )  # fmt: skip
    F_w, F_v, G_w, G_v = ZERO, ZERO, ZERO, ZERO
    if bends:
        u = terms.image
        e = (
            e[0] + work[u + j], e[1] + work[u + m + j], e[2] + work[u + 2 * m + j],
            e[3] + work[u + 3 * m + j], e[4] + work[u + 4 * m + j], e[5] + work[u + 5 * m + j],
        )  # fmt: skip
        F_w, F_v, G_w, G_v = _bent_mode(work, terms, m, j, e, dp, w, alpha, a)
    b = (
        w[1] * e[1] + w[2] * e[2] - 2.0 * w[0] * (e[3] + e[5]),
        w[0] * e[1] + w[2] * e[4] - 2.0 * w[1] * (e[0] + e[5]),
        w[0] * e[2] + w[1] * e[4] - 2.0 * w[2] * (e[0] + e[3]),
    )
    if bends:
        b = added(b, -2.0, rows_of(work, terms.rates + BY_GYRO * m, m, j))
    b = added(added(b, -1.0, cross(n_w, w)), -2.0, cross(dp, rate))
    put_rows(work, terms.B, m, j, turn(C, b))
    _put_force(work, terms.A, m, j, C, r, n_w, dp)
    _put_force(work, terms.F, m, j, C, r, F_w, F_v)
    _put_force(work, terms.G, m, j, C, r, G_w, G_v)


@jit
def _bent_mode(work, terms, m, j, e, dp, w, alpha, a):
    """Columns dz/deta_j and dz/deta_dot_j in body axes; e = g + u."""
    dJ = (
        2.0 * (e[3] + e[5]), -e[1], -e[2], 2.0 * (e[0] + e[5]), -e[4], 2.0 * (e[0] + e[3])
    )  # fmt: skip
    h, rates = terms.image + 9 * m, terms.rates
    push, twist = (
        rows_of(work, rates + BY_PUSH * m, m, j),
        rows_of(work, rates + BY_TWIST * m, m, j),
    )
    N, O = rates, rates + BY_SWIRL * m
    xy, xz, yz = work[N + m + j], work[N + 2 * m + j], work[N + 4 * m + j]
    o = rows_of(work, O, m, j)
    Q = (
        work[N + j], 0.5 * (xy - o[2]), 0.5 * (xz + o[1]),
        0.5 * (xy + o[2]), work[N + 3 * m + j], 0.5 * (yz - o[0]),
        0.5 * (xz - o[1]), 0.5 * (yz + o[0]), work[N + 5 * m + j],
    )  # fmt: skip
    F_w = add(add(apply(dJ, alpha), cross(dp, a)), add(cross(w, apply(dJ, w)), _swirled(Q, w)))
    F_w = added(F_w, -1.0, rows_of(work, rates + TO_SWIRL * m, m, j))
    F_v = add(cross(alpha, dp), cross(w, added(cross(w, dp), 2.0, push)))
    F_v = add(F_v, rows_of(work, rates + TO_PUSH * m, m, j))
    H = (
        work[h + j], work[h + m + j], work[h + 2 * m + j], work[h + 3 * m + j],
        work[h + 4 * m + j], work[h + 5 * m + j], work[h + 6 * m + j], work[h + 7 * m + j],
        work[h + 8 * m + j],
    )  # fmt: skip
    G_w = added(_swirled(H, w), 2.0, twist)
    return F_w, F_v, G_w, scaled(2.0, add(cross(w, dp), push))


@jit
def _swirled(Q, w):
    """Moment 2 (tr(Q) w - Q^T w)."""
    return scaled(2.0, added(scaled(Q[0] + Q[4] + Q[8], w), -1.0, turn_back(Q, w)))


@jit
def _put_force(work, o, m, j, C, r, n, f):
    """Write a force at the body's origin in body axes as one about the common point."""
    n, f = turn(C, n), turn(C, f)
    put_rows(work, o, m, j, add(n, cross(r, f)))
    put_rows(work, o + 3 * m, m, j, f)


@jit
def start_blocks(floats, work, body, terms):
    """Stiffness, damping and constant modal mass in the blocks of the modes; a rod's is zero."""
    m, s = body.n_mode, body.shapes
    level, points = body.level, -1
    if level == field.FLOATING or (level != field.EXACT and body.n_lump != 0):
        points = point_mass(body)
    damped, d = body.damped, body.damping
    for i in range(m):
        for j in range(m):
            same = 1.0 if i == j else 0.0
            work[terms.D_q + i * m + j] = same * floats[s + i]
            mass = same if level != field.EXACT else 0.0
            work[terms.M + i * m + j] = floats[points + j * m + i] if points >= 0 else mass
            e = 0.0
            if damped == field.DIAGONAL:
                e = same * floats[d + i]
            elif damped == field.MATRIX:
                e = floats[d + j * m + i]
            work[terms.D_v + i * m + j] = e


@jit
def _bent_blocks(floats, work, body, terms, w, alpha, a):
    """Derivatives of the modal forces of a deformed body by modes and rates."""
    m = body.n_mode
    x, y, z = w
    A = -(y * y + z * z), x * y, x * z, -(x * x + z * z), y * z, -(x * x + y * y)
    P = modal_products(body.second, m)
    for k in range(15):
        if body.products >> k & 1 == 0:
            continue
        by_q = by_v = 0.0
        if k < 6:
            by_q = A[k]
        elif k < 9:
            by_q, by_v = -alpha[k - 6], -2.0 * w[k - 6]
        elif k < 12:
            by_v = -2.0 * w[k - 9]
        else:
            by_q = a[k - 12]
        for j in range(m):
            for i in range(m):
                work[terms.D_q + i * m + j] += by_q * floats[P + j * m + i]
                work[terms.D_v + i * m + j] += by_v * floats[P + j * m + i]
        P += m * m
