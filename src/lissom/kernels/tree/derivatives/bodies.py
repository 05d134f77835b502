"""Rows and columns of the modes of a flexible body.

Own terms: those of its point masses (`points`).  Children, lumps and external forces are attached
at nodes (`attached`), whose motions change with the deformation: with a force f there
  D_q[i, j] += (d xi_i along j) . f                                                           (1)
A body whose shapes turn its inboard node has all of it in the frame of its shapes (`floating`); of
a rod every section is attached (`rods`).
"""

from __future__ import annotations

from ... import fields as field
from ...compiling import jit
from ...layout.derivatives import DerivativesHeader
from ...layout.records import CarrierRecord
from ...layout.tree import BodyRow
from ...records import node_record, node_size
from ...small import (
    added,
    cross,
    matrix,
    scaled,
    symmetric,
    turn,
    turn_back,
    turned_symmetric,
    vector,
)
from ..lumps import LUMP_INERTIA, LUMP_MASS, LUMP_NODE, LUMP_OFFSET
from ..nodes import deform_listed, node_motion
from ..rigid import rigid_force
from .attached import attach, own_terms_record
from .floating import (
    add_frame_columns,
    frame_columns,
    frame_motion_in_axes,
    rows_on_frame,
    turned_with_frame,
)
from .frames import (
    COLUMNS,
    FORCE,
    FRAME,
    PLACE,
    TURN,
    add_frame,
    add_rigid,
    clear_frame,
    put_force,
)
from .jumps import add_lower, attach_lower
from .nodes import Bend, shape_columns, shape_curvature
from .points import point_terms, start_blocks
from .rods import attach_to_rod, rod_curvature, rod_node_columns, rod_slopes, rod_terms
from .ruthless import attach_children


@jit
def node_columns(floats, scratch, work, body, places, q, v, x):
    """Write the frames and columns of all nodes of a body that carry children."""
    m, b = body.n_mode, places.frame
    terms = own_terms_record(places.own_terms, m)
    if body.level == field.FLOATING:
        frame_columns(floats, work, body, b, terms.base, terms.base_columns, q, v, x)
    if body.level == field.EXACT:
        rod_slopes(floats, scratch, work, body, terms, q, v, x)
    if body.level == field.RUTHLESS:
        return  # each child has its own, see `ruthless`
    for node in range(body.n_node):
        at = places.nodes + node * FRAME
        columns = places.node_columns + node * COLUMNS * m
        c = _bending(body, node)
        if body.level == field.EXACT:
            r = CarrierRecord(scratch, _carrying(body, node)).arm
            rod_node_columns(floats, c, scratch, work, body, b, terms, at, columns, r, q, v, x)
        else:
            _put_record(floats, scratch, work, body, terms, node)
            _columns_of(floats, c, work, body, b, terms, at, columns, q, v, x)


@jit
def _bending(body, node):
    """Place of the constants of a node that carries children, from level "stiffened" on."""
    m, c = body.n_mode, body.bending
    return c + node * (body.listed - node_size(m))


@jit
def _carrying(body, node):
    """Place of the record of a node that carries children."""
    return body.nodes + node * field.NODE_RECORD


@jit
def _put_record(floats, scratch, work, body, terms, node):
    """Copy the record of a node that carries children; in the frame of its shapes if floating."""
    m = body.n_mode
    if body.level == field.FLOATING:
        _put_floating(floats, _bending(body, node), work, terms, m)
        return
    o = body.node_shapes + node * node_size(m)
    for k in range(node_size(m)):
        work[terms.node + k] = scratch[o + k]


@jit
def _put_floating(c, o, work, terms, m):
    """Record of a node in the frame of the shapes, from its place and shapes at c[o]."""
    at = node_record(terms.node)
    for k in range(18):
        work[terms.node + k] = 0.0
    for k in range(3):
        work[at.position + k] = c[o + k]
    for k in range(6 * m):
        work[at.shapes + k] = c[o + 3 + k]


