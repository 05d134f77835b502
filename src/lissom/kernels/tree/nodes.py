"""Motion of a node of a flexible body.

  w_t = w + J_l theta_dot                                          (1)
  A_t = phi(l)^T [alpha; a] + Pi_hat eta_ddot + gamma              (2)
Notation and gamma: (9)-(12) of `body_terms`, with gamma of level "ruthless" after them;
[alpha; a] is the body's acceleration.

At level "stiffened" the shapes of a node depend on the deformation, (15) there.  They are
written, once for each state, to the record that holds the constant shapes of other levels, with
S = [rho; h] and d_0 = [0; l0]:
  Pi(eta) = Pi + S eta    d_0 - S[eta, eta]/2    S[eta_dot, eta_dot]                      (3)
Then [theta; l] is the second plus Pi(eta) eta, and the third is the bend in gamma: all that reads
nodes is the same at every level.

At level "exact" the record holds attitude and position, and Pi_hat and the bias of the section in
the places of Pi and the bend (`rods`); so it does where the shapes turn the inboard node
(`floating`).
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..records import node_record, node_size
from ..small import (
    IDENTITY,
    add,
    added,
    cross,
    dot,
    matrix,
    one_plus,
    rotation_coefficients,
    scaled,
    turn,
    vector,
)
from .floating import floating_node
from .modal import modal_sums, modal_sums_of_two, symmetric_product
from .rods import rod_node


@jit
def node_place(body, c, o, q):
    """Attitude, position and J_l of a node of a body, whose record is at c[o]."""
    node, m = node_record(o), body.n_mode
    if body.level >= field.EXACT:
        return matrix(c, node.turn), vector(c, node.position), IDENTITY
    d = modal_sums(c, node.shapes, m, q, body.modal_q)
    theta = add(vector(c, node.turn), (d[0], d[1], d[2]))
    a0, b0, c0, _b1, _c1 = rotation_coefficients(dot(theta, theta))
    l = add(vector(c, node.position), (d[3], d[4], d[5]))
    return one_plus(a0, b0, theta), l, one_plus(b0, c0, theta)


@jit
def node_motion(body, c, o, scratch, q, v, x, flags):
    """Attitude, position, J_l, rate and acceleration of a node of a body, (1), (2).

    Its record is at c[o].
    """
    if body.level >= field.EXACT:
        return _section_motion(body, c, o, scratch, v, x, flags)
    m, b = body.n_mode, CarrierRecord(scratch, body.record)
    o_q, o_v = body.modal_q, body.modal_v
    w, node = b.rate, node_record(o)
    alpha, a = b.alpha, b.a
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
        if body.level == field.RUTHLESS:
            a_t = add(a_t, cross(w, cross(w, vector(c, node.position))))
        else:
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
def _section_motion(body, c, o, scratch, v, x, flags):
    """`node_motion` where the record holds Pi_hat and the bias."""
    m, b = body.n_mode, CarrierRecord(scratch, body.record)
    o_v, node = body.modal_v, node_record(o)
    w, l = b.rate, vector(c, node.position)
    alpha, a = b.alpha, b.a
    w_t, a = w, add(a, cross(alpha, l))
    if flags & field.RATES != 0:
        d = modal_sums(c, node.shapes, m, v, o_v)
        w_r, rate = (d[0], d[1], d[2]), (d[3], d[4], d[5])
        w_t = add(w, w_r)
        alpha = add(alpha, add(vector(c, node.bend), cross(w, w_r)))
        a = add(a, add(vector(c, node.bend + 3), cross(w, added(cross(w, l), 2.0, rate))))
    if flags & field.ACCELERATED != 0:
        d = modal_sums(c, node.shapes, m, x, o_v)
        alpha, a = add(alpha, (d[0], d[1], d[2])), add(a, (d[3], d[4], d[5]))
    return matrix(c, node.turn), l, IDENTITY, w_t, alpha, a


@jit
def deform_node(body, c, o, scratch, q, v, y, out):
    """Write the record of a node to y[out], from level "stiffened" on; its constants are at c[o].

    A rod has its sections in the workspace, a floating body its inboard node.
    """
    m, bits = body.n_mode, body.bent
    o_q, o_v = body.modal_q, body.modal_v
    if body.level == field.EXACT:
        rod_node(body, c, o, scratch, q, v, y, out)
    elif body.level == field.FLOATING:
        floating_node(body, c, o, scratch, q, v, y, out)
    else:
        _bend_node(c, o, bits, m, q, o_q, v, o_v, y, out)


@jit
def deform_listed(body, c, o, scratch, q, v, y, out):
    """`deform_node` for a node of a list, whose constants follow its record at c[o]."""
    after = o + node_size(body.n_mode)
    deform_node(body, c, after, scratch, q, v, y, out)


@jit
def _bend_node(c, o, bits, m, q, o_q, v, o_v, y, out):
    """Write the record (3) of a node at level "stiffened" to y[out].

    c[o]: its undeformed position 3, shapes 6m, and of S the m x m matrices of the rows in `bits`.
    """
    o, out, m, S = o & POSITIVE, out & POSITIVE, m & POSITIVE, (o + 3 + 6 * m) & POSITIVE
    node = node_record(out)
    for k in range(6):
        Pi, changed = o + 3 + k * m, node.shapes + k * m
        place = node.turn + k if k < 3 else node.position + k - 3
        y[place] = c[o + k - 3] if k >= 3 else 0.0
        y[node.bend + k] = 0.0
        for a in range(m):
            y[changed + a] = c[Pi + a]
        if bits >> k & 1 == 0:
            continue
        square, bend = symmetric_product(c, S, m, q, o_q, v, o_v, y, changed)
        y[place] -= 0.5 * square
        y[node.bend + k] = bend
        S += m * m
