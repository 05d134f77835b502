"""Pressure of flat faces: what is overlapped of convex polygons, and its resultant and change.

The faces of a convex shape a press on one plane face of a shape b, whose normal is n.  Over a point
(x, y) of this face, in tangents (t, u) about the origin of a, let d be the depth of a face of a
below it, and r = -n . v the rate at which the material of a approaches that of b.  The pressure is

  p = k d (1 + a r)   where d > 0 and 1 + a r > 0, which never pulls                          (1)
  G_h = sum over faces of the integral of p h dx dy,  h = 1, x, y, x^2 + y^2                   (2)

over the part P of the face of a, projected along n, that is within the face of b.  All integrands
are polynomials of degree 4 or less, and the rules below exact.  Faces of a closed shape that look
away from b count with the opposite sign: without damping its force on a half space is that of a
buoyant body, k times its volume below the plane, which is conservative and smooth; over the edge of
a face of b, and with a face alone, this holds up to terms of the depth over the size of the face.

With U the displacement of the material of a relative to b and S the area of a, out of it, where the
integrals (2) are taken, the change is

  dG_h = integral of k (1 + a r) h U . dS + integral of k d a dr h dx dy                      (3)

and for a face alone, v being the normal of its edges in the plane, the integral of p h (U . v) ds
along them, which those of adjacent faces cancel.  On the edges of b, and where (1) ends, nothing is
added.

Numbers of a shape: count of faces, whether they enclose it, radius about its origin, then the
faces; of each the count of its corners, its normal, a point of it, and its corners counterclockwise
seen from outside.  A half space is one face without corners.  Corners of a polygon in the buffer:
x, y, d, and whether the edge to the next one is that of a.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import add, added, cross, dot, scaled, turn, vector
from .pairs_cores import placed, tangents
from .witness import point_velocity, velocity_change

CLOSED, RADIUS, HEAD = 1, 2, 3  # places in the numbers of a shape
NORMAL, POINT, CORNERS = 1, 4, 7  # and of a face
# Sums in the buffer: G of (2) for 1, x, y, x^2 + y^2; wetted area; the changes (3)
N_SUM, AREA, CHANGE = 9, 4, 5
CORNER = 4  # numbers of a corner in the buffer
SPARE = 10  # corners more than polygons have that are clipped without rounding

# Dunavant's rule of degree 4 on a triangle: weight, and the part of one of the three corners, the
# others sharing the rest; Gauss's rule of degree 5 on an edge
_ROOT_10, _ROOT = math.sqrt(10.0), math.sqrt(213125.0 - 53320.0 * math.sqrt(10.0))
_WIDE = math.sqrt(38.0 - 44.0 * math.sqrt(0.4))
TRIANGLE = (
    ((620.0 + _ROOT) / 3720.0, 1.0 - (8.0 - _ROOT_10 + _WIDE) / 9.0),
    ((620.0 - _ROOT) / 3720.0, 1.0 - (8.0 - _ROOT_10 - _WIDE) / 9.0),
)
EDGE = (
    (5.0 / 18.0, 0.5 - 0.5 * math.sqrt(0.6)),
    (8.0 / 18.0, 0.5),
    (5.0 / 18.0, 0.5 + 0.5 * math.sqrt(0.6)),
)


@uncounted
def next_face(table, o):
    """Place of the face after that at table[o:]."""
    return o + CORNERS + 3 * int(table[o])


@uncounted
def face_frame(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Face of b that bears, its place; its axes t, u, n and a point of it; of b all but the last.

    Of several faces it is the one that is the highest below the corners of a.
    """
    o = s_b + HEAD
    bearing, highest = o, -math.inf
    count = int(table[s_b])
    for _ in range(count if count > 1 else 0):
        n, q = turn(R_b, vector(table, o + NORMAL)), placed(R_b, p_b, vector(table, o + POINT))
        least, face = math.inf, s_a + HEAD
        for _ in range(int(table[s_a])):
            for j in range(int(table[face])):
                x = placed(R_a, p_a, vector(table, face + CORNERS + 3 * j))
                least = min(least, dot(n, added(x, -1.0, q)))
            face = next_face(table, face)
        if least > highest:
            bearing, highest = o, least
        o = next_face(table, o)
    n = turn(R_b, vector(table, bearing + NORMAL))
    t, u = tangents(n)
    return bearing, t, u, n, placed(R_b, p_b, vector(table, bearing + POINT))


@uncounted
def _put_corner(buffer, o, k, x, y, d, of_a):
    """Write corner k of a polygon."""
    o += CORNER * k
    buffer[o], buffer[o + 1], buffer[o + 2], buffer[o + 3] = x, y, d, of_a


