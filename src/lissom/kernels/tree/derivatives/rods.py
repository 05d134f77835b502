"""Derivatives of rods: their sections as frames, the columns of their coordinates there.

Notation of `rods` and `rod_turning`.  Tangents u = R eps and positions r = sum Q u:
  u|j = W_j x u + R E_j =: D_j       u_dot = w x u + R eps_dot
  u_dot|j = w|j x u + w x D_j + W_j x R eps_dot                                               (1)
  u_ddot = w_dot x u + w x (w x u + 2 R eps_dot) + R eps_ddot
  u_ddot|j = w_dot|j x u + w_dot x D_j + w|j x (w x u + 2 R eps_dot)
             + w x (w|j x u + w x D_j + 2 W_j x R eps_dot) + W_j x R eps_ddot                 (2)
  u_ddot|j' = w_dot|j' x u + W_j x (w x u + 2 R eps_dot) + w x (W_j x u + 2 R E_j)            (3)
With forces (n, f) at sections and nodes, f_k = sum Q f the force on tangent k, and M_p the sum of
n + u x f_k over all sections from piece p on, the motions of the sections change by
  sum_p M_p . (d (W_p - W_(p-1))_i along j) + sum_k f_k . (W_i x D_j + W_j x R E_i)           (4)
"""

from __future__ import annotations

from ...compiling import jit
from ...layout.records import CarrierRecord
from ...records import rod_record, section_place, station_record
from ...small import (
    IDENTITY,
    ZERO,
    add,
    added,
    apply,
    column,
    cross,
    dot,
    matrix,
    scaled,
    turn,
    vector,
)
from ..modal import modal_dot
from ..rods import (
    NODE_EMPTY,
    NODE_MOMENTS,
    NODE_NATURAL,
    NODE_START,
    STATION_FORCE,
    TANGENT,
    TURN as SECTION_TURN,
    TURN_ACCELERATION as SECTION_ACCELERATION,
    TURN_RATE,
    turned_diagonal,
)
from .attached import attach
from .frames import PLACE, TURN, add_frame, add_rigid, clear_frame, put_force, put_rows, rows_of
from .nodes import place_node, put_mode
from .rod_turning import piece_curvature, turn_piece

# work: numbers of a station: w_dot 3, u_dot 3, u_ddot 3, its force f_k 3, and the moment n there 3
TURN_ACCELERATION, RATE, SECOND, PULL, MOMENT, STATION = 0, 3, 6, 9, 12, 15
# and then rows of m: W, w|j, w_dot|j, w_dot|j' 12, u_dot|j, u_ddot|j, u_ddot|j' 9, D_j 3
TANGENT_SLOPES, MOTIONS, SLOPE_ROWS = 12, 21, 24
# after the stations: rows at the root (zero) 12, at a node 12, integrated 12, and 108 numbers
ROOT, AT_NODE, INTEGRATED, TABLE = 0, 12, 24, 36


def rod_size(n: int, m: int) -> int:
    """Size of the workspace of a rod with n stations and m coordinates."""
    return n * (STATION + SLOPE_ROWS * m) + TABLE * m + 108


@jit
def _station(terms, m, k):
    """Offset of station k."""
    return terms.node + k * (STATION + SLOPE_ROWS * m)


@jit
def _after(body, terms):
    """Offset of what follows the stations."""
    m, n = body.n_mode, body.n_station
    return terms.node + n * (STATION + SLOPE_ROWS * m)


@jit
def rod_slopes(floats, scratch, work, body, terms, q, v, x):
    """Write the derivatives of all stations, after `rods.rod_terms`."""
    m, n = body.n_mode, body.n_station
    rod = rod_record(body.rod, n, m)
    place = station_record(body.stations, n, m)
    after = _after(body, terms)
    R, w, w_dot, start = IDENTITY, ZERO, ZERO, after + ROOT * m
    for k in range(12 * m):
        work[start + k] = 0.0
    for k in range(n):
        o, s = _station(terms, m, k), section_place(place, k)
        natural, moments = rod.natural + 9 * k, rod.moments + 3 * m * k
        w, w_dot = turn_piece(
            body, floats, natural, moments, q, v, x, R, w, w_dot, work, start,
            o + STATION, after + TABLE * m,
        )  # fmt: skip
        R, u = matrix(scratch, s + SECTION_TURN), vector(scratch, s + TANGENT)
        for i in range(3):
            work[o + TURN_ACCELERATION + i] = w_dot[i]
        _tangent(floats, work, body, rod.functions + m * k, o, R, u, w, w_dot, v, x)
        start = o + STATION


@jit
def _strain_rate(body, floats, E, v):
    """Rate of the strain of a section, section axes."""
    m, x = body.n_mode, body.first_stretch
    y, z = body.first_shear, body.first_shear_z
    o_v = body.modal_v
    return (
        modal_dot(floats, E + x, y - x, v, o_v + x),
        modal_dot(floats, E + y, z - y, v, o_v + y),
        modal_dot(floats, E + z, m - z, v, o_v + z),
    )