@jit
def _columns_of(c, bending, work, body, b, terms, at, columns, q, v, x):
    """Frame and columns of the node whose record is at terms.node, its constants at c[bending]."""
    m = body.n_mode
    floating = body.level == field.FLOATING
    base = terms.base if floating else b
    bent = Bend(0 if floating else body.bent, bending + 3 + 6 * m)
    shape_columns(body, work, terms.node, c, bent, work, base, at, columns, q, v, x)
    if floating:
        add_frame_columns(work, b, at, columns, terms.base_columns, m)


@jit
def _attach_node(c, bending, work, body, terms, at, columns, q, n, f):
    """Add the frame `at` with the force (n, f), body axes at the node, of that at terms.node."""
    m = body.n_mode
    floating, C = body.level == field.FLOATING, matrix(work, at + TURN)
    put_force(work, at, C, n, f)
    attach(work, terms, m, at, columns)
    bent = Bend(0 if floating else body.bent, bending + 3 + 6 * m)
    if floating:
        F = vector(work, at + FORCE), vector(work, at + FORCE + 3)
        turned_with_frame(work, terms, m, columns, F[0], F[1])
        base = matrix(work, terms.base + TURN)
        n, f = turn_back(base, turn(C, n)), turn_back(base, turn(C, f))
        for k in range(3):
            work[terms.base + FORCE + k] -= F[0][k]
            work[terms.base + FORCE + 3 + k] -= F[1][k]
    shape_curvature(body, work, terms.node, c, bent, q, n, f, work, terms.D_q, 1.0)


@jit
def body_tip_to_base(ints, floats, scratch, plan, work, body, places, q, v, x):
    """Rows, columns and frame of one body, after those of the nodes that carry children."""
    m, b = body.n_mode, places.frame
    terms, level = own_terms_record(places.own_terms, m), body.level
    _own_terms(floats, scratch, work, body, b, terms, q, v, x)
    if level == field.RUTHLESS:
        attach_children(ints, scratch, plan, work, body, places, terms, q)
    for node in range(body.n_node if level != field.RUTHLESS else 0):
        d, c = CarrierRecord(scratch, _carrying(body, node)), _bending(body, node)
        at = places.nodes + node * FRAME
        columns = places.node_columns + node * COLUMNS * m
        n, f = d.z_w, d.z_v
        if level == field.EXACT:
            attach_to_rod(floats, c, scratch, work, body, terms, at, columns, q, n, f)
        else:
            _put_record(floats, scratch, work, body, terms, node)
            _attach_node(floats, c, work, body, terms, at, columns, q, n, f)
        add_frame(work, b, at)
        if DerivativesHeader(plan, 0).jumps != 0:
            attach_lower(work, terms, m, at, columns)
            add_lower(work, b, at)
    if body.n_lump != 0:
        _lumps(floats, scratch, work, body, b, terms, q, v, x)
    if scratch[field.N_EXTERNAL] != 0.0:
        _external(ints, scratch, work, body, b, terms, q, v, x)
    if level == field.FLOATING:
        _finish_floating(floats, work, body, b, terms, q)
    if level == field.EXACT:
        rod_curvature(floats, scratch, work, body, terms, q)


@jit
def _own_terms(floats, scratch, work, body, b, terms, q, v, x):
    """Terms of the body itself."""
    m, record, level = body.n_mode, CarrierRecord(scratch, body.record), body.level
    if level == field.EXACT:
        start_blocks(floats, work, body, terms)
        for k in range(21 * m):
            work[terms.A + k] = 0.0  # and B, F, G, which follow
        rod_terms(floats, scratch, work, body, b, terms)
    elif level == field.FLOATING:
        w, alpha, a = frame_motion_in_axes(work, terms.base)
        point_terms(floats, work, body, terms.base, terms, w, alpha, a, q, v, x)
        rows_on_frame(work, terms, m)
        for k in range(6):
            work[terms.base + FORCE + k] = work[b + FORCE + k]
    else:
        w, alpha, a = record.rate, record.alpha, record.a
        point_terms(floats, work, body, b, terms, w, alpha, a, q, v, x)


