"""Pairs with boxes and cylinders, whose edges are rounded or sharp.

Both are a core with a radius around. Numbers in the table: box the half edges of its core and this
radius; cylinder radius and half length of its core and the radius of its rim.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import added, column, cross, dot, scaled, turn, turn_back, vector
from .pairs_cores import (
    FLAT,
    across,
    ball,
    clamped,
    curvature,
    placed,
    seen_from,
    sign,
    tangents_along,
)
from .pairs_round import ball_on_plane

PARALLEL = 1e-12  # cosine below which a segment is parallel to a face


@uncounted
def sphere_box(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a sphere on a face, an edge or a corner of a box, or with its centre inside."""
    r = table[s_a]
    g, n, x_b, t, u, S_b = _box_witness(table, s_b, seen_from(R_b, p_b, p_a))
    n = turn(R_b, n)
    x_b = placed(R_b, p_b, x_b)
    return g - r, n, added(p_a, -r, n), x_b, turn(R_b, t), turn(R_b, u), ball(r), S_b


@uncounted
def _box_witness(table, o, y):
    """Distance of a point y from a box, normal, closest point, tangents and shape operator.

    All in axes of the box.
    """
    c, rounding = vector(table, o), table[o + 3]
    d = (
        y[0] - clamped(y[0], -c[0], c[0]),
        y[1] - clamped(y[1], -c[1], c[1]),
        y[2] - clamped(y[2], -c[2], c[2]),
    )
    distance = math.sqrt(dot(d, d))
    free_x = 1.0 if d[0] == 0.0 else 0.0  # whether the point is between the faces across x
    free_y = 1.0 if d[1] == 0.0 else 0.0
    free_z = 1.0 if d[2] == 0.0 else 0.0
    free = free_x + free_y + free_z
    k = curvature(rounding)
    if free == 3.0:
        distance, n = _way_out(c, y)
    else:
        n = scaled(1.0 / distance, d)
    if free >= 2.0:  # a face
        t, u = tangents_along(n, (0.0, 0.0, 1.0))
        S = FLAT
    elif free == 1.0:
        e = (free_x, free_y, free_z)
        t, u = e, cross(n, e)
        S = (0.0, 0.0, k)
    else:
        t, u = tangents_along(n, (0.0, 0.0, 1.0))
        S = (k, 0.0, k)
    g = distance - rounding
    return g, n, added(y, -g, n), t, u, S


@uncounted
def _way_out(c, y):
    """Negative distance of a point within a box from its nearest face, and the normal of it."""
    to_x, to_y, to_z = c[0] - abs(y[0]), c[1] - abs(y[1]), c[2] - abs(y[2])
    if to_x <= to_y and to_x <= to_z:
        return -to_x, (sign(y[0]), 0.0, 0.0)
    if to_y <= to_z:
        return -to_y, (0.0, sign(y[1]), 0.0)
    return -to_z, (0.0, 0.0, sign(y[2]))