@jit
def _stretched(body, floats, E, R, i):
    """Column R E_i of a coordinate."""
    if i < body.first_stretch:
        return ZERO
    axis = 0
    if i >= body.first_shear:
        axis = 1 if i < body.first_shear_z else 2
    return scaled(floats[E + i], column(R, axis))


@jit
def _tangent(floats, work, body, E, o, R, u, w, w_dot, v, x):
    """Rates of the tangent of a station and their derivatives (1)-(3)."""
    m = body.n_mode
    e = turn(R, _strain_rate(body, floats, E, v))
    g = turn(R, _strain_rate(body, floats, E, x))
    swung = cross(w, u)
    whirled = added(swung, 2.0, e)
    rate, second = add(swung, e), add(add(cross(w_dot, u), cross(w, whirled)), g)
    for i in range(3):
        work[o + RATE + i], work[o + SECOND + i] = rate[i], second[i]
    slopes, to = o + STATION, o + STATION + TANGENT_SLOPES * m
    for j in range(m):
        W, w_q = rows_of(work, slopes, m, j), rows_of(work, slopes + 3 * m, m, j)
        a_q, a_v = rows_of(work, slopes + 6 * m, m, j), rows_of(work, slopes + 9 * m, m, j)
        RE = _stretched(body, floats, E, R, j)
        D = add(cross(W, u), RE)
        bent = add(cross(w_q, u), cross(w, D))
        rate_q = add(bent, cross(W, e))
        second_q = add(add(cross(a_q, u), cross(w_dot, D)), cross(w_q, whirled))
        second_q = add(second_q, cross(w, added(bent, 2.0, cross(W, e))))
        second_q = add(second_q, cross(W, g))
        second_v = add(cross(a_v, u), cross(W, whirled))
        second_v = add(second_v, cross(w, added(cross(W, u), 2.0, RE)))
        put_rows(work, to, m, j, rate_q)
        put_rows(work, to + 3 * m, m, j, second_q)
        put_rows(work, to + 6 * m, m, j, second_v)
        put_rows(work, to + 9 * m, m, j, D)


@jit
def _section_columns(c, weights, work, body, b, terms, at, columns, slopes, r, w, w_dot):
    """Write frame and columns of a section at r, whose row of Q is at c[weights].

    work[slopes:]: W and its derivatives.
    """
    m, n = body.n_mode, body.n_station
    to, rate, second = _after(body, terms) + INTEGRATED * m, ZERO, ZERO
    for k in range(12 * m):
        work[to + k] = 0.0
    for k in range(n):
        o, e = _station(terms, m, k), c[weights + k]
        rate = added(rate, e, vector(work, o + RATE))
        second = added(second, e, vector(work, o + SECOND))
        first = o + STATION + TANGENT_SLOPES * m
        for i in range(12 * m):
            work[to + i] += e * work[first + i]
    place_node(work, b, at, r, w, rate, w_dot, second)
    for j in range(m):
        put_mode(
            work, b, at, columns, m, j, w, rate, w_dot, second,
            rows_of(work, slopes, m, j), rows_of(work, to + 9 * m, m, j),
            rows_of(work, slopes + 3 * m, m, j), rows_of(work, to, m, j),
            rows_of(work, slopes + 6 * m, m, j), rows_of(work, to + 3 * m, m, j),
            rows_of(work, slopes + 9 * m, m, j), rows_of(work, to + 6 * m, m, j),
        )  # fmt: skip


@jit
def _start_of(scratch, work, body, terms, start):
    """Attitude, rate, angular acceleration and slopes of a station, -1 for the root."""
    m, n = body.n_mode, body.n_station
    if start < 0:
        return IDENTITY, ZERO, ZERO, _after(body, terms) + ROOT * m
    place = station_record(body.stations, n, m)
    s, o = section_place(place, start), _station(terms, m, start)
    R, w = matrix(scratch, s + SECTION_TURN), vector(scratch, s + TURN_RATE)
    return R, w, vector(work, o + TURN_ACCELERATION), o + STATION


@jit
def rod_node_columns(c, o, scratch, work, body, b, terms, at, columns, r, q, v, x):
    """Write frame and columns of a node at r, its constants at c[o]; after `rod_slopes`."""
    m, after = body.n_mode, _after(body, terms)
    R, w, w_dot, slopes = _start_of(scratch, work, body, terms, int(c[o + NODE_START]))
    if c[o + NODE_EMPTY] == 0.0:
        w, w_dot = turn_piece(
            body, c, o + NODE_NATURAL, o + NODE_MOMENTS, q, v, x, R, w, w_dot, work, slopes,
            after + AT_NODE * m, after + TABLE * m,
        )  # fmt: skip
        slopes = after + AT_NODE * m
    weights = o + NODE_MOMENTS + 3 * m
    _section_columns(c, weights, work, body, b, terms, at, columns, slopes, r, w, w_dot)


