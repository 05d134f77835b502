"""Pose, motion map and bias of the joints without special code in the sweeps.

Follows `lissom.joints`; all results are in the axes of the joint's outboard frame, except for the
pose, which is in the inboard frame.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    axis_rotation,
    cross,
    one_plus,
    product,
    put_vector,
    rotation_coefficients,
    scaled,
    turn,
    turn_back,
    vector,
)
from .own_joints import own_joint

COLUMN = 7  # numbers of a column of an EXPONENTIAL joint: its coordinate, its twist


@jit
def general_joint(floats, j, kind, q, o_q, v, o_v, moving, scratch, o):
    """Write the motion map (columns of six) to scratch[o:] and return pose, velocity and bias.

    Returns rotation, position, relative angular and linear velocity, bias (angular, linear);
    velocity and bias are zero unless `moving`.
    """
    if kind == field.AXIAL:
        return _axial(floats, j, q, o_q, v, o_v, moving, scratch, o)
    if kind == field.UNIVERSAL:
        return _universal(floats, j, q, o_q, v, o_v, moving, scratch, o)
    if kind == field.PLANAR:
        return _planar(floats, j, q, o_q, v, o_v, moving, scratch, o)
    if kind == field.OWN:
        return own_joint(floats, j, q, o_q, v, o_v, moving, scratch, o)
    return _exponential(floats, j, q, o_q, v, o_v, moving, scratch, o)


@jit
def _axial(floats, j, q, o_q, v, o_v, moving, scratch, o):
    a = vector(floats, j)
    turn_per_q, slide_per_q = floats[j + field.AXIAL_TURN], floats[j + field.AXIAL_SLIDE]
    second = floats[j + field.AXIAL_SECOND]
    angle, slide = turn_per_q * q[o_q], slide_per_q * q[o_q]
    put_vector(scratch, o, scaled(turn_per_q, a))
    put_vector(scratch, o + 3, scaled(slide_per_q, a))
    if second != 0.0:
        slide += q[o_q + 1]
        put_vector(scratch, o + 6, ZERO)
        put_vector(scratch, o + 9, a)
    w = rate = 0.0
    if moving:
        w, rate = turn_per_q * v[o_v], slide_per_q * v[o_v]
        if second != 0.0:
            rate += v[o_v + 1]
    return axis_rotation(a, angle), scaled(slide, a), scaled(w, a), scaled(rate, a), ZERO, ZERO


@jit
def _universal(floats, j, q, o_q, v, o_v, moving, scratch, o):
    a1, a2 = vector(floats, j), vector(floats, j + 3)
    R2 = axis_rotation(a2, q[o_q + 1])
    first = turn_back(R2, a1)
    put_vector(scratch, o, first)
    put_vector(scratch, o + 3, ZERO)
    put_vector(scratch, o + 6, a2)
    put_vector(scratch, o + 9, ZERO)
    w = bias = ZERO
    if moving:
        w = added(scaled(v[o_v], first), v[o_v + 1], a2)
        bias = scaled(v[o_v] * v[o_v + 1], cross(first, a2))
    return product(axis_rotation(a1, q[o_q]), R2), ZERO, w, ZERO, bias, ZERO


@jit
def _planar(floats, j, q, o_q, v, o_v, moving, scratch, o):
    normal, e1, e2 = vector(floats, j), vector(floats, j + 3), vector(floats, j + 6)
    R = axis_rotation(normal, q[o_q + 2])
    x, y = turn_back(R, e1), turn_back(R, e2)
    put_vector(scratch, o, ZERO)
    put_vector(scratch, o + 3, x)
    put_vector(scratch, o + 6, ZERO)
    put_vector(scratch, o + 9, y)
    put_vector(scratch, o + 12, normal)
    put_vector(scratch, o + 15, ZERO)
    w = rate = ZERO
    if moving:
        w, rate = scaled(v[o_v + 2], normal), added(scaled(v[o_v], x), v[o_v + 1], y)
    return R, added(scaled(q[o_q], e1), q[o_q + 1], e2), w, rate, ZERO, ZERO


@jit
def _exponential(floats, j, q, o_q, v, o_v, moving, scratch, o):
    """Products of twists: [number of parts, (columns, then for each its coordinate and twist) ...].

    Configuration U = lambda_p ... lambda_1, map Ad(U^-1) H of each part after the preceding parts;
    bias d/dt(Ad(U^-1) H) v = -ad(p) (velocity of the part), p the velocity of the preceding parts.
    """
    R, r = IDENTITY, ZERO
    w, rate, w_dot, rate_dot = ZERO, ZERO, ZERO, ZERO
    part = j + 1
    for _part in range(int(floats[j])):
        n_column = int(floats[part])
        R_part, r_part = R, r
        own_w, own_v = ZERO, ZERO
        for k in range(n_column):
            column = part + 1 + COLUMN * k
            c = int(floats[column])
            h_w, h_v = vector(floats, column + 1), vector(floats, column + 4)
            column_w = turn_back(R_part, h_w)
            column_v = turn_back(R_part, add(h_v, cross(h_w, r_part)))
            put_vector(scratch, o + 6 * c, column_w)
            put_vector(scratch, o + 6 * c + 3, column_v)
            eps = q[o_q + c]
            theta = scaled(eps, h_w)
            x = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]
            a, b, c2, _b1, _c1 = rotation_coefficients(x)
            R_k = one_plus(a, b, theta)
            r_k = turn(one_plus(b, c2, theta), scaled(eps, h_v))
            R, r = product(R_k, R), add(turn(R_k, r), r_k)
            if moving:
                own_w = added(own_w, v[o_v + c], column_w)
                own_v = added(own_v, v[o_v + c], column_v)
        w_dot = added(w_dot, -1.0, cross(w, own_w))
        rate_dot = added(rate_dot, -1.0, add(cross(rate, own_w), cross(w, own_v)))
        w, rate = add(w, own_w), add(rate, own_v)
        part += 1 + COLUMN * n_column
    return R, r, w, rate, w_dot, add(rate_dot, cross(w, rate))
