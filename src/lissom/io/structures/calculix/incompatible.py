"""Inner freedoms of elements C3D8I, which CalculiX numbers as three further nodes of each.

They add to the displacement that the corners of the element give, so that they are zero in a rigid
motion.  Counted from the mean displacement of the corners instead,

  x' = L x      L = [1, 0; A, 1]      K' = L^-T K L^-1      M' = L^-T M L^-1                  (1)

with the mean A of the corners, they are translations of nodes in the middle of the element, as all
others are; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from ..assembling import Numbers
from ..text import refused
from .deck import Deck

_NODES = 3  # of one element


def inner_nodes(deck: Deck, rows: Numbers, path: str) -> tuple[Numbers, Numbers]:
    """Numbers of the inner nodes, and the corners (indices in the deck) of the element of each.

    Parameters
    ----------
    deck : Deck
    rows : array (N, 2) of int
        Node number and direction of the rows.
    path : str
        File of the rows, for messages.
    """
    corners = [one.nodes for one in deck.cells if one.kind == "C3D8I"]
    numbers = np.unique(rows[rows[:, 0] > deck.numbers[-1], 0])
    if not corners:
        return numbers[:0], np.zeros((0, 8), dtype=np.intp)
    each = np.repeat(np.concatenate(corners), _NODES, axis=0)
    if len(numbers) != len(each):
        raise refused(
            path,
            f"{len(numbers)} nodes beyond those of {deck.path}; its elements C3D8I have "
            f"{len(each)}: the files are of different models, or *RIGID BODY has no ROT NODE; "
            "write it",
        )
    return numbers, each


def as_nodes(rows: Numbers, inner: Numbers, corners: Numbers, matrices: Sequence[Any]) -> list[Any]:
    """Matrices with inner freedoms counted as in (1).

    Parameters
    ----------
    rows : array (N, 2) of int
        Node number and direction of the rows.
    inner : array (n,) of int
        Numbers of the inner nodes.
    corners : array (n, 8) of int
        Numbers of the nodes at the corners of the element of each.
    matrices : sequence of sparse arrays (N, N)
    """
    row = {(int(node), int(direction)): k for k, (node, direction) in enumerate(rows)}
    pairs = [
        (row[node, direction], row[corner, direction])
        for node, around in zip(inner.tolist(), corners.tolist(), strict=True)
        for direction in (1, 2, 3)
        for corner in around
        if (node, direction) in row and (corner, direction) in row  # held ones are refused later
    ]
    if not pairs:
        return list(matrices)
    i, j = np.array(pairs).T
    mean = sparse.csc_array((np.full(len(i), 1 / corners.shape[1]), (i, j)), shape=(len(row),) * 2)
    back = sparse.csc_array(sparse.eye_array(len(row)) - mean)
    return [sparse.csc_array(back.T @ x @ back) for x in matrices]
