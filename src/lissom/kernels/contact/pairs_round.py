"""Pairs of spheres and capsules with each other, with half spaces, shells and bores.

Numbers of the shapes in the table: sphere, shell and bore their radius; capsule its radius and half
of the distance of the centres of its ends; half space its normal.
"""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..small import added, column, cross, dot, scaled, turn, vector
from .pairs_cores import (
    FLAT,
    across,
    ball,
    between_cores,
    clamped,
    curvature,
    sign,
    tangents,
    tangents_along,
)

PARALLEL = 1e-12  # squared sine of an angle below which axes are parallel


@uncounted
def ball_on_plane(r, A, n, p):
    """Witness of a ball about A on a half space through p."""
    g = dot(n, added(A, -1.0, p)) - r
    x = added(A, -r, n)
    t, u = tangents(n)
    return g, n, x, added(x, -g, n), t, u, ball(r), FLAT


@uncounted
def sphere_half_space(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a sphere or point on a half space."""
    return ball_on_plane(table[s_a], p_a, turn(R_b, vector(table, s_b)), p_b)


@uncounted
def capsule_half_space(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of the deeper end of a capsule on a half space."""
    n, e = turn(R_b, vector(table, s_b)), column(R_a, 2)
    A = added(p_a, -sign(dot(n, e)) * table[s_a + 1], e)
    return ball_on_plane(table[s_a], A, n, p_b)


@uncounted
def sphere_sphere(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of two spheres."""
    r_a, r_b = table[s_a], table[s_b]
    g, n, x_a, x_b = between_cores(p_a, p_b, r_a, r_b, column(R_b, 2))
    t, u = tangents(n)
    return g, n, x_a, x_b, t, u, ball(r_a), ball(r_b)


@uncounted
def sphere_shell(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a ball inside a sphere, whose wall is concave."""
    r, R = table[s_a], table[s_b]
    d = added(p_b, -1.0, p_a)
    distance = math.sqrt(dot(d, d))
    n = scaled(1.0 / distance, d) if distance > 0.0 else column(R_b, 2)
    t, u = tangents(n)
    S_b = (-1.0 / R, 0.0, -1.0 / R)
    return R - r - distance, n, added(p_a, -r, n), added(p_b, -R, n), t, u, ball(r), S_b


@uncounted
def sphere_bore(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of the end of a pin, as a ball, in an endless bore along z."""
    r, R, e = table[s_a], table[s_b], column(R_b, 2)
    d = added(p_b, -1.0, p_a)
    along = dot(e, d)
    d = added(d, -along, e)  # from the ball to the axis
    distance = math.sqrt(dot(d, d))
    n = scaled(1.0 / distance, d) if distance > 0.0 else column(R_b, 0)
    x_b = added(added(p_b, -along, e), -R, n)
    S_b = (0.0, 0.0, -1.0 / R)
    return R - r - distance, n, added(p_a, -r, n), x_b, e, cross(n, e), ball(r), S_b


@uncounted
def sphere_capsule(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of a sphere on the side or an end of a capsule."""
    r_a, r_b, half, e = table[s_a], table[s_b], table[s_b + 1], column(R_b, 2)
    s = clamped(dot(e, added(p_a, -1.0, p_b)), -half, half)
    g, n, x_a, x_b = between_cores(p_a, added(p_b, s, e), r_a, r_b, column(R_b, 0))
    t, u = tangents_along(n, e)
    k = curvature(r_b)
    S_b = (0.0 if abs(s) < half else k, 0.0, k)
    return g, n, x_a, x_b, t, u, ball(r_a), S_b


@uncounted
def capsule_capsule(table, s_a, s_b, R_a, p_a, R_b, p_b):
    """Witness of two capsules; of parallel ones in the middle of where they are side by side."""
    r_a, r_b, e_a, e_b = table[s_a], table[s_b], column(R_a, 2), column(R_b, 2)
    h_a, h_b = table[s_a + 1], table[s_b + 1]
    c = dot(e_a, e_b)
    normal = cross(e_a, e_b)
    size = math.sqrt(dot(normal, normal))
    parallel = size * size < PARALLEL
    if parallel:
        s, q = _parallel_segments(c, e_b, added(p_a, -1.0, p_b), h_a, h_b)
        aside = column(R_b, 0)
    else:
        s, q = _segments(c, size * size, e_a, e_b, added(p_a, -1.0, p_b), h_a, h_b)
        aside = scaled(1.0 / size, normal)
    A, B = added(p_a, s, e_a), added(p_b, q, e_b)
    g, n, x_a, x_b = between_cores(A, B, r_a, r_b, aside)
    t, u = tangents_along(n, e_b)
    S_a, S_b = ball(r_a), ball(r_b)
    if abs(q) < h_b:
        S_b = (0.0, 0.0, curvature(r_b))
    if abs(s) < h_a:
        if parallel:
            S_a = (0.0, 0.0, curvature(r_a))
        else:
            S_a = across(curvature(r_a), e_a, n, t, u)
    return g, n, x_a, x_b, t, u, S_a, S_b


@uncounted
def _segments(c, sine2, e_a, e_b, d, h_a, h_b):
    """Places along two segments, from their middles, of the closest points; d: between these.

    Source: Ericson 2005, Real-Time Collision Detection, 5.1.9.
    """
    f_a, f_b = dot(e_a, d), dot(e_b, d)
    s = clamped((c * f_b - f_a) / sine2, -h_a, h_a)
    q = c * s + f_b
    if abs(q) > h_b:
        q = clamped(q, -h_b, h_b)
        s = clamped(c * q - f_a, -h_a, h_a)
    return s, q


@uncounted
def _parallel_segments(c, e_b, d, h_a, h_b):
    """The same of parallel segments: the middle of where they are side by side, or two ends."""
    f_b = dot(e_b, d)
    middle = -c * f_b  # of b, along a
    low, high = max(-h_a, middle - h_b), min(h_a, middle + h_b)
    if low < high:
        s = 0.5 * (low + high)
        return s, clamped(c * s + f_b, -h_b, h_b)
    s = clamped(middle, -h_a, h_a)
    return s, clamped(c * s + f_b, -h_b, h_b)
