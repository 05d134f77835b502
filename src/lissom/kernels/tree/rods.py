"""Rods with exact kinematics (level "exact"): their stations, inertia, forces and nodes.

Notation and equation numbers of `bodies.rod_map`; (8) is in `rod_pieces`.  A station is a rigid
body of mass mu and inertia J at a node with Pi_hat = [W; D]; with its acceleration [alpha; a], all
but that of the unknowns:
  n = J alpha + w x J w    f = mu a    z += [n + r x f; f]    t_f += W^T n + D^T f            (9)
  M_rr, M_rf, M_ff += [phi; Pi_hat^T] diag(J, mu) [phi^T, Pi_hat]                            (10)
Offsets: `records.rod_record` for the constants, `records.station_record` for the workspace.
Rotary armature in implicit steps, (12): `rod_tension`.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..records import modal_record, node_record, rod_record, section_place, station_record
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    apply,
    column,
    cross,
    dot,
    matrix,
    one_plus,
    product,
    put_matrix,
    put_vector,
    rotation_coefficients,
    scaled,
    symmetric,
    turn,
    vector,
)
from .modal import modal_dot, three_sums

# scratch: a section at a station
TURN = 0  # 9: R
TURN_RATE = 9  # 3: omega_r
TURN_BIAS = 12  # 3: gamma_w
TANGENT = 15  # 3: u
TANGENT_RATE = 18  # 3: its rate
TANGENT_BIAS = 21  # 3: the bracket of (7)
STATION_FORCE = 24  # 3: f of (9) at given accelerations
TURN_ACCELERATION = 27  # 3: angular acceleration, without the unknowns or with given ones
LAST = 30  # 3: the whole of it in the last iteration of an implicit step
TENSION = 33  # 6: rotary armature; `records.SECTION` numbers in all

# floats: constants of a node, after its record; then a_1, a_2, a_3 of the natural curvature 9, of
# the curvature functions 3m, and the row of Q, n
NODE_START, NODE_EMPTY, NODE_NATURAL, NODE_MOMENTS = 0, 1, 2, 11


@jit
def rod_terms(ints, floats, scratch, body, q, v, x, flags):
    """Write inertia and forces (9), (10) of one rod, whose acceleration is in its record."""
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    n, o_v = body.n_station, body.modal_v
    _W, t, M_ff = modal_record(body.modal, m)
    rod, place = rod_record(body.rod, n, m), station_record(body.stations, n, m)
    M_rf = body.M_rf
    moving, tension = flags & field.RATES != 0, scratch[place.tension] != 0.0
    rod_stations(floats, scratch, body, q, v, moving)
    for k in range(m):
        scratch[t + k] = 0.0
    for k in range(6 * m):
        scratch[M_rf + k] = 0.0
    for k in range(m * m):
        scratch[M_ff + k] = 0.0
    w = b.rate
    alpha, a = b.alpha, b.a
    z_w, z_v, p, mass = ZERO, ZERO, ZERO, 0.0
    J_0 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(n):
        W, D = place.turning + 3 * m * j, place.moving + 3 * m * j
        r, rate, bias = _sums(floats, rod.integration + n * j, n, scratch, place)
        s = section_place(place, j)
        w_s, alpha_s, a_s = w, alpha, add(a, cross(alpha, r))
        if moving:
            w_r = vector(scratch, s + TURN_RATE)
            w_s = add(w, w_r)
            alpha_s = add(alpha_s, add(vector(scratch, s + TURN_BIAS), cross(w, w_r)))
            a_s = add(a_s, add(bias, cross(w, added(cross(w, r), 2.0, rate))))
        if flags & field.ACCELERATED != 0:
            alpha_s = add(alpha_s, three_sums(scratch, W, m, x, o_v))
            a_s = add(a_s, three_sums(scratch, D, m, x, o_v))
        mu, R = floats[rod.masses + j], matrix(scratch, s + TURN)
        J = turned_diagonal(R, vector(floats, rod.inertias + 3 * j))
        moment = add(apply(J, alpha_s), cross(w_s, apply(J, w_s)))  # (9)
        force = scaled(mu, a_s)
        if flags & field.ACCELERATED != 0 or tension:
            put_vector(scratch, s + TURN_ACCELERATION, alpha_s)
            put_vector(scratch, s + STATION_FORCE, force)
        if tension:  # (12)
            A = symmetric(scratch, s + TENSION)
            if flags & field.RATES != 0 and flags & field.ACCELERATED == 0:
                late = added(alpha_s, -1.0, vector(scratch, s + LAST))
                moment = add(moment, apply(A, late))
            J = J[0] + A[0], J[1] + A[1], J[2] + A[2], J[3] + A[3], J[4] + A[4], J[5] + A[5]
        z_w, z_v = add(z_w, add(moment, cross(r, force))), add(z_v, force)
        J_0, p, mass = _plus_station(J_0, J, mu, r), added(p, mu, r), mass + mu
        _modal_parts(scratch, W, D, m, r, J, mu, moment, force, t, M_rf)
        _modal_mass(scratch, W, D, m, J, mu, M_ff, ints[field.TEMPORARY] & POSITIVE)
    for i in range(m):
        for h in range(i):
            scratch[M_ff + h * m + i] = scratch[M_ff + i * m + h]
    b.J = J_0
    b.p = p
    b.mass = mass
    b.z_w = z_w
    b.z_v = z_v


@jit
def rod_stations(floats, scratch, body, q, v, moving):
    """Write the sections of one rod at its stations, (4)-(7)."""
    m, n = body.n_mode, body.n_station
    o_q, o_v = body.modal_q, body.modal_v
    rod, place = rod_record(body.rod, n, m), station_record(body.stations, n, m)
    bends = body.first_stretch
    R, w, bias, before = IDENTITY, ZERO, ZERO, place.nothing
    for j in range(n):
        W, slope = place.turning + 3 * m * j, place.slopes + 3 * m * j
        moments, natural = rod.moments + 3 * m * j, rod.natural + 9 * j
        R, w, bias = turned_piece(
            body, floats, natural, moments, q, v, moving, R, w, bias, scratch, before, W
        )
        E, s = rod.functions + m * j, section_place(place, j)
        eps, eps_dot = _strain(body, floats, E, q, o_q, v, o_v, moving)
        u, stretching = turn(R, eps), turn(R, eps_dot)
        for i in range(bends):
            e = cross((scratch[W + i], scratch[W + m + i], scratch[W + 2 * m + i]), u)
            scratch[slope + i], scratch[slope + m + i], scratch[slope + 2 * m + i] = e
        _stretch_columns(body, floats, E, scratch, slope, R)
        put_matrix(scratch, s + TURN, R)
        put_vector(scratch, s + TANGENT, u)
        if moving:
            swung = cross(w, u)
            put_vector(scratch, s + TURN_RATE, w)
            put_vector(scratch, s + TURN_BIAS, bias)
            put_vector(scratch, s + TANGENT_RATE, add(swung, stretching))
            turning = cross(w, added(swung, 2.0, stretching))
            put_vector(scratch, s + TANGENT_BIAS, add(cross(bias, u), turning))
        before = W
    _integrate(floats, rod.integration, n, n, scratch, place.slopes, 3 * m, scratch, place.moving)


@jit
def rod_node(body, c, o, scratch, q, v, y, out):
    """Write the record of a node to y[out], from its constants at c[o]; after `rod_stations`."""
    m, n = body.n_mode, body.n_station
    place = station_record(body.stations, n, m)
    start, node = int(c[o + NODE_START]), node_record(out)
    R, w, bias, before = IDENTITY, ZERO, ZERO, place.nothing
    if start >= 0:
        s, before = section_place(place, start), place.turning + 3 * m * start
        R = matrix(scratch, s + TURN)
        w, bias = vector(scratch, s + TURN_RATE), vector(scratch, s + TURN_BIAS)
    if c[o + NODE_EMPTY] != 0.0:
        for k in range(3 * m):
            y[node.shapes + k] = scratch[before + k]
    else:
        R, w, bias = turned_piece(
            body, c, o + NODE_NATURAL, o + NODE_MOMENTS, q, v, True, R, w, bias,
            scratch, before, place.node,
        )  # fmt: skip
        for k in range(3 * m):
            y[node.shapes + k] = scratch[place.node + k]
    weights = o + NODE_MOMENTS + 3 * m
    r, _rate, pushed = _sums(c, weights, n, scratch, place)
    _integrate(c, weights, 1, n, scratch, place.slopes, 3 * m, y, node.shapes + 3 * m)
    put_matrix(y, node.turn, R)
    put_vector(y, node.position, r)
    put_vector(y, node.bend, bias)
    put_vector(y, node.bend + 3, pushed)


@jit
def _strain(body, floats, E, q, o_q, v, o_v, moving):
    """Strain of a section and its rate, section axes."""
    m, x = body.n_mode, body.first_stretch
    y, z = body.first_shear, body.first_shear_z
    eps = (
        1.0 + modal_dot(floats, E + x, y - x, q, o_q + x),
        modal_dot(floats, E + y, z - y, q, o_q + y),
        modal_dot(floats, E + z, m - z, q, o_q + z),
    )
    if not moving:
        return eps, ZERO
    return eps, (
        modal_dot(floats, E + x, y - x, v, o_v + x),
        modal_dot(floats, E + y, z - y, v, o_v + y),
        modal_dot(floats, E + z, m - z, v, o_v + z),
    )


@jit
def _stretch_columns(body, floats, E, scratch, slope, R):
    """Write R E, the columns of stretch and shear in (5)."""
    m, x = body.n_mode, body.first_stretch
    y, z = body.first_shear, body.first_shear_z
    for i in range(x, m):
        along = column(R, 0) if i < y else (column(R, 1) if i < z else column(R, 2))
        e = scaled(floats[E + i], along)
        scratch[slope + i], scratch[slope + m + i], scratch[slope + 2 * m + i] = e


@jit
def _integrate(c, o, rows, n, x, o_x, size, y, o_y):
    """Write `rows` sums of n blocks of `size` numbers at x[o_x], with the weights at c[o]."""
    o, n, o_x, size, o_y = (
        o & POSITIVE,
        n & POSITIVE,
        o_x & POSITIVE,
        size & POSITIVE,
        o_y & POSITIVE,
    )
    for j in range(rows):
        out = (o_y + j * size) & POSITIVE
        for i in range(size):
            y[out + i] = 0.0
        for k in range(n):
            e, at = c[o + j * n + k], (o_x + k * size) & POSITIVE
            for i in range(size):
                y[out + i] += e * x[at + i]


@jit
def _sums(c, o, n, scratch, place):
    """Position, its rate and its bias: sums over the stations with the weights at c[o]."""
    r, rate, bias = ZERO, ZERO, ZERO
    for k in range(n):
        e, s = c[o + k], section_place(place, k)
        r = added(r, e, vector(scratch, s + TANGENT))
        rate = added(rate, e, vector(scratch, s + TANGENT_RATE))
        bias = added(bias, e, vector(scratch, s + TANGENT_BIAS))
    return r, rate, bias


@jit
def turned_diagonal(R, d):
    """Product R diag(d) R^T, six numbers."""
    x, y, z = scaled(d[0], column(R, 0)), scaled(d[1], column(R, 1)), scaled(d[2], column(R, 2))
    return (
        x[0] * R[0] + y[0] * R[1] + z[0] * R[2],
        x[0] * R[3] + y[0] * R[4] + z[0] * R[5],
        x[0] * R[6] + y[0] * R[7] + z[0] * R[8],
        x[1] * R[3] + y[1] * R[4] + z[1] * R[5],
        x[1] * R[6] + y[1] * R[7] + z[1] * R[8],
        x[2] * R[6] + y[2] * R[7] + z[2] * R[8],
    )


@jit
def _plus_station(J_0, J, mu, r):
    """Inertia about the root with that of a station added."""
    x, y, z = r
    return (
        J_0[0] + J[0] + mu * (y * y + z * z),
        J_0[1] + J[1] - mu * x * y,
        J_0[2] + J[2] - mu * x * z,
        J_0[3] + J[3] + mu * (x * x + z * z),
        J_0[4] + J[4] - mu * y * z,
        J_0[5] + J[5] + mu * (x * x + y * y),
    )


@jit
def _modal_parts(scratch, W, D, m, r, J, mu, n, f, t, M_rf):
    """Add a station to t_f (9) and M_rf (10)."""
    W, D, m, t, M_rf = W & POSITIVE, D & POSITIVE, m & POSITIVE, t & POSITIVE, M_rf & POSITIVE
    for i in range(m):
        wx, wy, wz = scratch[W + i], scratch[W + m + i], scratch[W + 2 * m + i]
        dx, dy, dz = scratch[D + i], scratch[D + m + i], scratch[D + 2 * m + i]
        scratch[t + i] += wx * n[0] + wy * n[1] + wz * n[2] + (dx * f[0] + dy * f[1] + dz * f[2])
        dx, dy, dz = mu * dx, mu * dy, mu * dz
        scratch[M_rf + i] += J[0] * wx + J[1] * wy + J[2] * wz + (r[1] * dz - r[2] * dy)
        scratch[M_rf + m + i] += J[1] * wx + J[3] * wy + J[4] * wz + (r[2] * dx - r[0] * dz)
        scratch[M_rf + 2 * m + i] += J[2] * wx + J[4] * wy + J[5] * wz + (r[0] * dy - r[1] * dx)
        scratch[M_rf + 3 * m + i] += dx
        scratch[M_rf + 4 * m + i] += dy
        scratch[M_rf + 5 * m + i] += dz


@jit
def _modal_mass(scratch, W, D, m, J, mu, M_ff, work):
    """Add a station to the lower triangle of M_ff (10); work: J W, 3m."""
    W, D, m, M_ff, work = W & POSITIVE, D & POSITIVE, m & POSITIVE, M_ff & POSITIVE, work & POSITIVE
    for i in range(m):
        wx, wy, wz = scratch[W + i], scratch[W + m + i], scratch[W + 2 * m + i]
        scratch[work + i] = J[0] * wx + J[1] * wy + J[2] * wz
        scratch[work + m + i] = J[1] * wx + J[3] * wy + J[4] * wz
        scratch[work + 2 * m + i] = J[2] * wx + J[4] * wy + J[5] * wz
    for i in range(m):
        dx, dy, dz = mu * scratch[D + i], mu * scratch[D + m + i], mu * scratch[D + 2 * m + i]
        wx, wy, wz = scratch[W + i], scratch[W + m + i], scratch[W + 2 * m + i]
        to = (M_ff + i * m) & POSITIVE
        for h in range(i + 1):
            scratch[to + h] += (
                dx * scratch[D + h] + dy * scratch[D + m + h] + dz * scratch[D + 2 * m + h]
            ) + (
                wx * scratch[work + h] + wy * scratch[work + m + h] + wz * scratch[work + 2 * m + h]
            )


# Turning of a rod from one section to the next: equations (2)-(6) of `bodies.rod_map`.
#
# Each coordinate belongs to one strain, and those of a strain are contiguous: with
# F_k = d psi / d a_k and G_k = R J_l F_k a coordinate i that bends about axis c adds
#   W_j[:, i] = W_(j-1)[:, i] + alpha_1i G_1[:, c] + alpha_2i G_2[:, c] + alpha_3i G_3[:, c]    (8)
# to (5).


@jit
def turned_piece(body, c, natural, moments, q, v, moving, R, w, bias, scratch, before, W):
    """Attitude, rate and bias at the end of a piece (4), (6); writes W (8)."""
    m = body.n_mode
    o_q, o_v = body.modal_q, body.modal_v
    y, z = body.first_xz, body.first_torsion
    end = body.first_stretch
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
        _skews(0.0, -k, Q, a1, 0.0, Q), k, _crossed(P, _skews(1.0, -1.0 / 60.0, a1, a1, 0.0, a1))
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
