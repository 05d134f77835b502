"""Results in world axes: poses of all bodies, motion of a frame, energies and momenta."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    cross,
    dot,
    matrix,
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
        row = field.HEADER + i * field.ROW
        b, o, p = (
            ints[row + field.BODY] & POSITIVE,
            ints[row + field.WORLD] & POSITIVE,
            ints[row + field.PARENT],
        )
        C, x, r = IDENTITY, ZERO, vector(scratch, b + field.ARM)
        if p >= 0:
            parent = field.HEADER + p * field.ROW
            o_p = ints[parent + field.WORLD] & POSITIVE
            C, x = pose(scratch, o_p)
            if ints[parent + field.LEVEL] != field.RIGID:
                r = add(r, vector(scratch, (ints[row + field.CARRIER] & POSITIVE) + field.ARM))
        put_vector(scratch, o + 9, add(x, turn(C, r)))
        if ints[row + field.LEVEL] != field.RIGID:
            C = product(C, matrix(scratch, b + field.R_))
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
        row = field.HEADER + i * field.ROW
        b, o = ints[row + field.BODY] & POSITIVE, ints[row + field.WORLD] & POSITIVE
        C, x = pose(scratch, o)
        z_w, z_v = vector(scratch, b + field.FORCE), vector(scratch, b + field.FORCE + 3)
        V_w, V_v = (
            vector(scratch, b + field.ACCELERATION),
            vector(scratch, b + field.ACCELERATION + 3),
        )
        kinetic += 0.5 * (dot(V_w, z_w) + dot(V_v, z_v))
        p, m = vector(scratch, b + field.MOMENT), scratch[b + field.MASS]
        if ints[row + field.LEVEL] != field.RIGID:
            n, f, s = (
                ints[row + field.N_MODE],
                ints[row + field.MODAL] & POSITIVE,
                ints[row + field.SHAPES],
            )
            o_q, o_v = ints[row + field.MODAL_Q], ints[row + field.MODAL_V]
            kinetic += 0.5 * modal_dot(scratch, f + n, n, v, o_v)
            for k in range(n):
                strain += 0.5 * floats[s + k] * q[o_q + k] * q[o_q + k]
            if ints[row + field.LEVEL] <= field.LINEAR:  # its inertia ignores the deformation
                moved = modal_sums(scratch, ints[row + field.M_RF] & POSITIVE, n, q, o_q)
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

    where: number of the body, then the node, LISTED numbers (flexible only).
    out: attitude in the world 9, position in the world 3, acceleration of the node in world axes 6.
    """
    row = field.HEADER + int(where[0]) * field.ROW
    b, o = ints[row + field.BODY] & POSITIVE, ints[row + field.WORLD] & POSITIVE
    C, origin = pose(scratch, o)
    R, l = matrix(scratch, b + field.R_), ZERO
    alpha, a = vector(scratch, b + field.ACCELERATION), vector(scratch, b + field.ACCELERATION + 3)
    if ints[row + field.LEVEL] != field.RIGID:
        c, at = where, 1
        if ints[row + field.LEVEL] >= field.STIFFENED:
            c, at = scratch, ints[field.TEMPORARY] & POSITIVE
            deform_listed(ints, row, where, 1, scratch, q, v, scratch, at)
        R, l, _J, _w, alpha, a = node_motion(ints, row, c, at, scratch, q, v, x, flags)
    put_matrix(out, 0, product(C, R))
    put_vector(out, 9, add(origin, turn(C, l)))
    put_vector(out, 12, turn(C, alpha))
    put_vector(out, 15, turn(C, a))


@jit
def hinge_forces(ints, scratch, out):
    """Spatial force through every hinge in body axes, after `forces_tip_to_base`."""
    for i in range(ints[field.N_BODY]):
        row = field.HEADER + i * field.ROW
        b = ints[row + field.BODY] & POSITIVE
        R = matrix(scratch, b + field.R_) if ints[row + field.LEVEL] == field.RIGID else IDENTITY
        f_w = turn_back(R, vector(scratch, b + field.FORCE))
        f_v = turn_back(R, vector(scratch, b + field.FORCE + 3))
        for k in range(3):
            out[i, k] = f_w[k]
            out[i, 3 + k] = f_v[k]
