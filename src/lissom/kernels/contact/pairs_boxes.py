"""Two boxes: closest points of their cores, or where these overlap the shortest way out.

Boxes that are apart are closest at an edge of one of them: a corner and a face, or two edges.  Of
boxes that overlap, each direction across two parallel faces of one, or across an edge of each, has
a distance by which they would have to be moved apart; the shortest is the depth (15 directions:
Gottschalk, Lin and Manocha, OBBTree, 1996).
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import added, column, cross, dot, scaled, turn_back, vector
from .pairs_cores import (
    FLAT,
    across,
    ball,
    clamped,
    curvature,
    placed,
    seen_from,
    sign,
    tangents,
)
from .pairs_straight import closest_on_segment

APART = 1e-14  # distance of the cores that counts, in their sizes
PREFERRED = 1.0 - 1e-9  # an edge must be better than a face by this
PARALLEL = 1e-9  # sine of two edges that are parallel
# Radius of a sharp edge over the gap, where its turning is computed: two edges without one would
# leave no digits in (1) of `witness`
EDGE = 1e-5


@uncounted
def box_box(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of two boxes."""
    c_a, c_b, r_a, r_b = vector(table, s_a), vector(table, s_b), table[s_a + 3], table[s_b + 3]
    A, B = _closest(table, s_a, s_b, R_a, p_a, R_b, p_b)
    d = added(A, -1.0, B)
    distance = math.sqrt(dot(d, d))
    if distance > APART * (dot(c_a, c_a) + dot(c_b, c_b)) ** 0.5:
        n = scaled(1.0 / distance, d)
        gap = distance
    else:
        gap, n, A, B = _way_out(table, s_a, s_b, R_a, p_a, R_b, p_b)
    t, u = tangents(n)
    S_a = _operator(c_a, r_a, R_a, p_a, A, n, t, u, gap)
    S_b = _operator(c_b, r_b, R_b, p_b, B, n, t, u, gap)
    return gap - r_a - r_b, n, added(A, -r_a, n), added(B, r_b, n), t, u, S_a, S_b


@uncounted
def _closest(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Points of two cores that are closest, by all edges of both."""
    least, A, B = math.inf, p_a, p_b
    for which in range(2):
        s, R, p = (s_a, R_a, p_a) if which == 0 else (s_b, R_b, p_b)
        o, R_o, p_o = (s_b, R_b, p_b) if which == 0 else (s_a, R_a, p_a)
        c, c_o = vector(table, s), vector(table, o)
        for k in range(12):
            axis = k // 4
            f, h = (1.0 if k % 2 == 0 else -1.0), (1.0 if k % 4 < 2 else -1.0)
            middle = (
                0.0 if axis == 0 else f * c[0],
                0.0 if axis == 1 else (f if axis == 0 else h) * c[1],
                0.0 if axis == 2 else h * c[2],
            )
            e = turn_back(R_o, column(R, axis))
            y = seen_from(R_o, p_o, placed(R, p, middle))
            x = added(y, closest_on_segment(table, o, y, e, c[axis]), e)
            z = (
                clamped(x[0], -c_o[0], c_o[0]),
                clamped(x[1], -c_o[1], c_o[1]),
                clamped(x[2], -c_o[2], c_o[2]),
            )
            d = added(x, -1.0, z)
            if dot(d, d) < least:
                least = dot(d, d)
                x, z = placed(R_o, p_o, x), placed(R_o, p_o, z)
                A, B = (x, z) if which == 0 else (z, x)
    return A, B


@uncounted
def _reach(c, R, n):
    """Half of the extent of a box along a direction."""
    m = turn_back(R, n)
    return c[0] * abs(m[0]) + c[1] * abs(m[1]) + c[2] * abs(m[2])


@uncounted
def _support(c, R, p, n):
    """Corner of a box that is farthest along n."""
    m = turn_back(R, n)
    return placed(R, p, (sign(m[0]) * c[0], sign(m[1]) * c[1], sign(m[2]) * c[2]))


@uncounted
def _way_out(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Gap of two cores that overlap, negative; normal, and the points of both."""
    c_a, c_b = vector(table, s_a), vector(table, s_b)
    d = added(p_a, -1.0, p_b)
    gap, n, best = -math.inf, (0.0, 0.0, 1.0), 0
    for k in range(15):
        if k < 6:
            m = column(R_a, k) if k < 3 else column(R_b, k - 3)
        else:
            m = cross(column(R_a, (k - 6) // 3), column(R_b, (k - 6) % 3))
            size = math.sqrt(dot(m, m))
            if size < PARALLEL:
                continue
            m = scaled(1.0 / size, m)
        m = scaled(sign(dot(m, d)), m)
        apart = dot(m, d) - _reach(c_a, R_a, m) - _reach(c_b, R_b, m)
        if apart > (gap if k < 6 else gap * PREFERRED):
            gap, n, best = apart, m, k
    A, B = _support(c_a, R_a, p_a, scaled(-1.0, n)), _support(c_b, R_b, p_b, n)
    if best < 3:
        return gap, n, added(B, gap, n), B
    if best < 6:
        return gap, n, A, added(A, -gap, n)
    e, f = column(R_a, (best - 6) // 3), column(R_b, (best - 6) % 3)
    # A + s e - (B + z f) along n
    q, w = cross(f, n), added(B, -1.0, A)
    s = dot(w, q) / dot(e, q)
    A = added(A, s, e)
    return gap, n, A, added(A, -gap, n)


@uncounted
def _operator(c, r, R, p, x, n, t, u, gap):
    """Shape operator of a rounded box where the point of its core is x.

    A face where two coordinates are free, an edge where one is, else a corner.
    """
    y = seen_from(R, p, x)
    near = 1e-12 * (c[0] + c[1] + c[2] + abs(gap))
    free_x, free_y, free_z = (
        abs(y[0]) < c[0] - near,
        abs(y[1]) < c[1] - near,
        abs(y[2]) < c[2] - near,
    )
    count = (1 if free_x else 0) + (1 if free_y else 0) + (1 if free_z else 0)
    if count >= 2:
        return FLAT
    if count == 1:
        axis = 0 if free_x else (1 if free_y else 2)
        e = column(R, axis)
        e = added(e, -dot(e, n), n)
        return across(
            curvature(max(r, EDGE * abs(gap))), scaled(1.0 / math.sqrt(dot(e, e)), e), n, t, u
        )
    return ball(r)
