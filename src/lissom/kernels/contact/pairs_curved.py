"""Pairs of a sphere with a closed planar curve, as of a cam, and with a height field.

Numbers in the table.  Curve: count of its pieces, then for each its length in the parameter, and
the coefficients of x and of y in ascending powers (4 each).  Height field: counts of its cells
along x and y, the x and the y from which cells are counted, then for each cell, y running fastest,
its coefficients of x^i y^j (4 x 4, j running fastest).  The first and the last cell of each row
are those beyond the edge.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import added, column, cross, dot, turn
from .pairs_cores import ball, placed, seen_from, tangents

PIECE, CELL = 9, 16  # numbers of a piece of a curve, of a cell of a height field
STEPS = 40  # most steps to the closest point; six as a rule
AROUND = 3  # places on each side where the search for it starts
CLOSE = 1e-10  # step after which Newton's method is at the last digits


@uncounted
def sphere_curve(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a roller, a ball about its centre, on the wall along z over a closed curve.

    The body is on the left of the curve.
    """
    r = table[s_a]
    y = seen_from(R_b, p_b, p_a)
    piece, s = _closest_on_curve(table, s_b, y)
    x, d1, d2 = _on_curve(table, s_b + 1 + PIECE * piece, s)
    v = math.sqrt(d1[0] * d1[0] + d1[1] * d1[1])
    bend = (d1[0] * d2[1] - d1[1] * d2[0]) / (v * v * v)
    t = turn(R_b, (d1[0] / v, d1[1] / v, 0.0))
    u = column(R_b, 2)
    n = cross(t, u)
    x_b = placed(R_b, p_b, (x[0], x[1], y[2]))
    g = dot(n, added(p_a, -1.0, x_b)) - r
    return g, n, added(p_a, -r, n), x_b, t, u, ball(r), (bend, 0.0, 0.0)


@uncounted
def _on_curve(table, o, s):
    """Point of a piece of a curve and its first and second derivative by the parameter."""
    x1, x2, x3 = table[o + 2], table[o + 3], table[o + 4]
    y1, y2, y3 = table[o + 6], table[o + 7], table[o + 8]
    x = table[o + 1] + s * (x1 + s * (x2 + s * x3))
    y = table[o + 5] + s * (y1 + s * (y2 + s * y3))
    first = (x1 + s * (2.0 * x2 + 3.0 * s * x3), y1 + s * (2.0 * y2 + 3.0 * s * y3))
    return (x, y), first, (2.0 * x2 + 6.0 * s * x3, 2.0 * y2 + 6.0 * s * y3)


