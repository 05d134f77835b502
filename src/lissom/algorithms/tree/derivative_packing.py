"""Workspace of the derivatives (`kernels.tree.derivatives`)."""

from __future__ import annotations

import numpy as np

from ...kernels import fields as field
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
    rows = np.zeros((system.n_body, frames.PLAN_ROW), dtype=np.int64)
    work, ints = Buffer(frames.FRAME), packed.rows
    width = 0
    for i in range(system.n_body):
        row, m, r = rows[i], ints[i, field.N_MODE], ints[i, field.HINGE_DOF]
        ruthless, p = ints[i, field.LEVEL] == field.RUTHLESS, system.parent[i]
        n_node = 0 if ruthless else ints[i, field.N_NODE]  # a frame for each child
        row[[frames.JUMP, frames.OVER, frames.FIRST, frames.NEXT]] = -1
        row[frames.FRAME_OF] = work.add(frames.FRAME)
        row[frames.NODES_OF] = work.add(n_node * frames.FRAME)
        row[frames.HINGE_COLUMNS] = work.add(frames.COLUMNS * r)
        row[frames.NODE_COLUMNS] = work.add(frames.COLUMNS * m * n_node)
        row[frames.CARRIER_COLUMNS] = -1
        if ints[i, field.LEVEL] != field.RIGID:
            listed, stations = ints[i, field.LISTED], ints[i, field.N_STATION]
            more = max(listed, rod_size(stations, m) if stations else 0)
            row[frames.OWN_TERMS] = work.add(own_terms_size(m) + more)
        if p != GROUND:
            row[frames.CARRIER_OF] = rows[p, frames.FRAME_OF]
            row[frames.BELOW] = rows[p, frames.BELOW] + ints[p, field.HINGE_DOF]
            row[frames.OVER] = rows[p, frames.OVER]
            if ints[p, field.LEVEL] != field.RIGID:
                row[frames.BELOW] += ints[p, field.N_MODE]
                size = frames.COLUMNS * ints[p, field.N_MODE]
                if ints[p, field.LEVEL] == field.RUTHLESS:
                    row[frames.CARRIER_OF] = work.add(frames.FRAME)
                    row[frames.CARRIER_COLUMNS] = work.add(size)
                    row[frames.JUMP], row[frames.OVER] = work.add(JUMP_SIZE), i
                    row[frames.NEXT], rows[p, frames.FIRST] = rows[p, frames.FIRST], i
                else:
                    slot = system.outboard_nodes[p].index(int(system.parent_node[i]))
                    row[frames.CARRIER_OF] = rows[p, frames.NODES_OF] + slot * frames.FRAME
                    row[frames.CARRIER_COLUMNS] = rows[p, frames.NODE_COLUMNS] + slot * size
        width = max(width, row[frames.BELOW] + r)
    header = np.zeros(frames.PLAN_HEADER, dtype=np.int64)
    header[frames.STACK_WIDTH] = width
    header[frames.JUMPS] = np.any(rows[:, frames.JUMP] >= 0)
    header[frames.STACK] = work.add(frames.COLUMNS * width)
    header[frames.TEMPORARY] = work.add(3 * width)
    header[frames.N_WORK] = max(work.size, system.n_v**2)  # `forward` keeps a factor there
    return np.concatenate([header, rows.ravel()])
