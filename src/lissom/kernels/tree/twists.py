"""Velocities by speeds, and forces on the speeds, where the poses of all bodies are known.

With H* the motion map of the hinge, Pi the shapes of a node and J_l as in `nodes`, all in working
axes after `motion_base_to_tip`:
  V   = phi^T V_N + H* x_r          V_t = phi_t^T V + [J_l 0; 0 1] Pi x_f      (base to tip)    (1)
  T_r = H f,   f_N = phi f          T_f = Pi^T [J_l^T 0; 0 1] f_t              (tip to base)    (2)
(1) is `motion_base_to_tip` with accelerations alone, (2) `forces_tip_to_base` of one force on one
body; without the inertia of the bodies they take a fraction of the time.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..records import node_record, node_shapes
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    cross,
    dot,
    put_vector,
    six,
    turn,
    turn_back,
    vector,
)
from .modal import modal_spread, modal_sums
from .nodes import node_place


@jit
def twists_base_to_tip(ints, scratch, x, driven):
    """Write (1) to the records in place of accelerations by the unknowns.

    driven: whether hinges whose motion is given move, too.
    """
    ground = CarrierRecord(scratch, field.GROUND_RECORD)
    ground.d_alpha = ZERO
    ground.d_a = ZERO
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b, n = CarrierRecord(scratch, body.record), CarrierRecord(scratch, body.carrier_motion)
        moved, o, o_v = CarrierRecord(scratch, body.motion), body.hinge, body.hinge_v
        kind, rigid = body.kind, body.level == field.RIGID
        w = n.d_alpha
        u = add(n.d_a, cross(w, b.arm))
        if not rigid:
            R = moved.R
            w, u = turn_back(R, w), turn_back(R, u)
        if kind == field.FIXED or (body.driven != 0 and not driven):
            pass
        elif kind == field.REVOLUTE:
            w = added(w, x[o_v], vector(scratch, o))
        elif kind == field.PRISMATIC:
            u = added(u, x[o_v], vector(scratch, o + 3))
        elif kind == field.SPHERICAL or kind == field.FREE:
            R = moved.R if rigid else IDENTITY
            w = add(w, turn(R, vector(x, o_v)))
            if kind == field.FREE:
                u = add(u, turn(R, vector(x, o_v + 3)))
        else:
            for c in range(body.hinge_dof):
                w = added(w, x[o_v + c], vector(scratch, o + 6 * c))
                u = added(u, x[o_v + c], vector(scratch, o + 6 * c + 3))
        moved.d_alpha = w
        moved.d_a = u
        if not rigid:
            _node_twists(scratch, body, w, u, x)


@jit
def _node_twists(scratch, body, w, u, x):
    """Write (1) of the listed nodes of a flexible body that moves with w and u."""
    m, o_v = body.n_mode, body.modal_v
    for node in range(body.n_node):
        d = CarrierRecord(scratch, body.nodes, node)
        moved = CarrierRecord(scratch, body.node_motion, node)
        e = modal_sums(scratch, node_shapes(body.node_shapes, node, m), m, x, o_v)
        moved.d_alpha = add(w, turn(d.J_l, (e[0], e[1], e[2])))
        moved.d_a = add(add(u, cross(w, d.arm)), (e[3], e[4], e[5]))


@jit
def listed_force(ints, scratch, body, c, q, n, f, out, o):
    """Add the forces (2) of a moment and a force on a node in a list, in body axes, to out[o:].

    c: the node in the list, as `deform_listed` has left it; a rigid body needs none.
    """
    m = body.n_mode
    if body.level != field.RIGID:
        _E, l, J_l = node_place(body, scratch, c, q)
        inside = six(turn_back(J_l, n), f)
        modal_spread(scratch, node_record(c).shapes, m, inside, out, o + body.modal_v)
        n = add(n, cross(l, f))
    _force_to_base(ints, scratch, body, n, f, out, o)


@jit
def _force_to_base(ints, scratch, body, n, f, out, o):
    """Add the forces (2) of a moment and a force at the origin of a body, in working axes."""
    going = True
    while going:
        b = CarrierRecord(scratch, body.record)
        _hinge_forces(scratch, body, b, n, f, out, o + body.hinge_v)
        if body.level != field.RIGID:
            R = b.R
            n, f = turn(R, n), turn(R, f)
        n = add(n, cross(b.arm, f))
        going = body.parent >= 0
        if going:
            carrier = body.carrier
            body = BodyRow(ints, field.HEADER, body.parent)
            if body.level != field.RIGID:
                d, m = CarrierRecord(scratch, carrier), body.n_mode
                node = (carrier - body.nodes) // field.NODE_RECORD
                inside = six(turn_back(d.J_l, n), f)
                Pi = node_shapes(body.node_shapes, node, m)
                modal_spread(scratch, Pi, m, inside, out, o + body.modal_v)
                n = add(n, cross(d.arm, f))


@jit
def _hinge_forces(scratch, body, b, n, f, out, o_v):
    """Add the hinge forces of (2)."""
    kind, o = body.kind, body.hinge
    if kind == field.REVOLUTE:
        out[o_v] += dot(vector(scratch, o), n)
    elif kind == field.PRISMATIC:
        out[o_v] += dot(vector(scratch, o + 3), f)
    elif kind == field.SPHERICAL or kind == field.FREE:
        R = b.R if body.level == field.RIGID else IDENTITY
        put_vector(out, o_v, add(vector(out, o_v), turn_back(R, n)))
        if kind == field.FREE:
            put_vector(out, o_v + 3, add(vector(out, o_v + 3), turn_back(R, f)))
    elif kind != field.FIXED:
        for c in range(body.hinge_dof):
            out[o_v + c] += dot(vector(scratch, o + 6 * c), n)
            out[o_v + c] += dot(vector(scratch, o + 6 * c + 3), f)
