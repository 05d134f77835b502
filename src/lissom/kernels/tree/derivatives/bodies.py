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
from ...fields import POSITIVE
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
    FRAME_OF,
    JUMPS,
    NODE_COLUMNS,
    NODES_OF,
    OWN_TERMS,
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
def node_columns(ints, floats, scratch, plan, work, row, o, q, v, x):
    """Write the frames and columns of all nodes of a body that carry children."""
    m, b = ints[row + field.N_MODE] & POSITIVE, plan[o + FRAME_OF] & POSITIVE
    terms = own_terms_record(plan[o + OWN_TERMS] & POSITIVE, m)
    if ints[row + field.LEVEL] == field.FLOATING:
        frame_columns(ints, floats, work, row, b, terms.base, terms.base_columns, q, v, x)
    if ints[row + field.LEVEL] == field.EXACT:
        rod_slopes(ints, floats, scratch, work, row, terms, q, v, x)
    if ints[row + field.LEVEL] == field.RUTHLESS:
        return  # each child has its own, see `ruthless`
    for node in range(ints[row + field.N_NODE]):
        at = (plan[o + NODES_OF] & POSITIVE) + node * FRAME
        columns = (plan[o + NODE_COLUMNS] & POSITIVE) + node * COLUMNS * m
        c = _bending(ints, row, node)
        if ints[row + field.LEVEL] == field.EXACT:
            r = vector(scratch, _carrying(ints, row, node) + field.ARM)
            rod_node_columns(ints, floats, c, scratch, work, row, b, terms, at, columns, r, q, v, x)
        else:
            _put_record(ints, floats, scratch, work, row, terms, node)
            _columns_of(ints, floats, c, work, row, b, terms, at, columns, q, v, x)


@jit
def _bending(ints, row, node):
    """Place of the constants of a node that carries children, from level "stiffened" on."""
    m, c = ints[row + field.N_MODE] & POSITIVE, ints[row + field.BENDING] & POSITIVE
    return c + node * ((ints[row + field.LISTED] & POSITIVE) - node_size(m))


@jit
def _carrying(ints, row, node):
    """Place of the record of a node that carries children."""
    return (ints[row + field.NODES] & POSITIVE) + node * field.NODE_RECORD


@jit
def _put_record(ints, floats, scratch, work, row, terms, node):
    """Copy the record of a node that carries children; in the frame of its shapes if floating."""
    m = ints[row + field.N_MODE] & POSITIVE
    if ints[row + field.LEVEL] == field.FLOATING:
        _put_floating(floats, _bending(ints, row, node), work, terms, m)
        return
    o = (ints[row + field.NODE_SHAPES] & POSITIVE) + node * node_size(m)
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
def _columns_of(ints, c, bending, work, row, b, terms, at, columns, q, v, x):
    """Frame and columns of the node whose record is at terms.node, its constants at c[bending]."""
    m = ints[row + field.N_MODE] & POSITIVE
    floating = ints[row + field.LEVEL] == field.FLOATING
    base = terms.base if floating else b
    bent = Bend(0 if floating else ints[row + field.BENT], bending + 3 + 6 * m)
    shape_columns(ints, row, work, terms.node, c, bent, work, base, at, columns, q, v, x)
    if floating:
        add_frame_columns(work, b, at, columns, terms.base_columns, m)


@jit
def _attach_node(ints, c, bending, work, row, terms, at, columns, q, n, f):
    """Add the frame `at` with the force (n, f), body axes at the node, of that at terms.node."""
    m = ints[row + field.N_MODE] & POSITIVE
    floating, C = ints[row + field.LEVEL] == field.FLOATING, matrix(work, at + TURN)
    put_force(work, at, C, n, f)
    attach(work, terms, m, at, columns)
    bent = Bend(0 if floating else ints[row + field.BENT], bending + 3 + 6 * m)
    if floating:
        F = vector(work, at + FORCE), vector(work, at + FORCE + 3)
        turned_with_frame(work, terms, m, columns, F[0], F[1])
        base = matrix(work, terms.base + TURN)
        n, f = turn_back(base, turn(C, n)), turn_back(base, turn(C, f))
        for k in range(3):
            work[terms.base + FORCE + k] -= F[0][k]
            work[terms.base + FORCE + 3 + k] -= F[1][k]
    shape_curvature(ints, row, work, terms.node, c, bent, q, n, f, work, terms.D_q, 1.0)


