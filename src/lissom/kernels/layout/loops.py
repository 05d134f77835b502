"""Rows of loops and couplings in `ints`, which follow those of the bodies."""

from __future__ import annotations

from .rows import NamedRow, Number, Offset


class LoopsHeader(NamedRow):
    """Header of the loops and couplings, at ints[ints[fields.LOOPS]]."""

    n_loop: Number
    loop_rows: Offset  # ints
    n_column: Offset  # constraints of all loops and couplings
    n_path: Number  # bodies that carry ends of loops or coupled hinges, directly or further out
    path_rows: Offset  # ints: their rows, base to tip
    closure: Offset  # scratch: the equations of the loops, see `records.closure_record`
    loop_work: Offset  # scratch: workspace for one loop and for the columns of one body
    length: Offset  # floats: the system's length, its mass
    closing: Offset  # scratch: closing method, see `fields`
    ground_place: Offset  # scratch, as EndRow.place
    n_coupling: Number
    coupling_rows: Offset  # ints
    n_solved: Offset  # combinations of constraints that can do work: the unknowns of the solution
    envelope: Offset  # ints: for each of them an EnvelopeRow
    whole: Offset  # ints: the same for the mass matrix, where columns of different groups meet
    Lambda: Offset  # scratch: rows of Lambda from their first entries to the diagonal
    factor: Offset  # scratch: its factor, stored likewise
    solution: Offset  # scratch: see `records.solution_record`
    n_group: Number  # groups of loops; the last is that of the ground
    group_rows: Offset  # ints: tip to base
    responses: Offset  # scratch: forces of groups for each acceleration of their nodes, and without


class EnvelopeRow(NamedRow):
    """A row of Lambda, from its first entry to the diagonal."""

    first: Offset  # its first column
    zero: Number  # where its column zero would be
    n_unknown: Number  # of its loop, in the first row of a loop; 0 for a coupling


class GroupRow(NamedRow):
    """A group of loops, see `loops.groups`."""

    body: Number  # number of the body on whose node it hangs, -1 for the ground
    record: Offset  # scratch: record of the node
    forces: Number  # scratch: columns of its forces on the node, -1 for the ground
    first: Offset  # its first unknown
    n: Offset  # number of unknowns
    paths: Offset  # ints: bodies that its columns reach, rows of `ReachedRow`
    n_path: Number


class ReachedRow(NamedRow):
    """A body that the columns of a group reach."""

    path: Offset  # ints: its row of the path
    start: Number  # first and last place of the group among its columns
    stop: Number


class EndRow(NamedRow):
    """End of a loop."""

    body: Number  # ints: row of the body; -1 for the ground
    record: Offset  # scratch: record of the node
    place: Offset  # scratch: working axes of its body to the common axes 9, origin 3
    node: Number  # whether the record is that of a node of a flexible body
    velocity: Offset  # scratch: linear, angular velocity of the node, common axes
    forces: Number  # scratch: columns of the loop's forces on the node; -1 for the ground
    frame: Offset  # floats: frame's axes to node axes 9, its origin from the node 3
    shapes: Offset  # scratch: shapes of the node


class LoopRow(NamedRow):
    """A loop and its two ends; its joint has the kinds of the tree's, aligned ones are AXIAL."""

    kind: Number  # of joint
    joint: Offset  # floats: constants of the joint
    columns: Offset  # floats: the same; for a product of exponentials with each column as a joint
    dof: Number
    n_q: Number  # coordinates
    n: Number  # constraints
    first: Offset  # number of the first
    state: Offset  # scratch: state of the loop, see `fields`
    map: Number  # floats: P where it is constant, else -1
    n_solved: Number  # combinations of its constraints that can do work
    solved: Offset  # number of the first
    turn: Number  # floats: columns P Q, then rows of Q; -1 if all can do work and Q is 1
    a: EndRow
    b: EndRow


class PathRow(NamedRow):
    """A body on the path of loops."""

    body: Offset  # ints: row of the body
    place: Offset  # scratch, as EndRow.place
    parent: Number  # scratch: place of its carrier; -1: the ground; -2: the ground, body is origin
    velocity: Offset  # scratch: velocities of its nodes (rigid: of its origin), common axes, 6 each
    carrier_velocity: Number  # scratch: velocity of the node that carries it, -1 for the ground
    carrier_node: Number  # whether its carrier is a node of a flexible body
    n_node: Number  # number of node records, 1 if it is rigid
    forces: Offset  # scratch: columns of forces on its nodes, 6 for each column that passes it
    innovations: Offset  # scratch: e of each column at its hinge
    n_active: Offset  # columns that reach it
    active: Offset  # ints: their numbers, then where they go (scratch) at the carrier, -1 for the
    # ground


class CouplingRow(NamedRow):
    """A coupling."""

    column: Offset  # number of its constraint
    solved: Offset  # and of its unknown
    n: Number  # number of coordinates that it couples
    terms: Offset  # ints: a row for each
    numbers: Offset  # floats: scale, offset times scale, ratios times scale


class TermRow(NamedRow):
    """A coordinate of a coupling."""

    q: Offset  # its offset in q
    v: Offset  # its offset in v
    body: Offset  # ints: row of the body
    place: Offset  # scratch: its innovation in the column of the coupling