@uncounted
def _closest_on_curve(table, o, y):
    """Piece of a curve, and parameter on it, of the point closest to y.

    The closest of the ends and middles of all pieces is where Newton's method starts, on
    (y - x) . x' = 0.
    """
    n = int(table[o])
    piece, s, least = 0, 0.0, math.inf
    for k in range(2 * n):
        at = o + 1 + PIECE * (k // 2)
        middle = 0.5 * (k % 2) * table[at]
        x, _first, _second = _on_curve(table, at, middle)
        a, b = x[0] - y[0], x[1] - y[1]
        if a * a + b * b < least:
            piece, s, least = k // 2, middle, a * a + b * b
    for _ in range(STEPS):
        at = o + 1 + PIECE * piece
        size = table[at]
        x, d1, d2 = _on_curve(table, at, s)
        a, b = y[0] - x[0], y[1] - x[1]
        speed = d1[0] * d1[0] + d1[1] * d1[1]
        slope = speed - a * d2[0] - b * d2[1]
        if slope < 0.1 * speed:  # beyond the centre of curvature
            slope = speed
        step = (a * d1[0] + b * d1[1]) / slope
        step = min(max(step, -0.5 * size), 0.5 * size)
        s += step
        if s < 0.0:
            piece = (piece + n - 1) % n
            s += table[o + 1 + PIECE * piece]
        elif s >= size:
            piece = (piece + 1) % n
            s -= size
        if abs(step) < CLOSE * size:
            break
    return piece, s


@uncounted
def sphere_height_field(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a sphere on a surface z = h(x, y), which goes on straight beyond its edge."""
    r = table[s_a]
    c = seen_from(R_b, p_b, p_a)
    x, y = _closest_on_field(table, s_b, c)
    h, h_x, h_y, h_xx, h_xy, h_yy = _height(table, s_b, x, y)
    root = math.sqrt(1.0 + h_x * h_x + h_y * h_y)
    n = (-h_x / root, -h_y / root, 1.0 / root)
    t, u = tangents(n)
    S_b = (
        _bend(t, t, h_xx, h_xy, h_yy) / root,
        _bend(t, u, h_xx, h_xy, h_yy) / root,
        _bend(u, u, h_xx, h_xy, h_yy) / root,
    )
    n, t, u = turn(R_b, n), turn(R_b, t), turn(R_b, u)
    g = dot(n, added(p_a, -1.0, placed(R_b, p_b, (x, y, h)))) - r
    x_a = added(p_a, -r, n)
    return g, n, x_a, added(x_a, -g, n), t, u, ball(r), S_b


@uncounted
def _bend(a, b, xx, xy, yy):
    """Minus the second derivative of a height along two tangents."""
    return -(a[0] * (xx * b[0] + xy * b[1]) + a[1] * (xy * b[0] + yy * b[1]))


@uncounted
def _height(table, o, x, y):
    """Height over a point, its first and its second derivatives (xx, xy, yy)."""
    n_x, n_y = int(table[o]), int(table[o + 1])
    i, j = _cell(table, o + 2, n_x, x), _cell(table, o + 2 + n_x, n_y, y)
    x -= table[o + 2 + i]
    y -= table[o + 2 + n_x + j]
    at = o + 2 + n_x + n_y + CELL * (i * n_y + j)
    h = h_x = h_y = h_xx = h_xy = h_yy = 0.0
    for k in range(3, -1, -1):
        c = at + 4 * k
        f = table[c] + y * (table[c + 1] + y * (table[c + 2] + y * table[c + 3]))
        f_y = table[c + 1] + y * (2.0 * table[c + 2] + 3.0 * y * table[c + 3])
        f_yy = 2.0 * table[c + 2] + 6.0 * y * table[c + 3]
        h_xx = 2.0 * h_x + x * h_xx
        h_x = h + x * h_x
        h = f + x * h
        h_xy = h_y + x * h_xy
        h_y = f_y + x * h_y
        h_yy = f_yy + x * h_yy
    return h, h_x, h_y, h_xx, h_xy, h_yy


@uncounted
def _cell(table, o, n, x):
    """Number of the cell of a place: the first and the last are those beyond the edge."""
    if x < table[o + 1]:
        return 0
    low, high = 1, n
    while high - low > 1:
        k = (low + high) // 2
        if x < table[o + k]:
            high = k
        else:
            low = k
    return low


@uncounted
def _closest_on_field(table, o, c):
    """Place x, y of the point of a height field closest to c.

    Newton's method on the squared distance, from the closest of some points around the one below;
    a step that would lead away is halved, and where the distance is not convex the curvature of
    the surface is left out.
    """
    reach = abs(c[2] - _height(table, o, c[0], c[1])[0])
    start_x, start_y, least = c[0], c[1], reach * reach
    for k in range((2 * AROUND + 1) * (2 * AROUND + 1)):
        x = c[0] + reach * (k // (2 * AROUND + 1) - AROUND) / AROUND
        y = c[1] + reach * (k % (2 * AROUND + 1) - AROUND) / AROUND
        square = _square(table, o, c, x, y)
        if square < least:
            start_x, start_y, least = x, y, square
    x, y = start_x, start_y
    scale = abs(c[0]) + abs(c[1]) + reach
    for _ in range(STEPS):
        h, h_x, h_y, h_xx, h_xy, h_yy = _height(table, o, x, y)
        z = h - c[2]
        a, b = x - c[0] + z * h_x, y - c[1] + z * h_y
        xx, xy, yy = 1.0 + h_x * h_x, h_x * h_y, 1.0 + h_y * h_y
        if z != 0.0:
            p, q, w = xx + z * h_xx, xy + z * h_xy, yy + z * h_yy
            if p > 0.0 and p * w - q * q > 0.01 * p * w:
                xx, xy, yy = p, q, w
        det = xx * yy - xy * xy
        step_x, step_y = (xy * b - yy * a) / det, (xy * a - xx * b) / det
        size = abs(step_x) + abs(step_y)
        for _ in range(STEPS):
            if size < 1e-6 * scale or _square(table, o, c, x + step_x, y + step_y) <= least:
                break
            step_x, step_y, size = 0.5 * step_x, 0.5 * step_y, 0.5 * size
        x, y = x + step_x, y + step_y
        least = _square(table, o, c, x, y)
        if size < CLOSE * scale:
            break
    return x, y


@uncounted
def _square(table, o, c, x, y):
    """Squared distance of c from the point of a height field over x, y."""
    z = _height(table, o, x, y)[0] - c[2]
    return (x - c[0]) * (x - c[0]) + (y - c[1]) * (y - c[1]) + z * z