@uncounted
def box_half_space(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of the deepest corner of a box, a ball of the radius of its rounding."""
    n = turn(R_b, vector(table, s_b))
    m = turn_back(R_a, n)
    corner = (
        -sign(m[0]) * table[s_a],
        -sign(m[1]) * table[s_a + 1],
        -sign(m[2]) * table[s_a + 2],
    )
    return ball_on_plane(table[s_a + 3], placed(R_a, p_a, corner), n, p_b)


@uncounted
def capsule_box(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a capsule and a box: that of the point of its axis closest to the box."""
    r, half, e = table[s_a], table[s_a + 1], column(R_a, 2)
    y, e_b = seen_from(R_b, p_b, p_a), turn_back(R_b, e)
    s = _closest_on_segment(table, s_b, y, e_b, half)
    g, n, x_b, t, u, S_b = _box_witness(table, s_b, added(y, s, e_b))
    S_a = ball(r)
    if abs(s) < half:
        S_a = across(curvature(r), _across_normal(n, e_b), n, t, u)
    n = turn(R_b, n)
    x_a = added(added(p_a, s, e), -r, n)
    return g - r, n, x_a, placed(R_b, p_b, x_b), turn(R_b, t), turn(R_b, u), S_a, S_b


@uncounted
def _across_normal(n, e):
    """Unit vector along the part of e across n, which is all of it unless e points into a box."""
    d = added(e, -dot(n, e), n)
    size = math.sqrt(dot(d, d))
    return scaled(1.0 / size, d) if size > PARALLEL else e


@uncounted
def _closest_on_segment(table, o, y, e, half):
    """Place along the segment y + s e, |s| <= half, of its point closest to the core of a box.

    Half of the slope of the squared distance, e . (x - clamped x), grows along the segment and is
    straight between its crossings with the six planes of the faces.  Where it is zero over a
    stretch, the middle of this is taken.
    """
    low, high = -half, half
    left, right = _slope(table, o, y, e, low, -1), _slope(table, o, y, e, high, -1)
    if left > 0.0:
        return low
    if right < 0.0:
        return high
    first, last = half, -half  # of the places where the slope is zero
    if left == 0.0:
        first, last = low, low
    if right == 0.0:
        first, last = min(first, high), high
    for j in range(6):
        i = j % 3
        if abs(e[i]) < PARALLEL:
            continue
        s = ((1.0 if j < 3 else -1.0) * table[o + i] - y[i]) / e[i]
        if abs(s) >= half:
            continue
        slope = _slope(table, o, y, e, s, i)
        if slope == 0.0:
            first, last = min(first, s), max(last, s)
        elif slope < 0.0 and s > low:
            low, left = s, slope
        elif slope > 0.0 and s < high:
            high, right = s, slope
    if first <= last:
        return 0.5 * (first + last)
    return low - left * (high - low) / (right - left)


@uncounted
def _slope(table, o, y, e, s, crossed):
    """Slope of half of the squared distance from the core of a box along y + s e.

    `crossed`: the axis of the face whose plane the point is in, -1 if it is in none.
    """
    slope = 0.0
    for i in range(3):
        x, c = y[i] + s * e[i], table[o + i]
        if i != crossed and abs(e[i]) >= PARALLEL:
            slope += e[i] * (x - clamped(x, -c, c))
    return slope


@uncounted
def sphere_cylinder(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a sphere on the side, an end or the rim of a cylinder, or with centre inside."""
    r, a, half, rim = table[s_a], table[s_b], table[s_b + 1], table[s_b + 2]
    y = seen_from(R_b, p_b, p_a)
    radial = math.sqrt(y[0] * y[0] + y[1] * y[1])
    m = (y[0] / radial, y[1] / radial, 0.0) if radial > 0.0 else (1.0, 0.0, 0.0)
    out, up, top = radial - a, abs(y[2]) - half, sign(y[2])
    if out > 0.0 and up > 0.0:
        distance = math.sqrt(out * out + up * up)
        c = out / distance  # of the normal, away from the axis
        n = (c * m[0], c * m[1], top * up / distance)
        t = (-m[1], m[0], 0.0)
        S_b = (_along_rim(a, rim, c), 0.0, curvature(rim))
    elif out >= up:
        distance, n, t = out, m, (0.0, 0.0, 1.0)
        S_b = (0.0, 0.0, curvature(a + rim))
    else:
        distance, n, t = up, (0.0, 0.0, top), (1.0, 0.0, 0.0)
        S_b = FLAT
    g = distance - rim - r
    u, n, t = turn(R_b, cross(n, t)), turn(R_b, n), turn(R_b, t)
    x_a = added(p_a, -r, n)
    return g, n, x_a, added(x_a, -g, n), t, u, ball(r), S_b


@uncounted
def _along_rim(a, rim, c):
    """Curvature of a rim along it, c being the part of the normal away from the axis."""
    return c / (a + rim * c) if a > 0.0 else curvature(rim)


@uncounted
def cylinder_half_space(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of the lowest point of the rim of a cylinder.

    Where the end lies flat on the plane, its point on the x axis of the cylinder.
    """
    a, half, rim = table[s_a], table[s_a + 1], table[s_a + 2]
    n, e = turn(R_b, vector(table, s_b)), column(R_a, 2)
    up = dot(n, e)
    d = added(n, -up, e)
    tilt = math.sqrt(dot(d, d))
    m = scaled(-1.0 / tilt, d) if tilt > 0.0 else scaled(-1.0, column(R_a, 0))
    P = added(added(p_a, -sign(up) * half, e), a, m)  # centre of the section of the rim
    g = dot(n, added(P, -1.0, p_b)) - rim
    x_a = added(P, -rim, n)
    t, u = tangents_along(n, cross(e, m))
    S_a = (_along_rim(a, rim, tilt), 0.0, curvature(rim))
    return g, n, x_a, added(x_a, -g, n), t, u, S_a, FLAT
