"""Motion of a node of a flexible body.

  w_t = w + J_l theta_dot                                          (1)
  A_t = phi(l)^T [alpha; a] + Pi_hat eta_ddot + gamma              (2)
Notation and gamma: `body_terms`, eqs. (9)-(12); [alpha; a] is the body's acceleration.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..small import add, added, cross, dot, one_plus, rotation_coefficients, scaled, turn, vector
from .modal import modal_sums, modal_sums_of_two


@jit
def node_place(c, o, m, q, o_q):
    """Attitude, position and J_l of a node whose undeformed position and shapes are at c[o]."""
    d = modal_sums(c, o + 3, m, q, o_q)
    theta = (d[0], d[1], d[2])
    a0, b0, c0, _b1, _c1 = rotation_coefficients(dot(theta, theta))
    l = add(vector(c, o), (d[3], d[4], d[5]))
    return one_plus(a0, b0, theta), l, one_plus(b0, c0, theta)


@jit
def node_motion(c, o, m, scratch, b, q, o_q, v, x, o_v, flags):
    """Attitude, position, J_l, rate and acceleration of a node of body b, (1), (2).

    Its undeformed position and shapes are at c[o].
    """
    w = vector(scratch, b + field.RATE)
    alpha, a = vector(scratch, b + field.ACCELERATION), vector(scratch, b + field.ACCELERATION + 3)
    if flags & field.RATES != 0:
        d, rate = modal_sums_of_two(c, o + 3, m, q, o_q, v, o_v)
    else:
        d, rate = modal_sums(c, o + 3, m, q, o_q), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    theta = (d[0], d[1], d[2])
    l = add(vector(c, o), (d[3], d[4], d[5]))
    a0, b0, c0, b1, c1 = rotation_coefficients(dot(theta, theta))
    E, J_l = one_plus(a0, b0, theta), one_plus(b0, c0, theta)
    w_t, alpha_t, a_t = w, alpha, add(a, cross(alpha, l))
    if flags & field.RATES != 0:
        theta_dot, delta_dot = (rate[0], rate[1], rate[2]), (rate[3], rate[4], rate[5])
        w_r = turn(J_l, theta_dot)
        y, s = cross(theta, theta_dot), dot(theta, theta_dot)
        J_dot = add(scaled(b1 * s, y), scaled(c1 * s, cross(theta, y)))
        J_dot = added(J_dot, c0, cross(theta_dot, y))
        w_t = add(w, w_r)
        alpha_t = add(alpha_t, add(J_dot, cross(w, w_r)))
        a_t = add(a_t, cross(w, added(cross(w, l), 2.0, delta_dot)))
    if flags & field.ACCELERATED != 0:
        d = modal_sums(c, o + 3, m, x, o_v)
        alpha_t = add(alpha_t, turn(J_l, (d[0], d[1], d[2])))
        a_t = add(a_t, (d[3], d[4], d[5]))
    return E, l, J_l, w_t, alpha_t, a_t
