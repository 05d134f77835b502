"""Pose and Jacobian of a frame from the bodies that carry it, in world axes.

Inertia, speeds and other branches are not touched.  Notation: C attitude of a body in the world, h
its motion map in world axes about its origin, t the node by which it carries the next body; l and
l_t lead from the origin and from t to the frame.
  V_F = sum over hinges [h_w; h_v + h_w x l] beta                                          (1)
      + sum over modes [a; C delta + a x l_t] eta_dot,   a = C J_l theta                   (2)
theta, delta: shapes of node t (`body_terms`).  l is summed from the frame inward, so that it is as
exact far from the origin of the world as close to it.

`path`: axes of the frame to those of the last node 9, its origin from that node 3, number of
bodies, the place of each in `path`, base to tip; there its number and t, `listed` numbers.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from ..layout.records import BodyConstants, CarrierRecord
from ..layout.tree import BodyRow
from ..records import hinge_record, node_record
from ..small import (
    IDENTITY,
    ZERO,
    add,
    added,
    column,
    cross,
    matrix,
    product,
    put_vector,
    quaternion_rotation,
    turn,
    vector,
)
from .composite import motion_column
from .floating import inboard_node
from .joints import general_joint
from .motion import turned_about
from .nodes import deform_listed, node_place
from .rods import rod_stations

ORIGIN, LENGTH, STEPS = 9, 12, 13  # places in `path`


@jit
def pose_along_path(ints, floats, scratch, path, q):
    """Attitude and position of the frame, and its origin from the last node, in world axes.

    Writes the attitude of each body, its origin from the node that carries it, and its motion map.
    """
    C, x = IDENTITY, ZERO
    for number in range(int(path[LENGTH])):
        step, body = _step(ints, path, number)
        k, b = BodyConstants(floats, body.constants), CarrierRecord(scratch, body.record)
        o, o_q = body.hinge, body.hinge_q
        kind = body.kind
        r = turn(C, k.place)
        if body.turned != 0:
            C = product(C, k.frame)
        if kind == field.REVOLUTE:
            C, e = turned_about(C, body.axis, math.sin(q[o_q]), math.cos(q[o_q]))
            put_vector(scratch, o, e)
        elif kind == field.PRISMATIC:
            e = column(C, body.axis)
            put_vector(scratch, o + 3, e)
            r = added(r, q[o_q], e)
        elif kind == field.SPHERICAL or kind == field.FREE:
            if kind == field.FREE:
                r = add(r, turn(C, vector(q, o_q + 4)))
            C = product(C, quaternion_rotation(q[o_q], q[o_q + 1], q[o_q + 2], q[o_q + 3]))
        elif kind != field.FIXED:
            C, r = _general(floats, scratch, body, q, C, r)
        b.R = C
        b.arm = r
        x = add(x, r)
        if body.level != field.RIGID:
            if body.level == field.EXACT:
                rod_stations(floats, scratch, body, q, q, False)
            elif body.level == field.FLOATING:
                inboard_node(floats, scratch, body, q, q, False)
            E, l, _J = _placed(ints, scratch, body, path, step + 1, q)
            x = add(x, turn(C, l))
            C = product(C, E)
    arm = turn(C, vector(path, ORIGIN))
    return product(C, matrix(path, 0)), add(x, arm), arm


@jit
def _general(floats, scratch, body, q, A, r):
    """Attitude and origin of a body after a joint without special code; writes its motion map."""
    dof, o = body.hinge_dof, body.hinge
    o_q, j = body.hinge_q, body.joint
    o_map, kind = hinge_record(o, dof).child_map, body.kind
    R_j, r_j, _w, _v, _bias_w, _bias_v = general_joint(
        floats, j, kind, q, o_q, q, o_q, False, scratch, o_map
    )
    C = product(A, R_j)
    for c in range(2 * dof):
        put_vector(scratch, o + 3 * c, turn(C, vector(scratch, o_map + 3 * c)))
    return C, add(r, turn(A, r_j))


@jit
def jacobian_along_path(ints, scratch, path, q, arm, J):
    """Write (1) and (2) to J (6 x n_v) after `pose_along_path`; other columns stay as they are.

    arm: from the last node to the frame.
    """
    for number in range(int(path[LENGTH]) - 1, -1, -1):
        step, body = _step(ints, path, number)
        b, o = CarrierRecord(scratch, body.record), body.hinge
        kind, o_v = body.kind, body.hinge_v
        if body.level != field.RIGID:
            arm = _modal_columns(ints, scratch, path, step, body, q, arm, J)
        if kind == field.REVOLUTE:  # (1)
            h = vector(scratch, o)
            _put_column(J, o_v, h, cross(h, arm))
        else:
            C = b.R
            for c in range(body.hinge_dof):
                h_w, h_v = motion_column(scratch, o, kind, C, c)
                _put_column(J, o_v + c, h_w, add(h_v, cross(h_w, arm)))
        arm = add(arm, b.arm)


@jit
def _placed(ints, scratch, body, path, o, q):
    """Attitude, position and J_l of the node at path[o]; TEMPORARY then has its deformed record."""
    if body.level < field.STIFFENED:
        return node_place(body, path, o, q)
    t = ints[field.TEMPORARY] & POSITIVE
    deform_listed(body, path, o, scratch, q, q, scratch, t)
    return node_place(body, scratch, t, q)


@jit
def _modal_columns(ints, scratch, path, step, body, q, arm, J):
    """Write (2) and return l; arm: l_t."""
    C = CarrierRecord(scratch, body.record).R
    _E, l, J_l = _placed(ints, scratch, body, path, step + 1, q)
    C_l = product(C, J_l)
    if body.level < field.STIFFENED:
        _put_modal(body, path, node_record(step + 1).shapes, C, C_l, arm, J)
    else:
        t = ints[field.TEMPORARY] & POSITIVE
        _put_modal(body, scratch, node_record(t).shapes, C, C_l, arm, J)
    return add(arm, turn(C, l))


@jit
def _put_modal(body, c, s, C, C_l, arm, J):
    """Write (2) from the shapes at c[s]."""
    m, o_m = body.n_mode, body.modal_v
    for k in range(m):
        theta = c[s + k], c[s + m + k], c[s + 2 * m + k]
        delta = c[s + 3 * m + k], c[s + 4 * m + k], c[s + 5 * m + k]
        a = turn(C_l, theta)
        _put_column(J, o_m + k, a, add(turn(C, delta), cross(a, arm)))


@jit
def _step(ints, path, number):
    """Place of a body in `path`, and the body."""
    step = int(path[STEPS + number]) & POSITIVE
    return step, BodyRow(ints, field.HEADER, int(path[step]))


@jit
def _put_column(J, c, w, v):
    """Write a column of J."""
    J[0, c], J[1, c], J[2, c] = w
    J[3, c], J[4, c], J[5, c] = v
