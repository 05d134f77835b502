"""Gap between the faces of a convex shape a and the plane face of a shape b that bears it.

Above a half space it is the height of the lowest corner.  Above a face it is that of the lowest
point of a face of a within its edges (if there is none, of the whole face), or the distance of both
along the plane, the greater of these.  The least one of the faces of a that are over it counts.

With the gap come a point x and a vector e by which its rate is e . v(x), v being the velocity of
the material of a relative to that of b.  The lowest point is a corner of a, e = n; a corner of b
below a face of a with the normal m, e = m / (n . m); or the crossing of an edge of a along s with
one of b whose normal in the plane is w:  e = n - (n . s)/(w . s) w.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import add, added, dot, scaled, turn, vector
from .faces import (
    CORNER,
    CORNERS,
    HEAD,
    N_SUM,
    NORMAL,
    SPARE,
    clip_to_face,
    next_face,
    put_polygon,
)
from .pairs_cores import placed


@uncounted
def face_gap(table, s_a, R_a, p_a, R_b, p_b, frame, buffer):
    """Gap, the point x, and the vector e."""
    bearing, _t, _u, n, q = frame
    gap, x_low, e, within = math.inf, p_a, n, False
    face = s_a + HEAD
    if table[bearing] != 0.0:
        for _ in range(int(table[s_a])):
            m = turn(R_a, vector(table, face + NORMAL))
            if dot(m, n) < 0.0:
                height, x, along, over = _over_face(
                    table, face, m, R_a, p_a, R_b, p_b, frame, buffer
                )
                if (over and not within) or (over == within and height < gap):
                    gap, x_low, e, within = height, x, along, over
            face = next_face(table, face)
        face = s_a + HEAD
    if gap == math.inf:
        for _ in range(int(table[s_a])):
            for j in range(int(table[face])):
                x = placed(R_a, p_a, vector(table, face + CORNERS + 3 * j))
                height = dot(n, added(x, -1.0, q))
                if height < gap:
                    gap, x_low = height, x
            face = next_face(table, face)
    return gap, x_low, e


@uncounted
def _over_face(table, face, m, R_a, p_a, R_b, p_b, frame, buffer):
    """Gap of one face of a, its point and vector, and whether a part of it is over that of b."""
    bearing, t, u, n, _q = frame
    most = int(table[face]) + int(table[bearing]) + SPARE
    o, other = N_SUM, N_SUM + CORNER * most
    full = put_polygon(table, face, R_a, p_a, frame, buffer, o)
    gap, x, y, d, w = _aside(table, R_b, p_b, p_a, frame, buffer, o, full)
    e = add(scaled(w[0], t), scaled(w[1], u))
    low = _deepest(buffer, o, full)
    corner = vector(buffer, o + CORNER * low)
    o, _other, count = clip_to_face(table, R_b, p_b, p_a, frame, buffer, o, other, full, most)
    if count == 0 and -corner[2] > gap:
        gap, e = -corner[2], n
        x, y, d = corner
    elif count > 0:
        low = _deepest(buffer, o, count)
        if -buffer[o + CORNER * low + 2] >= gap:
            x, y, d = vector(buffer, o + CORNER * low)
            gap, e = -d, _lowest_vector(buffer, o, count, low, m, t, u, n)
    height = dot(n, added(p_a, -1.0, frame[4]))
    x_low = added(add(p_a, add(scaled(x, t), scaled(y, u))), -d - height, n)
    return gap, x_low, e, count > 0


@uncounted
def _deepest(buffer, o, count):
    """Number of the deepest corner of a polygon."""
    low = 0
    for j in range(1, count):
        if buffer[o + CORNER * j + 2] > buffer[o + CORNER * low + 2]:
            low = j
    return low


@uncounted
def _lowest_vector(buffer, o, count, low, m, t, u, n):
    """Vector e of a corner of a clipped polygon."""
    before = o + CORNER * (low - 1 if low > 0 else count - 1)
    here, after = o + CORNER * low, o + CORNER * (low + 1 if low + 1 < count else 0)
    came, goes = buffer[before + 3], buffer[here + 3]
    if came != 0.0 and goes != 0.0:
        return n
    if came == 0.0 and goes == 0.0:
        return scaled(1.0 / dot(m, n), m)
    first, second = (before, here) if came != 0.0 else (here, after)
    of_b, next_b = (here, after) if came != 0.0 else (before, here)
    w_x = buffer[next_b + 1] - buffer[of_b + 1]
    w_y = buffer[of_b] - buffer[next_b]
    across = w_x * (buffer[second] - buffer[first]) + w_y * (buffer[second + 1] - buffer[first + 1])
    if across == 0.0:
        return n
    slope = (buffer[second + 2] - buffer[first + 2]) / across
    return added(n, slope, add(scaled(w_x, t), scaled(w_y, u)))


@uncounted
def _aside(table, R_b, p_b, p_a, frame, buffer, o, count):
    """Distance of two polygons along the plane, negative where they overlap; x, y, d, and e."""
    bearing, t, u, _n, _q = frame
    edges = int(table[bearing])
    gap, x, y, d, w = -math.inf, 0.0, 0.0, 0.0, (0.0, 0.0)
    for j in range(edges):  # edges of b, corners of a
        first, second = bearing + CORNERS + 3 * j, bearing + CORNERS + 3 * ((j + 1) % edges)
        A = added(placed(R_b, p_b, vector(table, first)), -1.0, p_a)
        B = added(placed(R_b, p_b, vector(table, second)), -1.0, p_a)
        a_x, a_y = dot(t, A), dot(u, A)
        w_x, w_y = dot(u, B) - a_y, a_x - dot(t, B)
        size = math.sqrt(w_x * w_x + w_y * w_y)
        least, low = math.inf, 0
        for i in range(count):
            c = o + CORNER * i
            apart = (w_x * (buffer[c] - a_x) + w_y * (buffer[c + 1] - a_y)) / size
            if apart < least:
                least, low = apart, c
        if least > gap:
            gap, w = least, (w_x / size, w_y / size)
            x, y, d = vector(buffer, low)
    for i in range(count):  # edges of a, corners of b
        c, after = o + CORNER * i, o + CORNER * (i + 1 if i + 1 < count else 0)
        w_x, w_y = buffer[after + 1] - buffer[c + 1], buffer[c] - buffer[after]
        size = math.sqrt(w_x * w_x + w_y * w_y)
        if size == 0.0:
            continue
        least, along = math.inf, 0.0
        for j in range(edges):
            A = added(placed(R_b, p_b, vector(table, bearing + CORNERS + 3 * j)), -1.0, p_a)
            a_x, a_y = dot(t, A), dot(u, A)
            apart = (w_x * (a_x - buffer[c]) + w_y * (a_y - buffer[c + 1])) / size
            if apart < least:
                least = apart
                along = (w_x * (a_y - buffer[c + 1]) - w_y * (a_x - buffer[c])) / size
        if least > gap:
            gap, w = least, (-w_x / size, -w_y / size)
            s = along / size
            x = buffer[c] + s * (buffer[after] - buffer[c])
            y = buffer[c + 1] + s * (buffer[after + 1] - buffer[c + 1])
            d = buffer[c + 2] + s * (buffer[after + 2] - buffer[c + 2])
    return gap, x, y, d, w
