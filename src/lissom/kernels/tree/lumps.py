"""Nodes with rotary inertia from level "full" on: their contribution to a flexible body's terms.

Each is a small rigid body at a node, M_s its spatial inertia there ((7) and (8) of `body_terms`):
  z += phi (M_s A_t + b_s)      t_f += Pi_hat^T (M_s A_t + b_s)                  (1)
  M_rr += phi M_s phi^T    M_rf += phi M_s Pi_hat    M_ff += Pi_hat^T M_s Pi_hat  (2)
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..records import modal_record, node_record
from ..small import (
    add,
    added,
    apply,
    cross,
    put_vector,
    scaled,
    six,
    symmetric,
    turn,
    turn_back,
    turned_symmetric,
    vector,
)
from .modal import modal_product, modal_spread
from .nodes import deform_listed, node_motion
from .rigid import rigid_force, shifted_inertia

# floats: a lump; its node, `listed` numbers, comes last
LUMP_MASS, LUMP_OFFSET, LUMP_INERTIA, LUMP_NODE = 0, 1, 4, 10


@jit
def point_mass(body):
    """Place of the modal mass m x m of the points of a body that has lumps or is floating."""
    size = LUMP_NODE + body.listed
    return body.lumps + body.n_lump * size


@jit
def lump_terms(ints, floats, scratch, body, q, v, x, flags):
    """Add the lumps of one body to its terms (1), (2); M_ff starts with that of point masses."""
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    o_v = body.modal_v
    _W, t, M_ff = modal_record(body.modal, m)
    size, n_lump = LUMP_NODE + body.listed, body.n_lump
    M_rf = body.M_rf
    work = ints[field.TEMPORARY] & POSITIVE
    lumps, points = body.lumps, point_mass(body)
    if body.level != field.FLOATING:  # which has both already
        for k in range(m * m):
            scratch[M_ff + k] = floats[points + k]
        if flags & field.ACCELERATED != 0:
            modal_product(floats, points, m, x, o_v, 1.0, scratch, t)
    for lump in range(n_lump):
        c = lumps + lump * size
        at, node = floats, c + LUMP_NODE
        if body.level >= field.STIFFENED:
            at, node = scratch, work + field.THIRD_ROWS * m
            deform_listed(body, floats, c + LUMP_NODE, scratch, q, v, scratch, node)
        shapes = node_record(node).shapes
        E, l, J_l, w, alpha, a = node_motion(body, at, node, scratch, q, v, x, flags)
        mass = floats[c + LUMP_MASS]
        p = scaled(mass, turn(E, vector(floats, c + LUMP_OFFSET)))
        J = turned_symmetric(E, symmetric(floats, c + LUMP_INERTIA))
        n_t, f_t = rigid_force(J, p, mass, w, alpha, a)
        z_w, z_v = b.z_w, b.z_v
        b.z_w = add(z_w, add(n_t, cross(l, f_t)))  # (1)
        b.z_v = add(z_v, f_t)
        modal_spread(at, shapes, m, six(turn_back(J_l, n_t), f_t), scratch, t)
        J_0, p_0 = shifted_inertia(J, p, mass, l)  # (2)
        inertia = b.J
        b.J = (inertia[0] + J_0[0], inertia[1] + J_0[1], inertia[2] + J_0[2],
             inertia[3] + J_0[3], inertia[4] + J_0[4], inertia[5] + J_0[5])  # fmt: skip
        b.p = add(b.p, p_0)
        b.mass += mass
        _modal_part(at, shapes, m, J_l, l, J, p, mass, scratch, work, M_rf, M_ff)


@jit
def _modal_part(x, c, m, J_l, l, J, p, mass, scratch, work, M_rf, M_ff):
    """Add (2) to M_rf and M_ff; x[c]: shapes; work: Pi_hat, M_s Pi_hat, by modes."""
    image = work + 6 * m
    for a in range(m):
        pi_w = turn(J_l, (x[c + a], x[c + m + a], x[c + 2 * m + a]))
        pi_v = x[c + 3 * m + a], x[c + 4 * m + a], x[c + 5 * m + a]
        x_w = add(apply(J, pi_w), cross(p, pi_v))
        x_v = added(cross(pi_w, p), mass, pi_v)
        put_vector(scratch, work + 6 * a, pi_w)
        put_vector(scratch, work + 6 * a + 3, pi_v)
        put_vector(scratch, image + 6 * a, x_w)
        put_vector(scratch, image + 6 * a + 3, x_v)
        at_origin = add(x_w, cross(l, x_v))
        for k in range(3):
            scratch[M_rf + k * m + a] += at_origin[k]
            scratch[M_rf + (3 + k) * m + a] += x_v[k]
    for a in range(m):
        for b in range(m):
            s = 0.0
            for k in range(6):
                s += scratch[work + 6 * a + k] * scratch[image + 6 * b + k]
            scratch[M_ff + a * m + b] += s
