"""Results in world axes: poses of all bodies, motion of a frame, energies and momenta."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    cross,
    dot,
    pose,
    product,
    put_matrix,
    put_vector,
    turn,
    turn_back,
    vector,
)
from .modal import modal_dot, modal_sums
from .nodes import deform_listed, node_motion


@jit
def place_base_to_tip(ints, scratch):
    """Write the pose of every body: working axes to world axes, and origin in the world."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b, o, p = CarrierRecord(scratch, body.record), body.world, body.parent
        C, x, r = IDENTITY, ZERO, b.arm
        if p >= 0:
            parent = BodyRow(ints, field.HEADER, p)
            o_p = parent.world
            C, x = pose(scratch, o_p)
            if parent.level != field.RIGID:
                r = add(r, CarrierRecord(scratch, body.carrier).arm)
        put_vector(scratch, o + 9, add(x, turn(C, r)))
        if body.level != field.RIGID:
            C = product(C, b.R)
        put_matrix(scratch, o, C)


@jit
def totals(ints, floats, scratch, q, v, out):
    """Sums over all bodies, after `motion_base_to_tip` at x = v and `place_base_to_tip`.

    out: kinetic, potential, strain energy, mass, first moment 3, momentum 6 (world axes, about the
    point given in out[13:16]).
    """
    kinetic = strain = mass = 0.0
    moment, angular, linear = ZERO, ZERO, ZERO
    about = vector(out, 13)
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b, o = CarrierRecord(scratch, body.record), body.world
        C, x = pose(scratch, o)
        z_w, z_v = b.z_w, b.z_v
        V_w, V_v = b.alpha, b.a
        kinetic += 0.5 * (dot(V_w, z_w) + dot(V_v, z_v))
        p, m = b.p, b.mass
        if body.level != field.RIGID:
            n, f, s = body.n_mode, body.modal, body.shapes
            o_q, o_v = body.modal_q, body.modal_v
            kinetic += 0.5 * modal_dot(scratch, f + n, n, v, o_v)
            for k in range(n):
                strain += 0.5 * floats[s + k] * q[o_q + k] * q[o_q + k]
            if body.level <= field.LINEAR:  # its inertia ignores the deformation
                moved = modal_sums(scratch, body.M_rf, n, q, o_q)
                p = add(p, (moved[3], moved[4], moved[5]))
        h = turn(C, z_v)
        angular = add(angular, add(turn(C, z_w), cross(added(x, -1.0, about), h)))
        linear = add(linear, h)
        moment = add(moment, added(turn(C, p), m, x))
        mass += m
    out[0] = kinetic
    out[1] = -dot(vector(floats, field.GRAVITY_VECTOR), moment)
    out[2] = strain
    out[3] = mass
    put_vector(out, 4, moment)
    put_vector(out, 7, angular)
    put_vector(out, 10, linear)


@jit
def frame(ints, scratch, where, q, v, x, flags, out):
    """Frame of a node, after `motion_base_to_tip` and `place_base_to_tip`.

    where: number of the body, then the node, `listed` numbers (flexible only).
    out: attitude in the world 9, position in the world 3, acceleration of the node in world axes 6.
    """
    body = BodyRow(ints, field.HEADER, int(where[0]))
    b, o = CarrierRecord(scratch, body.record), body.world
    C, origin = pose(scratch, o)
    R, l = b.R, ZERO
    alpha, a = b.alpha, b.a
    if body.level != field.RIGID:
        c, at = where, 1
        if body.level >= field.STIFFENED:
            c, at = scratch, ints[field.TEMPORARY] & POSITIVE
            deform_listed(body, where, 1, scratch, q, v, scratch, at)
        R, l, _J, _w, alpha, a = node_motion(body, c, at, scratch, q, v, x, flags)
    put_matrix(out, 0, product(C, R))
    put_vector(out, 9, add(origin, turn(C, l)))
    put_vector(out, 12, turn(C, alpha))
    put_vector(out, 15, turn(C, a))


@jit
def hinge_forces(ints, scratch, out):
    """Spatial force through every hinge in body axes, after `forces_tip_to_base`."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b = CarrierRecord(scratch, body.record)
        R = b.R if body.level == field.RIGID else IDENTITY
        f_w = turn_back(R, b.z_w)
        f_v = turn_back(R, b.z_v)
        for k in range(3):
            out[i, k] = f_w[k]
            out[i, 3 + k] = f_v[k]
