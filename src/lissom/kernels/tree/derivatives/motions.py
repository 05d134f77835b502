"""Columns of all coordinates at frames of a system: derivatives of their motions.

In world axes about the common point (`frames`), with the velocity V and acceleration A of a frame:
  dV/dq = psi_1 + xi x V    dA/dq = psi_2 + psi_1 x V + xi x A                                (1)
  dV/dv = xi                dA/dv = phi_2 + xi x V                                            (2)
where psi_2 and phi_2 contain the jumps of bodies at level "ruthless" on the way, (2) of `jumps`.
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...fields import POSITIVE
from ...layout.derivatives import PLAN_ROWS, DerivativesRow
from ...layout.records import CarrierRecord
from ...layout.tree import BodyRow
from ...records import node_record, node_size
from ...small import IDENTITY, ZERO, matrix, product, put_matrix, turn, vector
from ..motion import motion_base_to_tip
from ..nodes import deform_listed
from .attached import own_terms_record
from .bodies import listed_node
from .frames import (
    ACCELERATION,
    COLUMNS,
    PHI_2,
    PLACE,
    PSI_1,
    PSI_2,
    TURN,
    VELOCITY,
    XI,
    rows_of,
)
from .jumps import K_V, K_W
from .rods import rod_node_columns
from .ruthless import node_jump
from .sweep import GROUND, columns_base_to_tip

# out: attitude in the world 9, place from the common point 3, V 6, A 6
MOTION = 24

NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@jit
def frame_columns(ints, floats, scratch, plan, work, q, v, x, starts, where, out, motions, flags):
    """Columns (24 rows of n_v each, zero on entry) and motions of frames at nodes.

    where[starts[k]:]: number of the body, -1 for the ground, then the node, `listed` numbers
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
    body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
    record, b = CarrierRecord(scratch, body.record), places.frame
    m, C = body.n_mode, matrix(work, b + TURN)
    at, jump, K_w, K_v = b, -1, NOTHING, NOTHING
    if body.level == field.RIGID:
        E = record.R
    else:
        terms = own_terms_record(places.own_terms, m)
        at = terms.frame
        if body.level == field.EXACT:
            E = _rod_node(ints, where, start + 1, scratch, work, body, b, terms, q, v, x)
        else:
            E, _w, _alpha, _a = listed_node(
                where, start + 1, scratch, work, body, b, terms, q, v, x
            )
        if body.level == field.RUTHLESS:
            jump, columns = terms.base, terms.columns  # the frame of the shapes is not used
            node_jump(body, work, terms.node, work, b, at, columns, jump, ZERO, ZERO, ZERO, q, v)
        _copy(work, terms.columns, m, out, first, body.modal_v, K_w, K_v)
    _motion(work, at, product(C, E), motions, to)
    while i >= 0:
        if jump >= 0:
            K_w = _sum(K_w, matrix(work, jump + K_W))
            K_v = _sum(K_v, matrix(work, jump + K_V))
        body, places = BodyRow(ints, field.HEADER, i), DerivativesRow(plan, PLAN_ROWS, i)
        r, jump = body.hinge_dof, places.jump
        _copy(work, places.hinge_columns, r, out, first, body.hinge_v, K_w, K_v)
        i = body.parent
        if places.carrier_columns >= 0:
            parent, columns = BodyRow(ints, field.HEADER, i), places.carrier_columns
            m, o_m = parent.n_mode, parent.modal_v
            _copy(work, columns, m, out, first, o_m, K_w, K_v)


@jit
def _sum(a, b):
    """Sum of two matrices."""
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5],
        a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


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
def _rod_node(ints, where, o, scratch, work, body, b, terms, q, v, x):
    """Frame and columns of a node of a rod; its attitude in root axes."""
    m, record = body.n_mode, ints[field.TEMPORARY] & POSITIVE
    deform_listed(body, where, o, scratch, q, v, scratch, record)
    E, r = matrix(scratch, record), vector(scratch, node_record(record).position)
    rod_node_columns(
        where, o + node_size(m), scratch, work, body, b, terms, terms.frame, terms.columns, r,
        q, v, x,
    )  # fmt: skip
    return E


@jit
def _copy(work, columns, n, out, first, o_v, K_w, K_v):
    """Copy n columns to the rows of a frame, with the jumps K outboard of them."""
    for r in range(COLUMNS):
        for k in range(n):
            out[first + r, o_v + k] = work[columns + r * n + k]
    if K_w == NOTHING and K_v == NOTHING:
        return
    for k in range(n):
        _add_jump(rows_of(work, columns + PSI_1 * n, n, k), K_w, K_v, out, first + PSI_2, o_v + k)
        _add_jump(rows_of(work, columns + XI * n, n, k), K_w, K_v, out, first + PHI_2, o_v + k)


@jit
def _add_jump(rate, K_w, K_v, out, r, k):
    """Add K times a rate to six rows of column k."""
    a_w, a_v = turn(K_w, rate), turn(K_v, rate)
    for i in range(3):
        out[r + i, k] += a_w[i]
        out[r + 3 + i, k] += a_v[i]
