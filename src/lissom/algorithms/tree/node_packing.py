"""Packing of nodes of flexible bodies (`kernels.tree.nodes`)."""

from __future__ import annotations

import numpy as np

from ...bodies import NormalBody
from .rod_packing import rod_node_numbers

Array = np.ndarray


def bent_rows(body: NormalBody) -> int:
    """Bits of the six rows of [rho; h] that are not zero at some node."""
    if body.second_order is None:
        return 0
    bent = np.zeros(6, dtype=bool)
    for second in body.second_order.node_shapes.values():
        bent |= np.any(second, axis=(1, 2))
    return sum(1 << k for k in range(6) if bent[k])


def node_numbers(body: NormalBody, node: int, bits: int) -> Array:
    """A node as in a list: its undeformed record, and from "stiffened" on its constants."""
    place, shapes = body.node_positions[node], body.node_shapes[node].ravel()
    record = (np.zeros(9), place, np.zeros(6), shapes)
    return np.concatenate([*record, node_bending(body, node, bits)])


def node_bending(body: NormalBody, node: int, bits: int) -> Array:
    """Constants of a node from level STIFFENED on, as kernels read them; otherwise empty."""
    if body.rod is not None:
        return rod_node_numbers(body.rod, node)
    if body.floating is not None:
        return np.concatenate([body.node_positions[node], body.floating.node_shapes[node].ravel()])
    if body.second_order is None:
        return np.zeros(0)
    second = body.second_shapes(node)
    rows = [second[k].ravel() for k in range(6) if bits >> k & 1]
    return np.concatenate([body.node_positions[node], body.node_shapes[node].ravel(), *rows])
