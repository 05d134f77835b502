"""Columns of all coordinates at frames of a system: derivatives of their motions.

In world axes about the common point (`frames`), with the velocity V and acceleration A of a frame:
  dV/dq = psi_1 + xi x V    dA/dq = psi_2 + psi_1 x V + xi x A                                (1)
  dV/dv = xi                dA/dv = phi_2 + xi x V                                            (2)
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...records import node_record, node_size
from ...small import IDENTITY, matrix, product, put_matrix, vector
from ..motion import motion_base_to_tip
from ..nodes import deform_listed
from .attached import own_record
from .bodies import listed_node
from .frames import (
    ACCELERATION,
    CARRIER_COLUMNS,
    COLUMNS,
    FRAME_OF,
    HINGE_COLUMNS,
    OWN_TERMS,
    PLACE,
    PLAN_HEADER,
    PLAN_ROW,
    TURN,
    VELOCITY,
)
from .rods import rod_node_columns
from .sweep import GROUND, columns_base_to_tip

# out: attitude in the world 9, place from the common point 3, V 6, A 6
MOTION = 24


@jit
def frame_columns(ints, floats, scratch, plan, work, q, v, x, starts, where, out, motions, flags):
    """Columns (24 rows of n_v each, zero on entry) and motions of frames at nodes.

    where[starts[k]:]: number of the body, -1 for the ground, then the node, LISTED numbers
    (flexible only).
    """
    motion_base_to_tip(ints, floats, scratch, q, v, x, flags)
    columns_base_to_tip(ints, floats, scratch, plan, work, q, v, x)
    for k in range(len(starts)):
        _frame(ints, scratch, plan, work, q, v, x, where, starts[k], out, COLUMNS * k, motions)


@jit
def _frame(ints, scratch, plan, work, q, v, x, where, start, out, first, motions):
    """Columns and motion of one frame."""
    i, to = int(where[start]), first // COLUMNS * MOTION
    if i < 0:
        _motion(work, GROUND, IDENTITY, motions, to)
        return
    row, o = field.HEADER + i * field.ROW, PLAN_HEADER + i * PLAN_ROW
    body, b = ints[row + field.BODY] & POSITIVE, plan[o + FRAME_OF] & POSITIVE
    m, C = ints[row + field.N_MODE] & POSITIVE, matrix(work, b + TURN)
    at = b
    if ints[row + field.LEVEL] == field.RIGID:
        E = matrix(scratch, body + field.R_)
    else:
        own = own_record(plan[o + OWN_TERMS] & POSITIVE, m)
        at = own.frame
        if ints[row + field.LEVEL] == field.EXACT:
            E = _rod_node(ints, where, start + 1, scratch, work, row, b, own, q, v, x)
        else:
            E, _w, _alpha, _a = listed_node(
                ints, where, start + 1, scratch, work, row, b, own, q, v, x
            )
        _copy(work, own.columns, m, out, first, ints[row + field.MODAL_V])
    _motion(work, at, product(C, E), motions, to)
    while i >= 0:
        row, o = field.HEADER + i * field.ROW, PLAN_HEADER + i * PLAN_ROW
        r = ints[row + field.HINGE_DOF]
        _copy(work, plan[o + HINGE_COLUMNS], r, out, first, ints[row + field.HINGE_V])
        i = ints[row + field.PARENT]
        if plan[o + CARRIER_COLUMNS] >= 0:
            row = field.HEADER + i * field.ROW
            m = ints[row + field.N_MODE]
            _copy(work, plan[o + CARRIER_COLUMNS], m, out, first, ints[row + field.MODAL_V])


@jit
def _motion(work, at, C, motions, to):
    """Write attitude, place, velocity and acceleration of a frame."""
    put_matrix(motions, to, C)
    for k in range(3):
        motions[to + 9 + k] = work[at + PLACE + k]
    for k in range(6):
        motions[to + 12 + k] = work[at + VELOCITY + k]
        motions[to + 18 + k] = work[at + ACCELERATION + k]


@jit
def _rod_node(ints, where, o, scratch, work, row, b, own, q, v, x):
    """Frame and columns of a node of a rod; its attitude in root axes."""
    m, record = ints[row + field.N_MODE] & POSITIVE, ints[field.TEMPORARY] & POSITIVE
    deform_listed(ints, row, where, o, scratch, q, v, scratch, record)
    E, r = matrix(scratch, record), vector(scratch, node_record(record).position)
    rod_node_columns(
        ints, where, o + node_size(m), scratch, work, row, b, own, own.frame, own.columns, r,
        q, v, x,
    )  # fmt: skip
    return E


@jit
def _copy(work, columns, n, out, first, o_v):
    """Copy n columns to the rows of a frame."""
    for r in range(COLUMNS):
        for k in range(n):
            out[first + r, o_v + k] = work[columns + r * n + k]
