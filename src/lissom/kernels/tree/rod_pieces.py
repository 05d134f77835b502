"""Turning of a rod from one section to the next: equations (2)-(6) of `bodies.rod_map`.

Each coordinate belongs to one strain, and those of a strain are contiguous: with
F_k = d psi / d a_k and G_k = R J_l F_k a coordinate i that bends about axis c adds
  W_j[:, i] = W_(j-1)[:, i] + alpha_1i G_1[:, c] + alpha_2i G_2[:, c] + alpha_3i G_3[:, c]    (8)
to (5).
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..small import (
    add,
    added,
    column,
    cross,
    dot,
    one_plus,
    product,
    rotation_coefficients,
    scaled,
    turn,
    vector,
)


@jit
def turned_piece(ints, row, c, natural, moments, q, v, moving, R, w, bias, scratch, before, W):
    """Attitude, rate and bias at the end of a piece (4), (6); writes W (8)."""
    m = ints[row + field.N_MODE] & POSITIVE
    o_q, o_v = ints[row + field.MODAL_Q] & POSITIVE, ints[row + field.MODAL_V] & POSITIVE
    y, z = ints[row + field.FIRST_XZ] & POSITIVE, ints[row + field.FIRST_TORSION] & POSITIVE
    end = ints[row + field.FIRST_STRETCH] & POSITIVE
    e_z, e_y, e_x = (
        _moments(c, moments, m, 0, y, q, o_q),
        _moments(c, moments, m, y, z, q, o_q),
        _moments(c, moments, m, z, end, q, o_q),
    )
    a1 = add(vector(c, natural), (e_x[0], e_y[0], e_z[0]))
    a2 = add(vector(c, natural + 3), (e_x[1], e_y[1], e_z[1]))
    a3 = add(vector(c, natural + 6), (e_x[2], e_y[2], e_z[2]))
    psi, F1, F2, F3 = _magnus(a1, a2, a3)
    a0, b0, c0, b1, c1 = rotation_coefficients(dot(psi, psi))
    RJ = product(R, one_plus(b0, c0, psi))
    if moving:
        e_z, e_y, e_x = (
            _moments(c, moments, m, 0, y, v, o_v),
            _moments(c, moments, m, y, z, v, o_v),
            _moments(c, moments, m, z, end, v, o_v),
        )
        d1, d2, d3 = (e_x[0], e_y[0], e_z[0]), (e_x[1], e_y[1], e_z[1]), (e_x[2], e_y[2], e_z[2])
        rate, second = _magnus_rates(a1, a2, a3, d1, d2, d3)
        x, s = cross(psi, rate), dot(psi, rate)
        J_dot = add(scaled(b1 * s, x), scaled(c1 * s, cross(psi, x)))
        J_dot = added(J_dot, c0, cross(rate, x))
        relative = turn(RJ, rate)
        bias = add(add(bias, cross(w, relative)), add(turn(R, J_dot), turn(RJ, second)))  # (6)
        w = add(w, relative)
    G1, G2, G3 = product(RJ, F1), product(RJ, F2), product(RJ, F3)
    _spread(c, moments, m, 0, y, scratch, before, W, column(G1, 2), column(G2, 2), column(G3, 2))
    _spread(c, moments, m, y, z, scratch, before, W, column(G1, 1), column(G2, 1), column(G3, 1))
    _spread(c, moments, m, z, end, scratch, before, W, column(G1, 0), column(G2, 0), column(G3, 0))
    return product(R, one_plus(a0, b0, psi)), w, bias


@jit
def _magnus(a1, a2, a3):
    """Rotation vector psi of a piece (3), and its derivatives by a1, a2, a3."""
    k, C1 = 1.0 / 240.0, cross(a2, a1)
    g = added(C1, 2.0, a3)
    Q = added(a2, 1.0 / 60.0, cross(a1, g))
    P = added(added(C1, -20.0, a1), -1.0, a3)
    psi = added(added(a1, 1.0 / 12.0, a3), k, cross(Q, P))
    F1 = _minus(
        _skews(1.0, k, Q, a2, -20.0 * k, Q),
        k,
        _crossed(P, _skews(0.0, 1.0 / 60.0, a1, a2, -1.0 / 60.0, g)),
    )
    F2 = _minus(
        _skews(0.0, -k, Q, a1, 0.0, Q),
        k,
        _crossed(P, _skews(1.0, -1.0 / 60.0, a1, a1, 0.0, a1)),
    )
    return psi, F1, F2, _skews(1.0 / 12.0, -k / 30.0, P, a1, -k, Q)


@jit
def _magnus_rates(a1, a2, a3, d1, d2, d3):
    """Rate of psi, and its second rate at zero eta_ddot, from the rates d of a."""
    k, C1 = 1.0 / 240.0, cross(a2, a1)
    g = added(C1, 2.0, a3)
    Q = added(a2, 1.0 / 60.0, cross(a1, g))
    P = added(added(C1, -20.0, a1), -1.0, a3)
    dC1 = added(cross(a2, d1), -1.0, cross(a1, d2))
    dg = added(dC1, 2.0, d3)
    dQ = added(added(d2, 1.0 / 60.0, cross(d1, g)), 1.0 / 60.0, cross(a1, dg))
    dP = added(added(dC1, -20.0, d1), -1.0, d3)
    rate = added(added(added(d1, 1.0 / 12.0, d3), k, cross(Q, dP)), -k, cross(P, dQ))
    ddP = scaled(2.0, cross(d2, d1))
    ddQ = added(cross(d1, dg), 0.5, cross(a1, ddP))  # times 30
    second = added(added(cross(Q, ddP), -2.0, cross(dP, dQ)), -1.0 / 30.0, cross(P, ddQ))
    return rate, scaled(k, second)


@jit
def _skews(d, f, a, b, g, x):
    """Matrix d I + f [a]x [b]x + g [x]x."""
    e = d - f * dot(a, b)
    return (
        e + f * b[0] * a[0], f * b[0] * a[1] - g * x[2], f * b[0] * a[2] + g * x[1],
        f * b[1] * a[0] + g * x[2], e + f * b[1] * a[1], f * b[1] * a[2] - g * x[0],
        f * b[2] * a[0] - g * x[1], f * b[2] * a[1] + g * x[0], e + f * b[2] * a[2],
    )  # fmt: skip


@jit
def _crossed(a, B):
    """Matrix [a]x B."""
    x, y, z = cross(a, column(B, 0)), cross(a, column(B, 1)), cross(a, column(B, 2))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


@jit
def _minus(A, f, B):
    """Matrix A - f B."""
    return (
        A[0] - f * B[0], A[1] - f * B[1], A[2] - f * B[2],
        A[3] - f * B[3], A[4] - f * B[4], A[5] - f * B[5],
        A[6] - f * B[6], A[7] - f * B[7], A[8] - f * B[8],
    )  # fmt: skip


@jit(reassociate=True)
def _moments(c, o, m, first, last, x, o_x):
    """Sums of the three rows of m numbers at c[o] times x, over some coordinates."""
    o, m, first, last = o & POSITIVE, m & POSITIVE, first & POSITIVE, last & POSITIVE
    o_x = o_x & POSITIVE
    s1 = s2 = s3 = 0.0
    for i in range(first, last):
        e = x[o_x + i]
        s1 += c[o + i] * e
        s2 += c[o + m + i] * e
        s3 += c[o + 2 * m + i] * e
    return s1, s2, s3


@jit
def _spread(c, o, m, first, last, y, before, W, g1, g2, g3):
    """Columns of W of the coordinates of one strain (8); g: a column of G_1, G_2, G_3."""
    o, m, first, last = o & POSITIVE, m & POSITIVE, first & POSITIVE, last & POSITIVE
    before, W = before & POSITIVE, W & POSITIVE
    for i in range(first, last):
        a, b, d = c[o + i], c[o + m + i], c[o + 2 * m + i]
        y[W + i] = y[before + i] + a * g1[0] + b * g2[0] + d * g3[0]
        y[W + m + i] = y[before + m + i] + a * g1[1] + b * g2[1] + d * g3[1]
        y[W + 2 * m + i] = y[before + 2 * m + i] + a * g1[2] + b * g2[2] + d * g3[2]
