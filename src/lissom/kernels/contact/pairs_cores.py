"""Parts that pairs of shapes share: tangents, shape operators, and cores with a radius around.

The witness of a pair is (g, n, x_a, x_b, t, u, S_a, S_b): the gap g, negative where the shapes
overlap; the normal n, outward from b; the points x_a and x_b of the surfaces that face each other;
two tangents, (t, u, n) right-handed; and the shape operators (xx, xy, yy) in (t, u), positive where
a body is convex. Vectors are those of the world.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import add, added, cross, dot, scaled, turn, turn_back

# Curvature of a point and of a sharp edge: a radius of 1 pm, by which nothing differs [1/m]
SHARP = 1e12
FLAT = (0.0, 0.0, 0.0)


@uncounted
def curvature(radius):
    """Curvature of a circle, also of radius zero."""
    return 1.0 / radius if radius * SHARP > 1.0 else SHARP


@uncounted
def ball(radius):
    """Shape operator of a sphere."""
    k = curvature(radius)
    return k, 0.0, k


@uncounted
def across(k, e, n, t, u):
    """Shape operator of a cylinder along a tangent e: curvature k across it, none along it.

    Of rank one exactly, so that parallel cylinders are recognised as such.
    """
    q = cross(n, e)
    c, s = dot(q, t), dot(q, u)
    return k * c * c, k * c * s, k * s * s


@uncounted
def tangents(n):
    """Two unit vectors that are right-handed with a unit vector, smooth but for n_z = 0.

    Source: Duff et al. 2017, Building an orthonormal basis, revisited.
    """
    s = 1.0 if n[2] >= 0.0 else -1.0
    a = -1.0 / (s + n[2])
    b = n[0] * n[1] * a
    t = 1.0 + s * n[0] * n[0] * a, s * b, -s * n[0]
    u = b, s + n[1] * n[1] * a, -n[1]
    return t, u


@uncounted
def tangents_along(n, e):
    """Two unit tangents, the first along the part of e that is across n."""
    d = added(e, -dot(n, e), n)
    size = math.sqrt(dot(d, d))
    if size < 1e-12:
        return tangents(n)
    t = scaled(1.0 / size, d)
    return t, cross(n, t)


@uncounted
def between_cores(A, B, r_a, r_b, aside):
    """Gap, normal and witness points of two points with radii; `aside`: normal where they meet."""
    d = added(A, -1.0, B)
    distance = math.sqrt(dot(d, d))
    n = scaled(1.0 / distance, d) if distance > 0.0 else aside
    return distance - r_a - r_b, n, added(A, -r_a, n), added(B, r_b, n)


@uncounted
def clamped(x, low, high):
    """Nearest number in an interval."""
    return min(max(x, low), high)


@uncounted
def sign(x):
    """Sign of a number, 1 for zero."""
    return 1.0 if x >= 0.0 else -1.0


@uncounted
def placed(R, p, x):
    """Point x of a shape in the world."""
    return add(p, turn(R, x))


@uncounted
def seen_from(R, p, x):
    """Point x of the world in the axes of a shape."""
    return turn_back(R, added(x, -1.0, p))
