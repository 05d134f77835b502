"""Pose and Jacobian of a frame from the bodies that carry it, in world axes.

Inertia, speeds and other branches are not touched.  Notation: C, x attitude and origin of a body in
the world; h its motion map in world axes; t the node by which it carries the next body, at
position x_t; x_F position of the frame.
  V_F = sum over hinges [h_w; h_v + h_w x (x_F - x)] beta                                  (1)
      + sum over modes [a; C delta + a x (x_F - x_t)] eta_dot,   a = C J_l theta           (2)
theta, delta: shapes of node t (`body_terms`).

`path`: axes of the frame to those of the last node 9, its origin from that node 3, number of
bodies, then for each of them, base to tip, its number and t, LISTED numbers.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..records import hinge_record, node_record
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    cross,
    matrix,
    product,
    put_matrix,
    put_vector,
    quaternion_rotation,
    turn,
    vector,
)
from .composite import motion_column
from .joints import general_joint
from .motion import column, turned_about
from .nodes import deform_listed, node_place

ORIGIN, LENGTH, STEPS = 9, 12, 13


@jit
def pose_along_path(ints, floats, scratch, path, q):
    """Attitude and position of the frame; writes those of each body and its motion map."""
    C, x, step = IDENTITY, ZERO, STEPS
    for _ in range(int(path[LENGTH])):
        row = _row(path, step)
        b = ints[row + field.BODY] & POSITIVE
        C, x = _pass_joint(ints, floats, scratch, row, q, C, x)
        put_matrix(scratch, b + field.R_, C)
        put_vector(scratch, b + field.ARM, x)
        m = ints[row + field.N_MODE] & POSITIVE
        if ints[row + field.LEVEL] != field.RIGID:
            at, t = _node(ints, scratch, row, path, step + 1, q)
            E, l, _J = node_place(at, t, m, q, ints[row + field.MODAL_Q])
            C, x = product(C, E), add(x, turn(C, l))
        step += 1 + (ints[row + field.LISTED] & POSITIVE)
    return product(C, matrix(path, 0)), add(x, turn(C, vector(path, ORIGIN)))


@jit
def jacobian_along_path(ints, scratch, path, q, x_F, J):
    """Write (1) and (2) to J (6 x n_v) after `pose_along_path`; other columns stay as they are."""
    step = STEPS
    for _ in range(int(path[LENGTH])):
        row = _row(path, step)
        b, o = ints[row + field.BODY] & POSITIVE, ints[row + field.HINGE] & POSITIVE
        C, x = matrix(scratch, b + field.R_), vector(scratch, b + field.ARM)
        kind, o_v = ints[row + field.KIND], ints[row + field.HINGE_V] & POSITIVE
        arm = added(x_F, -1.0, x)
        for c in range(ints[row + field.HINGE_DOF]):  # (1)
            h_w, h_v = motion_column(scratch, o, kind, C, c)
            _put_column(J, o_v + c, h_w, add(h_v, cross(h_w, arm)))
        m = ints[row + field.N_MODE] & POSITIVE
        if ints[row + field.LEVEL] != field.RIGID:
            o_m = ints[row + field.MODAL_V] & POSITIVE
            at, t = _node(ints, scratch, row, path, step + 1, q)
            _E, l, J_l = node_place(at, t, m, q, ints[row + field.MODAL_Q])
            arm, C_l = added(arm, -1.0, turn(C, l)), product(C, J_l)
            s = node_record(t).shapes
            for k in range(m):  # (2)
                theta = (at[s + k], at[s + m + k], at[s + 2 * m + k])
                delta = (at[s + 3 * m + k], at[s + 4 * m + k], at[s + 5 * m + k])
                a = turn(C_l, theta)
                _put_column(J, o_m + k, a, add(turn(C, delta), cross(a, arm)))
        step += 1 + (ints[row + field.LISTED] & POSITIVE)


@jit
def _node(ints, scratch, row, path, o, q):
    """Array and offset of the record of the node at path[o]."""
    if ints[row + field.LEVEL] != field.STIFFENED:
        return path, o
    t = ints[field.TEMPORARY] & POSITIVE
    deform_listed(ints, row, path, o, q, q, 0, scratch, t)
    return scratch, t


@jit
def _row(path, step):
    """Row of the body of a step."""
    return (field.HEADER + int(path[step]) * field.ROW) & POSITIVE


@jit
def _put_column(J, c, w, v):
    """Write a column of J."""
    for k in range(3):
        J[k, c] = w[k]
        J[3 + k, c] = v[k]


@jit
def _pass_joint(ints, floats, scratch, row, q, C, x):
    """Attitude and origin of a body from those of the node that carries it."""
    k, o = ints[row + field.CONSTANTS] & POSITIVE, ints[row + field.HINGE] & POSITIVE
    kind, o_q = ints[row + field.KIND], ints[row + field.HINGE_Q] & POSITIVE
    x = add(x, turn(C, vector(floats, k + field.PLACE)))
    A = product(C, matrix(floats, k + field.FRAME)) if ints[row + field.TURNED] != 0 else C
    if kind == field.REVOLUTE:
        R, e = turned_about(A, ints[row + field.AXIS], math.sin(q[o_q]), math.cos(q[o_q]))
        put_vector(scratch, o, e)
        return R, x
    if kind == field.FIXED:
        return A, x
    if kind == field.PRISMATIC:
        e = column(A, ints[row + field.AXIS])
        put_vector(scratch, o + 3, e)
        return A, added(x, q[o_q], e)
    if kind == field.SPHERICAL or kind == field.FREE:
        if kind == field.FREE:
            x = add(x, turn(A, vector(q, o_q + 4)))
        return product(A, quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3])), x
    dof = ints[row + field.HINGE_DOF]
    o_map = hinge_record(o, dof).child_map
    R_j, r_j, _w, _v, _bias_w, _bias_v = general_joint(
        floats, ints[row + field.JOINT] & POSITIVE, kind, q, o_q, q, o_q, False, scratch, o_map
    )
    R = product(A, R_j)
    for c in range(2 * dof):
        put_vector(scratch, o + 3 * c, turn(R, vector(scratch, o_map + 3 * c)))
    return R, add(x, turn(A, r_j))