@jit
def body_tip_to_base(ints, floats, scratch, plan, work, row, o, q, v, x):
    """Rows, columns and frame of one body, after those of the nodes that carry children."""
    m, b = ints[row + field.N_MODE] & POSITIVE, plan[o + FRAME_OF] & POSITIVE
    terms, level = own_terms_record(plan[o + OWN_TERMS] & POSITIVE, m), ints[row + field.LEVEL]
    _own_terms(ints, floats, scratch, work, row, b, terms, q, v, x)
    if level == field.RUTHLESS:
        attach_children(ints, scratch, plan, work, row, o, terms, q)
    for node in range(ints[row + field.N_NODE] if level != field.RUTHLESS else 0):
        d, c = _carrying(ints, row, node), _bending(ints, row, node)
        at = (plan[o + NODES_OF] & POSITIVE) + node * FRAME
        columns = (plan[o + NODE_COLUMNS] & POSITIVE) + node * COLUMNS * m
        n, f = vector(scratch, d + field.FORCE), vector(scratch, d + field.FORCE + 3)
        if level == field.EXACT:
            attach_to_rod(ints, floats, c, scratch, work, row, terms, at, columns, q, n, f)
        else:
            _put_record(ints, floats, scratch, work, row, terms, node)
            _attach_node(ints, floats, c, work, row, terms, at, columns, q, n, f)
        add_frame(work, b, at)
        if plan[JUMPS] != 0:
            attach_lower(work, terms, m, at, columns)
            add_lower(work, b, at)
    if ints[row + field.N_LUMP] != 0:
        _lumps(ints, floats, scratch, work, row, b, terms, q, v, x)
    if scratch[field.N_EXTERNAL] != 0.0:
        _external(ints, scratch, work, row, b, terms, q, v, x)
    if level == field.FLOATING:
        _finish_floating(ints, floats, work, row, b, terms, q)
    if level == field.EXACT:
        rod_curvature(ints, floats, scratch, work, row, terms, q)


@jit
def _own_terms(ints, floats, scratch, work, row, b, terms, q, v, x):
    """Terms of the body itself."""
    m, body, level = (
        ints[row + field.N_MODE] & POSITIVE,
        ints[row + field.BODY] & POSITIVE,
        ints[row + field.LEVEL],
    )
    if level == field.EXACT:
        start_blocks(ints, floats, work, row, terms)
        for k in range(21 * m):
            work[terms.A + k] = 0.0  # and B, F, G, which follow
        rod_terms(ints, floats, scratch, work, row, b, terms)
    elif level == field.FLOATING:
        w, alpha, a = frame_motion_in_axes(work, terms.base)
        point_terms(ints, floats, work, row, terms.base, terms, w, alpha, a, q, v, x)
        rows_on_frame(work, terms, m)
        for k in range(6):
            work[terms.base + FORCE + k] = work[b + FORCE + k]
    else:
        w, alpha, a = (
            vector(scratch, body + field.RATE),
            vector(scratch, body + field.ACCELERATION),
            vector(scratch, body + field.ACCELERATION + 3),
        )
        point_terms(ints, floats, work, row, b, terms, w, alpha, a, q, v, x)


@jit
def _finish_floating(ints, floats, work, row, b, terms, q):
    """Attach the body itself in the frame of its shapes, and turn that frame with its modes."""
    m, c = ints[row + field.N_MODE] & POSITIVE, ints[row + field.ROD] & POSITIVE
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
    shape_curvature(ints, row, work, terms.node, floats, Bend(0, 0), q, n, f, work, terms.D_q, -1.0)