@jit
def _finish_floating(floats, work, body, b, terms, q):
    """Attach the body itself in the frame of its shapes, and turn that frame with its modes."""
    m, c = body.n_mode, body.rod
    attach(work, terms, m, terms.base, terms.base_columns)
    add_frame(work, b, terms.base)
    n, f = vector(work, b + FORCE), vector(work, b + FORCE + 3)
    turned_with_frame(work, terms, m, terms.base_columns, n, f)
    at, C = node_record(terms.node), matrix(work, terms.base + TURN)
    for k in range(18):
        work[terms.node + k] = 0.0
    for k in range(6 * m):
        work[at.shapes + k] = floats[c + k]
    n = added(n, -1.0, cross(vector(work, b + PLACE), f))
    n, f = turn_back(C, n), turn_back(C, f)
    shape_curvature(body, work, terms.node, floats, Bend(0, 0), q, n, f, work, terms.D_q, -1.0)


@jit
def _lumps(floats, scratch, work, body, b, terms, q, v, x):
    """Lumps of a body, each a rigid body attached at its node."""
    m, size = body.n_mode, LUMP_NODE + body.listed
    for lump in range(body.n_lump):
        c = body.lumps + lump * size
        E, w, alpha, a = listed_node(floats, c + LUMP_NODE, scratch, work, body, b, terms, q, v, x)
        mass = floats[c + LUMP_MASS]
        p = scaled(mass, turn(E, vector(floats, c + LUMP_OFFSET)))
        J = turned_symmetric(E, symmetric(floats, c + LUMP_INERTIA))
        n, f = rigid_force(J, p, mass, w, alpha, a)
        add_rigid(work, terms.frame, matrix(work, terms.frame + TURN), J, p, mass)
        bending = c + LUMP_NODE + node_size(m)
        _attach_node(floats, bending, work, body, terms, terms.frame, terms.columns, q, n, f)
        add_frame(work, b, terms.frame)


@jit
def listed_node(c, o, scratch, work, body, b, terms, q, v, x):
    """Frame and columns of a node of a list at c[o]; attitude, rate and acceleration, body axes."""
    m, flags = body.n_mode, field.RATES | field.ACCELERATED
    for k in range(node_size(m)):
        work[terms.node + k] = c[o + k]
    if body.level >= field.STIFFENED:
        deform_listed(body, c, o, scratch, q, v, work, terms.node)
    E, _l, _J, w, alpha, a = node_motion(body, work, terms.node, scratch, q, v, x, flags)
    if body.level == field.FLOATING:
        _put_floating(c, o + node_size(m), work, terms, m)
    _columns_of(c, o + node_size(m), work, body, b, terms, terms.frame, terms.columns, q, v, x)
    clear_frame(work, terms.frame)
    return E, w, alpha, a


@jit
def _external(ints, scratch, work, body, b, terms, q, v, x):
    """External forces on nodes of a body: frames without inertia that carry the opposite force."""
    m, o = body.n_mode, int(scratch[field.EXTERNAL])
    for _entry in range(int(scratch[field.N_EXTERNAL])):
        other = BodyRow(ints, field.HEADER, int(scratch[o]))
        n, f = vector(scratch, o + field.WRENCH), vector(scratch, o + field.WRENCH + 3)
        o += field.EXTERNAL_NODE
        if other.level == field.RIGID:
            continue
        if other.record == body.record and body.level == field.EXACT:
            E, r = matrix(scratch, o), vector(scratch, node_record(o).position)
            n, f = scaled(-1.0, turn(E, n)), scaled(-1.0, turn(E, f))
            c = o + node_size(m)
            rod_node_columns(
                scratch, c, scratch, work, body, b, terms, terms.frame, terms.columns, r, q, v, x
            )
            clear_frame(work, terms.frame)
            attach_to_rod(
                scratch, c, scratch, work, body, terms, terms.frame, terms.columns, q, n, f
            )
        elif other.record == body.record:
            E, _w, _alpha, _a = listed_node(scratch, o, scratch, work, body, b, terms, q, v, x)
            n, f = scaled(-1.0, turn(E, n)), scaled(-1.0, turn(E, f))
            bending = o + node_size(m)
            _attach_node(scratch, bending, work, body, terms, terms.frame, terms.columns, q, n, f)
        o += other.listed
