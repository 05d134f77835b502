"""Six-dimensional motion and force: shifts between points and changes of axes.

Spatial vectors are angular first: velocity [omega; v], force [moment; force].
"""

from __future__ import annotations

import numpy as np

from .rotation import cross, skew
from .scalar import zeros

Array = np.ndarray


def rigid_shift(offset: Array) -> Array:
    """Rigid shift phi(l) = [[I, [l]x], [0, I]] (A 6), (D 3.1), (E 43), shape (6, 6).

    phi(l) @ force moves a spatial force from the point l to the origin;
    phi(l).T @ velocity moves a spatial velocity from the origin to the point l (E 42).
    Shifts one after the other are a shift by the sum (D 3.2).
    """
    eye = np.eye(3)
    return np.block([[eye, skew(offset)], [zeros(3, 3), eye]])


def motion_transform(rotation: Array, offset: Array) -> Array:
    """Transform X (6x6): motion at a frame -> motion at a child frame, in the child's axes.

    `rotation` (3, 3): child axes to parent axes; `offset` (3,): child origin relative to the parent
    frame's origin, in parent axes [m]; returns (6, 6): X; its transpose takes a spatial force at
    the child frame to the parent frame.
    """
    return block_diagonal(rotation.T, rotation.T) @ rigid_shift(offset).T


def rotate(rotation: Array, spatial: Array) -> Array:
    """Spatial vector (or columns) with both halves rotated by `rotation`."""
    return np.concatenate([rotation @ spatial[:3], rotation @ spatial[3:]])


def bracket(a: Array, b: Array) -> Array:
    """Lie bracket ad(a) b = [a_w x b_w; a_v x b_w + a_w x b_v] of two spatial motions."""
    return np.concatenate([cross(a[:3], b[:3]), cross(a[3:], b[:3]) + cross(a[:3], b[3:])])


def symmetric(matrix: Array) -> Array:
    """Symmetric matrix from the lower triangle of one that is symmetric up to rounding."""
    return np.tril(matrix) + np.tril(matrix, -1).T


def block_diagonal(*blocks: Array) -> Array:
    """Block-diagonal matrix of the given blocks, of any scalar type."""
    rows = sum(block.shape[0] for block in blocks)
    columns = sum(block.shape[1] for block in blocks)
    dtype = np.result_type(float, *(block.dtype for block in blocks))
    result = np.zeros((rows, columns), dtype=dtype)
    i = j = 0
    for block in blocks:
        result[i : i + block.shape[0], j : j + block.shape[1]] = block
        i, j = i + block.shape[0], j + block.shape[1]
    return result
