"""Poses, rates, accelerations and residual forces of all bodies, base to tip.

Notation (working axes of the body, see `fields`; N: the node that carries the body)
  R, r      attitude of the body, and its origin from the node
  w_j, r'   angular rate of the body relative to the node, rate of its origin
  h         relative acceleration due to given accelerations, H* beta_dot
  c         bias of the joint
In (2) and (3) w_N is the rate of the carrying body if that is at level "ruthless".

  w     = w_N + w_j                                                             (1)
  alpha = alpha_N + w_N x w_j + c_w + h_w                                       (2)
  a     = a_N + alpha_N x r + w_N x (w_N x r) + 2 w_N x r' + c_v + h_v          (3)
  residual force of a rigid body, J and p about its origin:
  z_w   = J alpha + p x a + w x J w                                             (4)
  z_v   = m a + alpha x p + w x (w x p)                                         (5)
The equations are (1)-(4) of `reference` in other axes, with the velocity-dependent accelerations
summed from the base instead of kept at the hinges.  A hinge then adds nothing to the force that
passes it, and no velocities of points are needed, only angular rates.

`flags` selects the terms: RATES the speeds v, GRAVITY the ground's acceleration [0; -g], ELASTIC
stiffness and damping, ACCELERATED the given accelerations x, which are always included at driven
hinges.  With ACCELERATED alone and x = v the accelerations are velocities and the residual forces
momenta.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..layout.records import BodyConstants, CarrierRecord
from ..layout.tree import BodyRow
from ..records import hinge_record
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    apply,
    column,
    cross,
    product,
    put_vector,
    quaternion_rotation,
    scaled,
    turn,
    turn_back,
    turned_symmetric,
    unit,
    vector,
)
from .flexible import flexible_terms
from .joints import general_joint


@jit
def motion_base_to_tip(ints, floats, scratch, q, v, x, flags):
    """Fill the records of all bodies and nodes; (1)-(5)."""
    moving, all_given = flags & field.RATES != 0, flags & field.ACCELERATED != 0
    _ground(floats, scratch, flags)
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        b, n = CarrierRecord(scratch, body.record), CarrierRecord(scratch, body.carrier_motion)
        moved = CarrierRecord(scratch, body.motion)
        k, o = BodyConstants(floats, body.constants), body.hinge
        kind, rigid = body.kind, body.level == field.RIGID
        accelerated = all_given or body.driven != 0
        N, w_N = n.R, n.rate
        A = product(N, k.frame) if body.turned != 0 else N
        r = turn(N, k.place)
        o_q, o_v = body.hinge_q, body.hinge_v
        w_j, rate, h_w, h_v, c_w, c_v = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
        if kind == field.REVOLUTE:
            axis = body.axis
            R, e = turned_about(A, axis, math.sin(q[o_q]), math.cos(q[o_q]))
            put_vector(scratch, o, e if rigid else unit(axis))
            if moving:
                w_j = scaled(v[o_v], e)
            if accelerated:
                h_w = scaled(x[o_v], e)
        elif kind == field.FIXED:
            R = A
        elif kind == field.PRISMATIC:
            R, axis = A, body.axis
            e = column(A, axis)
            put_vector(scratch, o + 3, e if rigid else unit(axis))
            r = added(r, q[o_q], e)
            if moving:
                rate = scaled(v[o_v], e)
            if accelerated:
                h_v = scaled(x[o_v], e)
        elif kind == field.SPHERICAL or kind == field.FREE:
            R = product(A, quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3]))
            if moving:
                w_j = turn(R, vector(v, o_v))
            if accelerated:
                h_w = turn(R, vector(x, o_v))
            if kind == field.FREE:
                r = add(r, turn(A, vector(q, o_q + 4)))
                if moving:
                    rate = turn(R, vector(v, o_v + 3))
                    c_v = cross(w_j, rate)
                if accelerated:
                    h_v = turn(R, vector(x, o_v + 3))
            if scratch[field.ARMATURE] != 0.0:
                _write_ball(scratch, o, R if rigid else IDENTITY, kind)
        else:
            dof = body.hinge_dof
            o_map = hinge_record(o, dof).child_map
            R_j, r_j, own_w, own_v, bias_w, bias_v = general_joint(
                floats, body.joint, kind, q, o_q, v, o_v, moving, scratch, o_map
            )
            R, r = product(A, R_j), add(r, turn(A, r_j))
            w_j, rate, c_w, c_v = turn(R, own_w), turn(R, own_v), turn(R, bias_w), turn(R, bias_v)
            Q = R if rigid else IDENTITY
            for c in range(dof):
                h = vector(scratch, o_map + 6 * c)
                put_vector(scratch, o + 6 * c, turn(Q, h))
                u = vector(scratch, o_map + 6 * c + 3)
                put_vector(scratch, o + 6 * c + 3, turn(Q, u))
                if accelerated:
                    h_w = added(h_w, x[o_v + c], turn(R, h))
                    h_v = added(h_v, x[o_v + c], turn(R, u))
        w, alpha, a = ZERO, ZERO, ZERO
        if flags != 0:
            alpha_N, a_N = n.alpha, n.a
            w = add(w_N, w_j)  # (1)
            if body.turns != 0:
                w_N = CarrierRecord(scratch, body.turns).rate
            alpha = add(add(alpha_N, h_w), add(cross(w_N, w_j), c_w))  # (2)
            turning = cross(w_N, added(cross(w_N, r), 2.0, rate))
            a = add(add(add(a_N, h_v), cross(alpha_N, r)), add(turning, c_v))  # (3)
        moved.R = R
        b.arm = r
        if not rigid:
            moved.rate = turn_back(R, w)
            moved.alpha = turn_back(R, alpha)
            moved.a = turn_back(R, a)
            flexible_terms(ints, floats, scratch, body, q, v, x, flags)
            continue
        moved.rate = w
        moved.alpha = alpha
        moved.a = a
        m = k.mass
        p = turn(R, k.p)
        J = turned_symmetric(R, k.J)
        b.J = J
        b.p = p
        b.mass = m
        if flags == 0:
            b.z_w = ZERO
            b.z_v = ZERO
            continue
        z_w = add(add(apply(J, alpha), cross(p, a)), cross(w, apply(J, w)))  # (4)
        z_v = add(add(scaled(m, a), cross(alpha, p)), cross(w, cross(w, p)))  # (5)
        b.z_w = z_w
        b.z_v = z_v


@jit
def _ground(floats, scratch, flags):
    """Write the record of the ground, which carries the base bodies."""
    ground = CarrierRecord(scratch, field.GROUND_RECORD)
    ground.alpha = ZERO
    ground.a = ZERO
    if flags & field.GRAVITY != 0:
        g = vector(floats, field.GRAVITY_VECTOR)
        ground.a = -g[0], -g[1], -g[2]


@jit
def turned_about(A, axis, s, c):
    """Product of A and a rotation about a coordinate axis, and that axis: 12 multiplications."""
    if axis == 0:
        e, f, g = (A[0], A[3], A[6]), (A[1], A[4], A[7]), (A[2], A[5], A[8])
        f, g = added(scaled(c, f), s, g), added(scaled(c, g), -s, f)
        return (e[0], f[0], g[0], e[1], f[1], g[1], e[2], f[2], g[2]), e
    if axis == 1:
        e, f, g = (A[1], A[4], A[7]), (A[2], A[5], A[8]), (A[0], A[3], A[6])
        f, g = added(scaled(c, f), s, g), added(scaled(c, g), -s, f)
        return (g[0], e[0], f[0], g[1], e[1], f[1], g[2], e[2], f[2]), e
    e, f, g = (A[2], A[5], A[8]), (A[0], A[3], A[6]), (A[1], A[4], A[7])
    f, g = added(scaled(c, f), s, g), added(scaled(c, g), -s, f)
    return (f[0], g[0], e[0], f[1], g[1], e[1], f[2], g[2], e[2]), e


@jit
def _write_ball(scratch, o, R, kind):
    """Write the motion map of a spherical or free joint; needed only with armature."""
    for c in range(3):
        put_vector(scratch, o + 6 * c, (R[c], R[3 + c], R[6 + c]))
        put_vector(scratch, o + 6 * c + 3, ZERO)
        if kind == field.FREE:
            put_vector(scratch, o + 18 + 6 * c, ZERO)
            put_vector(scratch, o + 21 + 6 * c, (R[c], R[3 + c], R[6 + c]))
