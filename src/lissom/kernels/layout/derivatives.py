"""Plan of the derivatives: where the frames and columns of each body are in their workspace."""

from __future__ import annotations

from .rows import NamedRow, Number, Offset


class DerivativesHeader(NamedRow):
    """Header of the plan; the rows of the bodies follow."""

    stack: Offset  # work: columns of the path from the base to a body
    stack_width: Offset  # the most columns of a path
    temporary: Offset  # work: three rows of as many numbers
    n_work: Offset  # size of the workspace
    jumps: Number  # whether there are any


class DerivativesRow(NamedRow):
    """Row of a body; see `derivatives.frames`."""

    frame: Offset  # work: its frame
    carrier: Offset  # work: frame of the node that carries it
    nodes: Offset  # work: frames of its nodes that carry children
    hinge_columns: Offset  # work: columns of its hinge
    node_columns: Offset  # work: columns of its modes at each of these nodes
    carrier_columns: Number  # work: those at the node that carries it, -1 if there are none
    below: Offset  # number of columns of its carriers
    own_terms: Offset  # work: see `bodies`
    jump: Number  # work: on a body at level "ruthless" see `jumps`, otherwise -1
    over: Number  # of itself and its carriers the outermost body that has a jump, -1 if none has
    first: Number  # body: at level "ruthless" the first that it carries, -1 if there is none
    next: Number  # body: the next on the same one at level "ruthless", -1 if there is none


PLAN_ROWS = DerivativesHeader.size  # where the rows begin