@uncounted
def put_polygon(table, face, R_a, p_a, frame, buffer, o):
    """Write a face of a, seen along the normal of the frame, to buffer[o:]; its corners."""
    _bearing, t, u, n, q = frame
    count = int(table[face])
    for j in range(count):  # backwards, so that they are counterclockwise
        x = placed(R_a, p_a, vector(table, face + CORNERS + 3 * (count - 1 - j)))
        y = added(x, -1.0, p_a)
        _put_corner(buffer, o, j, dot(t, y), dot(u, y), -dot(n, added(x, -1.0, q)), 1.0)
    return count


@uncounted
def clip(buffer, source, target, count, most, c, c_x, c_y, c_d):
    """Write the part of a polygon where c + c_x x + c_y y + c_d d >= 0; count of its corners."""
    new = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        a, b = source + CORNER * i, source + CORNER * j
        here = c + c_x * buffer[a] + c_y * buffer[a + 1] + c_d * buffer[a + 2]
        there = c + c_x * buffer[b] + c_y * buffer[b + 1] + c_d * buffer[b + 2]
        if new + 2 > most:
            break
        if here >= 0.0:
            _put_corner(buffer, target, new, buffer[a], buffer[a + 1], buffer[a + 2], buffer[a + 3])
            new += 1
        if (here >= 0.0) != (there >= 0.0):
            s = here / (here - there)
            _put_corner(
                buffer, target, new,
                buffer[a] + s * (buffer[b] - buffer[a]),
                buffer[a + 1] + s * (buffer[b + 1] - buffer[a + 1]),
                buffer[a + 2] + s * (buffer[b + 2] - buffer[a + 2]),
                0.0 if here >= 0.0 else buffer[a + 3],
            )  # fmt: skip
            new += 1
    return new


@uncounted
def clip_to_face(table, R_b, p_b, p_a, frame, buffer, o, other, count, most):
    """Clip the polygon at buffer[o:] by the face that bears.

    Returns the place of the polygon, the other place, and the count of its corners.
    """
    bearing, t, u, _n, _q = frame
    edges = int(table[bearing])
    for j in range(edges):
        first, second = bearing + CORNERS + 3 * j, bearing + CORNERS + 3 * ((j + 1) % edges)
        A = added(placed(R_b, p_b, vector(table, first)), -1.0, p_a)
        B = added(placed(R_b, p_b, vector(table, second)), -1.0, p_a)
        x, y = dot(t, A), dot(u, A)
        e_x, e_y = dot(t, B) - x, dot(u, B) - y
        count = clip(buffer, o, other, count, most, e_y * x - e_x * y, -e_y, e_x, 0.0)
        o, other = other, o
        if count == 0:
            break
    return o, other, count


@uncounted
def approach(frame, p_a, slot_a, slot_b):
    """Rate r at which the materials approach, as its value at x = y = 0 and slopes by x and y."""
    _bearing, t, u, n, _q = frame
    v = added(point_velocity(slot_a, p_a), -1.0, point_velocity(slot_b, p_a))
    w = added(slot_a[2], -1.0, slot_b[2])
    return -dot(n, v), dot(w, u), -dot(w, t)


@uncounted
def relative_motion(frame, p_a, slot_a, slot_b, small_a, small_b):
    """Shift of a at its origin and its turn, relative to b, along t, u, n; change of `approach`.

    x and y are those of points of the material of b.
    """
    _bearing, t, u, n, q = frame
    u_a = add(small_a[1], cross(small_a[0], added(p_a, -1.0, slot_a[1])))
    u_b = add(small_b[1], cross(small_b[0], added(p_a, -1.0, slot_b[1])))
    U, turned = added(u_a, -1.0, u_b), added(small_a[0], -1.0, small_b[0])
    x = added(p_a, -dot(n, added(p_a, -1.0, q)), n)  # the point of b where x = y = 0
    dx = add(small_b[1], cross(small_b[0], added(x, -1.0, slot_b[1])))
    v = added(point_velocity(slot_a, x), -1.0, point_velocity(slot_b, x))
    dv = added(velocity_change(slot_a, small_a, x, dx), -1.0,
               velocity_change(slot_b, small_b, x, dx))  # fmt: skip
    w, dw = added(slot_a[2], -1.0, slot_b[2]), added(small_a[2], -1.0, small_b[2])
    dn, dt, du = cross(small_b[0], n), cross(small_b[0], t), cross(small_b[0], u)
    dr = -dot(dn, v) - dot(n, dv)
    dr_x, dr_y = dot(dw, u) + dot(w, du), -dot(dw, t) - dot(w, dt)
    along = (dot(t, U), dot(u, U), dot(n, U)), (dot(t, turned), dot(u, turned), dot(n, turned))
    return along[0], along[1], (dr, dr_x, dr_y)


