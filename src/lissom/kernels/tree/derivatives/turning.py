"""Derivatives of the turning of a node with its rotation vector theta.

  w = J_l theta_dot    w_dot = J_l theta_ddot + dJ_l/dt theta_dot                             (1)
  J_l y = y + b theta x y + c theta x (theta x y)
  dJ_l/dt theta_dot = b1 s x + c1 s theta x x + c theta_dot x x,
      x = theta x theta_dot,  s = theta . theta_dot
with b(t), c(t) of `small.rotation_coefficients`, b1 = b'/t, c1 = c'/t, b2 = b1'/t, c2 = c1'/t.
"""

from __future__ import annotations

from ...compiling import jit
from ...small import (
    SERIES,
    add,
    added,
    cross,
    dot,
    one_plus,
    rotation_coefficients,
    scaled,
    turn,
    unit,
)


@jit
def second_coefficients(x, c, b1, c1):
    """Functions b2 and c2 from x = t^2 and the functions before them."""
    if x < 0.25:
        b2 = c2 = 0.0
        for k in range(8, 1, -1):
            b2 = 4.0 * k * (k - 1) * SERIES[3 * k + 1] - x * b2
            c2 = 4.0 * k * (k - 1) * SERIES[3 * k + 2] - x * c2
        return b2, c2
    return (-2.0 * c - x * c1 - 4.0 * b1) / x, (b1 - 5.0 * c1) / x


@jit
def turning_jacobian(theta):
    """J_l."""
    _a, b, c, _b1, _c1 = rotation_coefficients(dot(theta, theta))
    return one_plus(b, c, theta)


@jit
def turning_slopes(theta, rate, second):
    """Attitude, J_l, w, w_dot (1) and dw/dtheta, dw_dot/dtheta, dw_dot/dtheta_dot.

    rate, second: theta_dot and theta_ddot.
    """
    t2 = dot(theta, theta)
    a, b, c, b1, c1 = rotation_coefficients(t2)
    b2, c2 = second_coefficients(t2, c, b1, c1)
    J, x, s = one_plus(b, c, theta), cross(theta, rate), dot(theta, rate)
    xx = cross(theta, x)
    w_dot = add(scaled(b1 * s, x), scaled(c1 * s, xx))
    w_dot = add(added(w_dot, c, cross(rate, x)), turn(J, second))
    by_turn, by_turn_dot, by_rate = _columns(theta, rate, second, x, xx, s, b, c, b1, c1, b2, c2)
    return one_plus(a, b, theta), J, turn(J, rate), w_dot, by_turn, by_turn_dot, by_rate


@jit
def _columns(theta, rate, second, x, xx, s, b, c, b1, c1, b2, c2):
    """Matrices dw/dtheta, dw_dot/dtheta and dw_dot/dtheta_dot."""
    one = _along(unit(0), theta, rate, second, x, xx, s, b, c, b1, c1, b2, c2)
    two = _along(unit(1), theta, rate, second, x, xx, s, b, c, b1, c1, b2, c2)
    three = _along(unit(2), theta, rate, second, x, xx, s, b, c, b1, c1, b2, c2)
    return (
        _side_by_side(one[0], two[0], three[0]),
        _side_by_side(one[1], two[1], three[1]),
        _side_by_side(one[2], two[2], three[2]),
    )


@jit
def _side_by_side(a, b, c):
    return a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2]


@jit
def jacobian_along(e, theta, y, b, c, b1, c1):
    """Change of J_l y by a change e of theta."""
    x, d = cross(theta, y), dot(theta, e)
    ey = cross(e, y)
    change = add(scaled(b1 * d, x), scaled(b, ey))
    change = added(change, c1 * d, cross(theta, x))
    return added(change, c, add(cross(e, x), cross(theta, ey)))


@jit
def _along(e, theta, rate, second, x, xx, s, b, c, b1, c1, b2, c2):
    """Changes of w and w_dot by a change e of theta, and of w_dot by one of theta_dot."""
    d, r = dot(theta, e), dot(rate, e)
    w = jacobian_along(e, theta, rate, b, c, b1, c1)
    er = cross(e, rate)
    w_dot = jacobian_along(e, theta, second, b, c, b1, c1)
    w_dot = added(w_dot, b2 * d * s + b1 * r, x)
    w_dot = added(w_dot, b1 * s, er)
    w_dot = added(w_dot, c2 * d * s + c1 * r, xx)
    w_dot = added(w_dot, c1 * s, add(cross(e, x), cross(theta, er)))
    w_dot = added(w_dot, c1 * d, cross(rate, x))
    w_dot = added(w_dot, c, cross(rate, er))
    te = cross(theta, e)
    by_rate = added(scaled(b1 * d, x), b1 * s, te)
    by_rate = added(by_rate, c1 * d, xx)
    by_rate = added(by_rate, c1 * s, cross(theta, te))
    by_rate = added(by_rate, c, add(cross(e, x), cross(rate, te)))
    return w, w_dot, by_rate


@jit
def moment_curvature(theta, n):
    """Matrix Y of n . d(J_l a) along e = e^T Y a.

    Y = theta (b1 u + c1 u x theta)^T - b [n]x - c ([n]x [theta]x + [u]x),  u = n x theta
    """
    _a, b, c, b1, c1 = rotation_coefficients(dot(theta, theta))
    u = cross(n, theta)
    g = added(scaled(b1, u), c1, cross(u, theta))
    k = added(scaled(b, n), c, u)  # - [k]x
    nt = c * dot(n, theta)  # [n]x [theta]x = theta n^T - (n . theta) 1
    h = added(g, -c, n)
    return (
        theta[0] * h[0] + nt, theta[0] * h[1] + k[2], theta[0] * h[2] - k[1],
        theta[1] * h[0] - k[2], theta[1] * h[1] + nt, theta[1] * h[2] + k[0],
        theta[2] * h[0] + k[1], theta[2] * h[1] - k[0], theta[2] * h[2] + nt,
    )  # fmt: skip
