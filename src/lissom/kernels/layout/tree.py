"""Rows of bodies in `ints`; the arrays and their other parts are in `fields`.

Letters in `kernels.tree` and `kernels.loops`
  body      its row, i its number
  b, n, d   CarrierRecord of the body, of the node that carries it, of a node of a flexible body
  o         offset in scratch, of the hinge where nothing else is said; o_q, o_v, o_m in q, v and
            the modal speeds
  m         number of modes
  loops, loop, end, path, group, coupling, term   the rows of `layout.loops`
"""

from __future__ import annotations

from ..fields import HEADER
from .rows import NamedRow, Number, Offset


class BodyRow(NamedRow):
    """Row of a body: its type and the offsets of its data."""

    parent: Number  # number of the body that carries it, -1 for the ground
    kind: Number  # of joint, see `fields`
    axis: Number  # 0, 1, 2 of an aligned revolute or prismatic joint
    turned: Number  # whether the joint's inboard frame is rotated relative to the node
    hinge_dof: Number
    hinge_q: Offset  # offset of its hinge coordinates in q
    hinge_v: Offset
    modal_q: Offset
    modal_v: Offset
    n_mode: Offset
    level: Number  # RIGID, RUTHLESS, LINEAR, FULL, STIFFENED, EXACT, FLOATING
    n_node: Number  # nodes that carry children; the record of a rigid body does not count
    carries: Number  # whether it has children
    first: Number  # whether it is the first child to contribute to its node, tip to base
    driven: Number  # whether the accelerations of its hinge are given
    record: Offset  # scratch: its record
    carrier: Offset  # scratch: record of the node that carries it
    motion: Offset  # scratch: first part of its record
    children: Offset  # scratch: P_ of its record
    carrier_motion: Offset  # the same of the node that carries it
    carrier_children: Offset
    hinge: Offset  # scratch: its hinge
    constants: Offset  # floats: its inertia and the joint's inboard frame
    joint: Offset  # floats: constants of a general joint
    turns: Offset  # scratch: on a body at level RUTHLESS its record, with whose rate the hinge
    # turns; or 0
    nodes: Offset  # scratch: records of its nodes
    node_motion: Offset  # scratch: first part of the record of its first node
    modal: Offset  # scratch: its modal part
    M_rf: Offset  # scratch: M_rf 6m; up to level LINEAR: constant, one for equal bodies
    compliance: Offset  # scratch: `records.softened_record`; compact: one for equal bodies
    stack: Offset  # scratch: matrices stacked over its nodes
    shapes: Offset  # floats: stiffness m, M_rf 6m, symmetrised g 6m (m modes, one component after
    # another)
    damped: Number  # NONE, DIAGONAL, MATRIX
    damping: Offset  # floats: m or m x m numbers
    node_shapes: Offset  # scratch: `records.node_record` of each node that carries children;
    # constant, one for equal bodies, up to level FULL
    bending: Offset  # floats: constants of these nodes, see `nodes.deform_node`, `rods.rod_node`
    bent: Number  # bits: which of the six rows of nodes have a second order
    listed: Offset  # numbers of a node in a list: its record, and from level STIFFENED on its
    # constants
    second: Offset  # floats: from level FULL on, g 9m, then the products that are not zero, m x m
    # each
    products: Number  # bits: which of the products are not zero, see `flexible`
    dense: Number  # whether M_ff depends on the deformation: lumps, or level EXACT or FLOATING
    n_lump: Number
    lumps: Offset  # floats: per lump mass, offset 3, inertia 6, its node as in a list
    n_station: Offset  # level EXACT: sections that carry the mass
    rod: Offset  # floats: `records.rod_record`; level FLOATING: shapes of the inboard node, 6m
    stations: Offset  # scratch: `records.station_record`; FLOATING: `records.floating_record`
    first_xz: Offset  # first coordinates of bending in the plane x-z, after those in the plane x-y,
    first_torsion: Offset  # of torsion,
    first_stretch: Offset  # of stretch,
    first_shear: Offset  # of shear along y
    first_shear_z: Offset  # and along z
    branch: Offset  # where its own speeds and all outboard of it begin, in that order
    branch_end: Offset
    world: Offset  # scratch: working axes to world axes 9, origin in the world 3


BODY = BodyRow.size


def body_offset(i: int) -> int:
    """Offset in `ints` of the row of body i."""
    return HEADER + i * BODY
