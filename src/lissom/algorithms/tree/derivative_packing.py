"""Workspace of the derivatives (`kernels.tree.derivatives`)."""

from __future__ import annotations

import numpy as np

from ...kernels import fields as field
from ...kernels.layout.derivatives import PLAN_ROWS, DerivativesHeader, DerivativesRow
from ...kernels.tree.derivatives import frames
from ...kernels.tree.derivatives.attached import own_terms_size
from ...kernels.tree.derivatives.jumps import JUMP_SIZE
from ...kernels.tree.derivatives.rods import rod_size
from ...system import GROUND, System
from .allocators import Buffer
from .packing import Packed

Array = np.ndarray


def derivative_plan(system: System, packed: Packed) -> Array:
    """Offsets of the frames and columns of all bodies, see `frames`."""
    plan = np.zeros(PLAN_ROWS + system.n_body * DerivativesRow.size, dtype=np.int64)
    header, rows = DerivativesHeader(plan, 0), DerivativesRow.table(plan[PLAN_ROWS:])
    work, bodies = Buffer(frames.FRAME), packed.rows
    width = 0
    for i in range(system.n_body):
        row, m, r = rows[i], bodies[i].n_mode, bodies[i].hinge_dof
        ruthless, p = bodies[i].level == field.RUTHLESS, system.parent[i]
        n_node = 0 if ruthless else bodies[i].n_node  # a frame for each child
        row.jump = row.over = row.first = row.next = -1
        row.frame = work.add(frames.FRAME)
        row.nodes = work.add(n_node * frames.FRAME)
        row.hinge_columns = work.add(frames.COLUMNS * r)
        row.node_columns = work.add(frames.COLUMNS * m * n_node)
        row.carrier_columns = -1
        if bodies[i].level != field.RIGID:
            listed, stations = bodies[i].listed, bodies[i].n_station
            more = max(listed, rod_size(stations, m) if stations else 0)
            row.own_terms = work.add(own_terms_size(m) + more)
        if p != GROUND:
            row.carrier = rows[p].frame
            row.below = rows[p].below + bodies[p].hinge_dof
            row.over = rows[p].over
            if bodies[p].level != field.RIGID:
                row.below += bodies[p].n_mode
                size = frames.COLUMNS * bodies[p].n_mode
                if bodies[p].level == field.RUTHLESS:
                    row.carrier = work.add(frames.FRAME)
                    row.carrier_columns = work.add(size)
                    row.jump, row.over = work.add(JUMP_SIZE), i
                    row.next, rows[p].first = rows[p].first, i
                else:
                    slot = system.outboard_nodes[p].index(int(system.parent_node[i]))
                    row.carrier = rows[p].nodes + slot * frames.FRAME
                    row.carrier_columns = rows[p].node_columns + slot * size
        width = max(width, row.below + r)
    header.stack_width, header.jumps = width, np.any(rows.jump >= 0)
    header.stack = work.add(frames.COLUMNS * width)
    header.temporary = work.add(3 * width)
    header.n_work = max(work.size, system.n_v**2)  # `forward` keeps a factor there
    return plan