@jit
def _lumps(ints, floats, scratch, work, row, b, terms, q, v, x):
    """Lumps of a body, each a rigid body attached at its node."""
    m, size = ints[row + field.N_MODE] & POSITIVE, LUMP_NODE + (ints[row + field.LISTED] & POSITIVE)
    for lump in range(ints[row + field.N_LUMP]):
        c = (ints[row + field.LUMPS] & POSITIVE) + lump * size
        E, w, alpha, a = listed_node(
            ints, floats, c + LUMP_NODE, scratch, work, row, b, terms, q, v, x
        )
        mass = floats[c + LUMP_MASS]
        p = scaled(mass, turn(E, vector(floats, c + LUMP_OFFSET)))
        J = turned_symmetric(E, symmetric(floats, c + LUMP_INERTIA))
        n, f = rigid_force(J, p, mass, w, alpha, a)
        add_rigid(work, terms.frame, matrix(work, terms.frame + TURN), J, p, mass)
        bending = c + LUMP_NODE + node_size(m)
        _attach_node(ints, floats, bending, work, row, terms, terms.frame, terms.columns, q, n, f)
        add_frame(work, b, terms.frame)


@jit
def listed_node(ints, c, o, scratch, work, row, b, terms, q, v, x):
    """Frame and columns of a node of a list at c[o]; attitude, rate and acceleration, body axes."""
    m, flags = ints[row + field.N_MODE] & POSITIVE, field.RATES | field.ACCELERATED
    for k in range(node_size(m)):
        work[terms.node + k] = c[o + k]
    if ints[row + field.LEVEL] >= field.STIFFENED:
        deform_listed(ints, row, c, o, scratch, q, v, work, terms.node)
    E, _l, _J, w, alpha, a = node_motion(ints, row, work, terms.node, scratch, q, v, x, flags)
    if ints[row + field.LEVEL] == field.FLOATING:
        _put_floating(c, o + node_size(m), work, terms, m)
    _columns_of(ints, c, o + node_size(m), work, row, b, terms, terms.frame, terms.columns, q, v, x)
    clear_frame(work, terms.frame)
    return E, w, alpha, a


@jit
def _external(ints, scratch, work, row, b, terms, q, v, x):
    """External forces on nodes of a body: frames without inertia that carry the opposite force."""
    m, o = ints[row + field.N_MODE] & POSITIVE, int(scratch[field.EXTERNAL])
    for _entry in range(int(scratch[field.N_EXTERNAL])):
        other = field.HEADER + int(scratch[o]) * field.ROW
        n, f = vector(scratch, o + field.WRENCH), vector(scratch, o + field.WRENCH + 3)
        o += field.EXTERNAL_NODE
        if ints[other + field.LEVEL] == field.RIGID:
            continue
        if other == row and ints[row + field.LEVEL] == field.EXACT:
            E, r = matrix(scratch, o), vector(scratch, node_record(o).position)
            n, f = scaled(-1.0, turn(E, n)), scaled(-1.0, turn(E, f))
            c = o + node_size(m)
            rod_node_columns(
                ints,
                scratch,
                c,
                scratch,
                work,
                row,
                b,
                terms,
                terms.frame,
                terms.columns,
                r,
                q,
                v,
                x,
            )
            clear_frame(work, terms.frame)
            attach_to_rod(
                ints, scratch, c, scratch, work, row, terms, terms.frame, terms.columns, q, n, f
            )
        elif other == row:
            E, _w, _alpha, _a = listed_node(ints, scratch, o, scratch, work, row, b, terms, q, v, x)
            n, f = scaled(-1.0, turn(E, n)), scaled(-1.0, turn(E, f))
            bending = o + node_size(m)
            _attach_node(
                ints, scratch, bending, work, row, terms, terms.frame, terms.columns, q, n, f
            )
        o += ints[other + field.LISTED] & POSITIVE
