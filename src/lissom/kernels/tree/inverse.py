"""Inverse dynamics, tip to base.  O(N).

After `motion_base_to_tip` with given accelerations the records hold each body's residual force z
and modal force t_f; the forces are accumulated inward:
  f = z + sum over its nodes phi_t f_t      T_f = t_f + sum Pi_hat_t^T f_t      T_r = H f
These are (5)-(7) of `reference`; armature adds a_f eta_ddot and a_r beta_dot.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..records import hinge_record, modal_record, node_shapes
from ..small import IDENTITY, add, cross, dot, put_vector, six, turn, turn_back, vector
from .modal import modal_spread


@jit
def forces_tip_to_base(ints, scratch, x, out, flags):
    """Generalized forces; each record then holds the spatial force through its hinge."""
    armature = scratch[field.ARMATURE] != 0.0 and flags & field.ACCELERATED != 0
    for i in range(ints[field.N_BODY] - 1, -1, -1):
        body = BodyRow(ints, field.HEADER, i)
        b, o = CarrierRecord(scratch, body.record), body.hinge
        kind, rigid = body.kind, body.level == field.RIGID
        o_v = body.hinge_v
        if not rigid:
            _modal_forces(scratch, body, x, out, armature)
        f_w, f_v = b.z_w, b.z_v
        if kind == field.REVOLUTE:
            out[o_v] = dot(vector(scratch, o), f_w)
        elif kind == field.PRISMATIC:
            out[o_v] = dot(vector(scratch, o + 3), f_v)
        elif kind == field.SPHERICAL or kind == field.FREE:
            R = b.R if rigid else IDENTITY
            put_vector(out, o_v, turn_back(R, f_w))
            if kind == field.FREE:
                put_vector(out, o_v + 3, turn_back(R, f_v))
        elif kind != field.FIXED:
            for c in range(body.hinge_dof):
                h_w, h_v = vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)
                out[o_v + c] = dot(h_w, f_w) + dot(h_v, f_v)
        if armature:
            _hinge_armature(scratch, o, body.hinge_dof, x, out, o_v)
        if body.parent < 0:
            continue
        if not rigid:
            R = b.R
            f_w, f_v = turn(R, f_w), turn(R, f_v)
        f_w = add(f_w, cross(b.arm, f_v))
        n = CarrierRecord(scratch, body.carrier)
        n.z_w = add(n.z_w, f_w)
        n.z_v = add(n.z_v, f_v)


@jit
def _modal_forces(scratch, body, x, out, armature):
    """Modal forces of one body with the forces on its nodes, which are added to its force."""
    b, m = CarrierRecord(scratch, body.record), body.n_mode
    modal, o_v = modal_record(body.modal, m), body.modal_v
    t = modal.force
    shapes = body.node_shapes
    f_w, f_v = b.z_w, b.z_v
    for node in range(body.n_node):
        d = CarrierRecord(scratch, body.nodes, node)
        n_t, f_t = d.z_w, d.z_v
        turned = six(turn_back(d.J_l, n_t), f_t)
        modal_spread(scratch, node_shapes(shapes, node, m), m, turned, scratch, t)
        f_w = add(f_w, add(n_t, cross(d.arm, f_t)))
        f_v = add(f_v, f_t)
    b.z_w = f_w
    b.z_v = f_v
    for k in range(m):
        out[o_v + k] = scratch[t + k]
    if armature:
        w = modal.weight
        lumped = body.dense != 0
        for k in range(m):
            added = scratch[w + k] if lumped else 1.0 / scratch[w + k] - 1.0
            out[o_v + k] += added * x[o_v + k]


@jit
def _hinge_armature(scratch, o, r, x, out, o_v):
    """Add the force a_r beta_dot of the armature."""
    o_a = hinge_record(o, r).armature
    for c in range(r):
        for k in range(r):
            out[o_v + c] += scratch[o_a + c * r + k] * x[o_v + k]
