"""Amplitudes by which the page bends a body, linear in fixed shapes.

They are the modal coordinates; at level "stiffened" products of two of them follow, eta_i eta_j,
whose shapes are the second order of the nodes.  A rod has no shapes: see `rods`.
"""

from __future__ import annotations

import numpy as np

from ...bodies import NormalBody

Array = np.ndarray


def amplitude_pairs(body: NormalBody) -> tuple[Array, Array]:
    """Numbers i <= j of the modes whose products are amplitudes."""
    used = np.zeros((body.n_mode, body.n_mode), dtype=bool)
    if body.second_order is not None:
        for second in body.second_order.node_shapes.values():
            used |= np.any(second, axis=0)
    i, j = np.nonzero(np.triu(used))
    return i, j


def amplitudes(body: NormalBody, eta: Array) -> Array:
    """Amplitudes (n, k) of a body in states with modal coordinates eta (n, n_mode)."""
    i, j = amplitude_pairs(body)
    return np.concatenate([eta, eta[:, i] * eta[:, j]], axis=1)


def amplitude_shapes(body: NormalBody, nodes: Array) -> Array:
    """Rotation and displacement of nodes by each amplitude, (n_node, k, 6); of a rod none."""
    if body.rod is not None:
        return np.zeros((len(nodes), 0, 6))
    shapes, (i, j) = body.node_shapes[nodes].transpose(0, 2, 1), amplitude_pairs(body)
    if not len(i):
        return shapes
    assert body.second_order is not None
    second_order, zero = body.second_order.node_shapes, np.zeros((6, body.n_mode, body.n_mode))
    half = np.where(i == j, 0.5, 1.0)
    pairs = [(second_order.get(int(node), zero)[:, i, j] * half).T for node in nodes]
    return np.concatenate([shapes, np.stack(pairs)], axis=1)