@jit
def attach_to_rod(c, o, scratch, work, body, terms, at, columns, q, n, f):
    """Add the frame `at` at a node with the force (n, f) there, root axes."""
    m, n_station = body.n_mode, body.n_station
    start = int(c[o + NODE_START])
    _attach(work, terms, m, at, columns, n, f)
    weights = o + NODE_MOMENTS + 3 * m
    for k in range(n_station):
        _pull(work, _station(terms, m, k), c[weights + k], f)
    R, _w, _w_dot, slopes = _start_of(scratch, work, body, terms, start)
    if c[o + NODE_EMPTY] == 0.0:
        piece_curvature(
            body, c, o + NODE_NATURAL, o + NODE_MOMENTS, q, R, n, work, slopes,
            _after(body, terms) + TABLE * m, terms.D_q,
        )  # fmt: skip
    if start >= 0:
        moment = _station(terms, m, start) + MOMENT
        for k in range(3):
            work[moment + k] += n[k]


@jit
def _pull(work, o, e, f):
    """Add e f to the force on the tangent of a station."""
    for k in range(3):
        work[o + PULL + k] += e * f[k]


@jit
def _attach(work, terms, m, at, columns, n, f):
    """Add a frame with its force in root axes, whose motions act about a fixed point."""
    C = matrix(work, at + TURN)
    put_force(work, at, C, n, f)
    attach(work, terms, m, at, columns)
    f, p = turn(C, f), vector(work, at + PLACE)
    for i in range(m):
        w_i = rows_of(work, columns, m, i)
        arm = cross(w_i, f)
        for j in range(m):
            w_j = rows_of(work, columns, m, j)
            d_j = added(rows_of(work, columns + 3 * m, m, j), -1.0, cross(p, w_j))
            work[terms.D_q + i * m + j] += dot(d_j, arm)


@jit
def rod_terms(floats, scratch, work, body, b, terms):
    """Attach all sections of a rod, after the blocks of its modes have been started."""
    m, n = body.n_mode, body.n_station
    rod = rod_record(body.rod, n, m)
    place = station_record(body.stations, n, m)
    for k in range(n):
        o = _station(terms, m, k)
        for i in range(3):
            work[o + PULL + i] = work[o + MOMENT + i] = 0.0
    for j in range(n):
        r, s, weights = ZERO, section_place(place, j), rod.integration + n * j
        for k in range(n):
            u = vector(scratch, section_place(place, k) + TANGENT)
            r = added(r, floats[weights + k], u)
        o, w = _station(terms, m, j), vector(scratch, s + TURN_RATE)
        w_dot = vector(work, o + TURN_ACCELERATION)
        _section_columns(
            floats, weights, work, body, b, terms, terms.frame, terms.columns, o + STATION, r,
            w, w_dot,
        )  # fmt: skip
        mu, R = floats[rod.masses + j], matrix(scratch, s + SECTION_TURN)
        J = turned_diagonal(R, vector(floats, rod.inertias + 3 * j))
        w = add(w, CarrierRecord(scratch, body.record).rate)
        moment = apply(J, vector(scratch, s + SECTION_ACCELERATION))
        moment, force = add(moment, cross(w, apply(J, w))), vector(scratch, s + STATION_FORCE)
        clear_frame(work, terms.frame)
        add_rigid(work, terms.frame, matrix(work, terms.frame + TURN), J, ZERO, mu)
        _attach(work, terms, m, terms.frame, terms.columns, moment, force)
        add_frame(work, b, terms.frame)
        for k in range(n):
            _pull(work, _station(terms, m, k), floats[weights + k], force)
        for k in range(3):
            work[o + MOMENT + k] += moment[k]


@jit
def rod_curvature(floats, scratch, work, body, terms, q):
    """Add (4), after everything has been attached."""
    m, n = body.n_mode, body.n_station
    rod = rod_record(body.rod, n, m)
    place = station_record(body.stations, n, m)
    M = ZERO
    for k in range(n - 1, -1, -1):
        o, s = _station(terms, m, k), section_place(place, k)
        u, R, f = (
            vector(scratch, s + TANGENT),
            matrix(scratch, s + SECTION_TURN),
            vector(work, o + PULL),
        )
        M = add(M, add(vector(work, o + MOMENT), cross(u, f)))
        W, D = o + STATION, o + STATION + MOTIONS * m
        for i in range(m):
            pulled = cross(f, rows_of(work, W, m, i))
            stretched = cross(_stretched(body, floats, rod.functions + m * k, R, i), f)
            for j in range(m):
                work[terms.D_q + i * m + j] += dot(rows_of(work, D, m, j), pulled) + dot(
                    rows_of(work, W, m, j), stretched
                )
        R, _w, _a, start = _start_of(scratch, work, body, terms, k - 1)
        piece_curvature(
            body, floats, rod.natural + 9 * k, rod.moments + 3 * m * k, q, R, M, work, start,
            _after(body, terms) + TABLE * m, terms.D_q,
        )  # fmt: skip
