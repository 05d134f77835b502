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
        k, b = ints[row + field.CONSTANTS] & POSITIVE, ints[row + field.BODY] & POSITIVE
        o, o_q = ints[row + field.HINGE] & POSITIVE, ints[row + field.HINGE_Q] & POSITIVE
        kind = ints[row + field.KIND]
        x = add(x, turn(C, vector(floats, k + field.PLACE)))
        if ints[row + field.TURNED] != 0:
            C = product(C, matrix(floats, k + field.FRAME))
        if kind == field.REVOLUTE:
            C, e = turned_about(C, ints[row + field.AXIS], math.sin(q[o_q]), math.cos(q[o_q]))
            put_vector(scratch, o, e)
        elif kind == field.PRISMATIC:
            e = column(C, ints[row + field.AXIS])
            put_vector(scratch, o + 3, e)
            x = added(x, q[o_q], e)
        elif kind == field.SPHERICAL or kind == field.FREE:
            if kind == field.FREE:
                x = add(x, turn(C, vector(q, o_q + 4)))
            C = product(C, quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3]))
        elif kind != field.FIXED:
            C, x = _general(ints, floats, scratch, row, q, C, x)
        put_matrix(scratch, b + field.R_, C)
        put_vector(scratch, b + field.ARM, x)
        if ints[row + field.LEVEL] != field.RIGID:
            E, l, _J = _placed(ints, scratch, row, path, step + 1, q)
            x = add(x, turn(C, l))
            C = product(C, E)
        step += 1 + (ints[row + field.LISTED] & POSITIVE)
    return product(C, matrix(path, 0)), add(x, turn(C, vector(path, ORIGIN)))


@jit
def _general(ints, floats, scratch, row, q, A, x):
    """Attitude and origin of a body after a joint without special code; writes its motion map."""
    dof, o = ints[row + field.HINGE_DOF], ints[row + field.HINGE] & POSITIVE
    o_q, j = ints[row + field.HINGE_Q] & POSITIVE, ints[row + field.JOINT] & POSITIVE
    o_map, kind = hinge_record(o, dof).child_map, ints[row + field.KIND]
    R_j, r_j, _w, _v, _bias_w, _bias_v = general_joint(
        floats, j, kind, q, o_q, q, o_q, False, scratch, o_map
    )
    C = product(A, R_j)
    for c in range(2 * dof):
        put_vector(scratch, o + 3 * c, turn(C, vector(scratch, o_map + 3 * c)))
    return C, add(x, turn(A, r_j))


@jit
def jacobian_along_path(ints, scratch, path, q, x_F, J):
    """Write (1) and (2) to J (6 x n_v) after `pose_along_path`; other columns stay as they are."""
    step = STEPS
    for _ in range(int(path[LENGTH])):
        row = _row(path, step)
        b, o = ints[row + field.BODY] & POSITIVE, ints[row + field.HINGE] & POSITIVE
        kind, o_v = ints[row + field.KIND], ints[row + field.HINGE_V] & POSITIVE
        arm = added(x_F, -1.0, vector(scratch, b + field.ARM))
        if kind == field.REVOLUTE:  # (1)
            h = vector(scratch, o)
            _put_column(J, o_v, h, cross(h, arm))
        else:
            C = matrix(scratch, b + field.R_)
            for c in range(ints[row + field.HINGE_DOF]):
                h_w, h_v = motion_column(scratch, o, kind, C, c)
                _put_column(J, o_v + c, h_w, add(h_v, cross(h_w, arm)))
        if ints[row + field.LEVEL] != field.RIGID:
            _modal_columns(ints, scratch, path, step, row, q, arm, J)
        step += 1 + (ints[row + field.LISTED] & POSITIVE)


@jit
def _modal_columns(ints, scratch, path, step, row, q, arm, J):
    """Write (2); arm: from the origin of the body to the frame."""
    C = matrix(scratch, (ints[row + field.BODY] & POSITIVE) + field.R_)
    _E, l, J_l = _placed(ints, scratch, row, path, step + 1, q)
    arm, C_l = added(arm, -1.0, turn(C, l)), product(C, J_l)
    if ints[row + field.LEVEL] != field.STIFFENED:
        _put_modal(ints, row, path, node_record(step + 1).shapes, C, C_l, arm, J)
    else:
        t = ints[field.TEMPORARY] & POSITIVE
        _put_modal(ints, row, scratch, node_record(t).shapes, C, C_l, arm, J)


@jit
def _put_modal(ints, row, c, s, C, C_l, arm, J):
    """Write (2) from the shapes at c[s]; arm: from the node to the frame."""
    m, o_m = ints[row + field.N_MODE] & POSITIVE, ints[row + field.MODAL_V] & POSITIVE
    for k in range(m):
        theta = (c[s + k], c[s + m + k], c[s + 2 * m + k])
        delta = (c[s + 3 * m + k], c[s + 4 * m + k], c[s + 5 * m + k])
        a = turn(C_l, theta)
        _put_column(J, o_m + k, a, add(turn(C, delta), cross(a, arm)))


@jit
def _placed(ints, scratch, row, path, o, q):
    """Attitude, position and J_l of the node at path[o]; TEMPORARY then has its deformed record."""
    m, o_q = ints[row + field.N_MODE] & POSITIVE, ints[row + field.MODAL_Q] & POSITIVE
    if ints[row + field.LEVEL] != field.STIFFENED:
        return node_place(path, o, m, q, o_q)
    t = ints[field.TEMPORARY] & POSITIVE
    deform_listed(ints, row, path, o, q, q, scratch, t)
    return node_place(scratch, t, m, q, o_q)


@jit
def _row(path, step):
    """Row of the body of a step."""
    return (field.HEADER + int(path[step]) * field.ROW) & POSITIVE


@jit
def _put_column(J, c, w, v):
    """Write a column of J."""
    J[0, c], J[1, c], J[2, c] = w
    J[3, c], J[4, c], J[5, c] = v
