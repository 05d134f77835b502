"""Rigid motion of the freedoms of a structure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rigid_motion(positions: Array, freedoms: NDArray[np.intp], about: Array) -> Array:
    """Displacements (N, 6) by unit motions [rotation; translation] of a frame at a point.

    u = v + theta x r = v - skew(r) theta at r from the point, and the rotation is theta.

    `positions` (n, 3): nodes [m]; `freedoms` (N, 2): node and direction of each row, see
    `Structure`; `about` (3,): the point [m].
    """
    node, direction = freedoms[:, 0], freedoms[:, 1]
    motion = np.zeros((len(freedoms), 6))
    motion[np.arange(len(freedoms)), direction] = 1.0
    x, y, z = (positions[node] - about).T
    zero = np.zeros(len(node))
    # rows of -skew(r): the displacement along x, y, z by rotations about x, y, z
    turned = np.array([[zero, z, -y], [-z, zero, x], [y, -x, zero]])
    for k in range(3):
        rows = direction == 3 + k
        motion[rows, :3] = turned[k][:, rows].T
    return motion
