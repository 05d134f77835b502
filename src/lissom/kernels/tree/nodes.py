"""Motion of a node of a flexible body.

  w_t = w + J_l theta_dot                                          (1)
  A_t = phi(l)^T [alpha; a] + Pi_hat eta_ddot + gamma              (2)
Notation and gamma: `body_terms`, eqs. (9)-(12); [alpha; a] is the body's acceleration.

At level "stiffened" the shapes of a node depend on the deformation, eq. (15) there.  They are
written, once for each state, to the record that holds the constant shapes of other levels, with
S = [rho; h] and d_0 = [0; l0]:
  Pi(eta) = Pi + S eta    d_0 - S[eta, eta]/2    S[eta_dot, eta_dot]                      (3)
Then [theta; l] is the second plus Pi(eta) eta, and the third is the bend in gamma: all that reads
nodes is the same at every level.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..records import node_record, node_size
from ..small import add, added, cross, dot, one_plus, rotation_coefficients, scaled, turn, vector
from .modal import modal_sums, modal_sums_of_two, symmetric_product


@jit
def node_place(c, o, m, q, o_q):
    """Attitude, position and J_l of a node whose record is at c[o]."""
    node = node_record(o)
    d = modal_sums(c, node.shapes, m, q, o_q)
    theta = add(vector(c, node.turn), (d[0], d[1], d[2]))
    a0, b0, c0, _b1, _c1 = rotation_coefficients(dot(theta, theta))
    l = add(vector(c, node.position), (d[3], d[4], d[5]))
    return one_plus(a0, b0, theta), l, one_plus(b0, c0, theta)


@jit
def node_motion(c, o, m, scratch, b, q, o_q, v, x, o_v, flags):
    """Attitude, position, J_l, rate and acceleration of a node of body b, (1), (2).

    Its record is at c[o].
    """
    w, node = vector(scratch, b + field.RATE), node_record(o)
    alpha, a = vector(scratch, b + field.ACCELERATION), vector(scratch, b + field.ACCELERATION + 3)
    if flags & field.RATES != 0:
        d, rate = modal_sums_of_two(c, node.shapes, m, q, o_q, v, o_v)
    else:
        d, rate = modal_sums(c, node.shapes, m, q, o_q), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    theta = add(vector(c, node.turn), (d[0], d[1], d[2]))
    l = add(vector(c, node.position), (d[3], d[4], d[5]))
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
        alpha_t = add(alpha_t, turn(J_l, vector(c, node.bend)))
        a_t = add(a_t, cross(w, added(cross(w, l), 2.0, delta_dot)))
        a_t = add(a_t, vector(c, node.bend + 3))
    if flags & field.ACCELERATED != 0:
        d = modal_sums(c, node.shapes, m, x, o_v)
        alpha_t = add(alpha_t, turn(J_l, (d[0], d[1], d[2])))
        a_t = add(a_t, (d[3], d[4], d[5]))
    return E, l, J_l, w_t, alpha_t, a_t


@jit
def deform_node(c, o, bits, m, q, o_q, v, o_v, y, out):
    """Write the record (3) of a node at level "stiffened" to y[out].

    c[o]: its undeformed position 3, shapes 6m, and of S the m x m matrices of the rows in `bits`.
    """
    o, out, m, S = o & POSITIVE, out & POSITIVE, m & POSITIVE, (o + 3 + 6 * m) & POSITIVE
    for k in range(6):
        Pi, changed = o + 3 + k * m, out + 12 + k * m
        y[out + k] = c[o + k - 3] if k >= 3 else 0.0
        y[out + 6 + k] = 0.0
        for a in range(m):
            y[changed + a] = c[Pi + a]
        if bits >> k & 1 == 0:
            continue
        square, bend = symmetric_product(c, S, m, q, o_q, v, o_v, y, changed)
        y[out + k] -= 0.5 * square
        y[out + 6 + k] = bend
        S += m * m


@jit
def deform_listed(ints, row, c, o, q, v, y, out):
    """`deform_node` for a node of a list, whose constants follow its record at c[o]."""
    m = ints[row + field.N_MODE] & POSITIVE
    o_q, o_v = ints[row + field.MODAL_Q] & POSITIVE, ints[row + field.MODAL_V] & POSITIVE
    deform_node(c, o + node_size(m), ints[row + field.BENT], m, q, o_q, v, o_v, y, out)