@uncounted
def add_pressures(table, s_a, R_a, p_a, R_b, p_b, frame, k, grow, motion, changes, buffer):
    """Write the sums (2), the wetted area, and where `changes` the sums (3) to the buffer.

    grow: factor 1 + a r of (1) at x = y = 0, and its slopes by x and y; motion: shift and turn of
    `relative_motion`, and the change of `grow`.
    """
    bearing, _t, _u, n, q = frame
    for j in range(N_SUM):
        buffer[j] = 0.0
    closed = table[s_a + CLOSED] != 0.0
    height = dot(n, added(p_a, -1.0, q))
    face = s_a + HEAD
    for _ in range(int(table[s_a])):
        presses = closed or dot(n, turn(R_a, vector(table, face + NORMAL))) < 0.0
        most = int(table[face]) + int(table[bearing]) + SPARE
        o, other = N_SUM, N_SUM + CORNER * most
        count = 0
        if presses:
            count = put_polygon(table, face, R_a, p_a, frame, buffer, o)
            count = clip(buffer, o, other, count, most, 0.0, 0.0, 0.0, 1.0)
            o, other = other, o
        if count > 0:
            o, other, count = clip_to_face(
                table, R_b, p_b, p_a, frame, buffer, o, other, count, most
            )
        if count > 0:
            count = clip(buffer, o, other, count, most, grow[0], grow[1], grow[2], 0.0)
            o, other = other, o
        _add_triangles(buffer, o, count, k, grow, height, motion)
        if changes and not closed:
            _add_edges(buffer, o, count, k, grow, height, motion)
        face = next_face(table, face)


@uncounted
def _add_triangles(buffer, o, count, k, grow, height, motion):
    """Add the integrals over a polygon, as triangles about its first corner."""
    x_0, y_0, d_0 = vector(buffer, o)
    for i in range(1, count - 1):
        x_1, y_1, d_1 = vector(buffer, o + CORNER * i)
        x_2, y_2, d_2 = vector(buffer, o + CORNER * (i + 1))
        S = scaled(0.5, cross((x_1 - x_0, y_1 - y_0, d_0 - d_1), (x_2 - x_0, y_2 - y_0, d_0 - d_2)))
        buffer[AREA] += S[2]
        for j in range(6):
            weight, b = TRIANGLE[j // 3]
            c = 0.5 * (1.0 - b)
            b_0, b_1 = (b if j % 3 == 0 else c), (b if j % 3 == 1 else c)
            b_2 = b if j % 3 == 2 else c
            x, y = b_0 * x_0 + b_1 * x_1 + b_2 * x_2, b_0 * y_0 + b_1 * y_1 + b_2 * y_2
            d = b_0 * d_0 + b_1 * d_1 + b_2 * d_2
            _add_point(buffer, weight * k, S, x, y, d, grow, height, motion)


@uncounted
def _add_point(buffer, weight, S, x, y, d, grow, height, motion):
    """Add a point of a rule on a triangle to (2) and (3); S is its area, out of b."""
    U, turned, by = motion
    factor = grow[0] + grow[1] * x + grow[2] * y
    moved = add(U, cross(turned, (x, y, -d - height)))
    change = d * S[2] * (by[0] + by[1] * x + by[2] * y) - factor * dot(moved, S)
    _add_moments(buffer, 0, weight * d * S[2] * factor, x, y)
    _add_moments(buffer, CHANGE, weight * change, x, y)


@uncounted
def _add_moments(buffer, o, p, x, y):
    """Add p, p x, p y and p (x^2 + y^2) to buffer[o:]."""
    buffer[o] += p
    buffer[o + 1] += p * x
    buffer[o + 2] += p * y
    buffer[o + 3] += p * (x * x + y * y)


@uncounted
def _add_edges(buffer, o, count, k, grow, height, motion):
    """Add the integrals along the edges of a in (3)."""
    U, turned, _by = motion
    for i in range(count):
        if buffer[o + CORNER * i + 3] == 0.0:
            continue
        x_0, y_0, d_0 = vector(buffer, o + CORNER * i)
        x_1, y_1, d_1 = vector(buffer, o + CORNER * (i + 1 if i + 1 < count else 0))
        for j in range(3):
            weight, s = EDGE[j]
            x, y, d = x_0 + s * (x_1 - x_0), y_0 + s * (y_1 - y_0), d_0 + s * (d_1 - d_0)
            factor = grow[0] + grow[1] * x + grow[2] * y
            moved = add(U, cross(turned, (x, y, -d - height)))
            flow = moved[0] * (y_1 - y_0) - moved[1] * (x_1 - x_0)
            _add_moments(buffer, CHANGE, weight * k * d * factor * flow, x, y)
