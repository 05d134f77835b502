"""Faults of meshes, named by element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....errors import ModelError, name_list
from .elements import Block, jacobians

Array = NDArray[np.float64]

_FLAT = 1e-9  # determinant over the mean volume of the elements' boxes that counts as zero
_OFF = 0.35  # largest distance of a node from the middle of its edge, over the edge's length


def check_elements(positions: Array, blocks: Sequence[Block], name: str) -> None:
    """Raise ModelError for elements that are inverted, flat, or whose nodes are out of order.

    Parameters
    ----------
    positions : array (n, 3)
        Nodes [m].
    blocks : sequence of Block
        Elements.
    name : str
        Name of the mesh, for messages.
    """
    for block in blocks:
        _check_nodes(block, name)
        _check_middles(positions, block, name)
        _check_sign(positions, block, name)


def _check_nodes(block: Block, name: str) -> None:
    ordered = np.sort(block.cells, axis=1)
    twice = np.flatnonzero(np.any(ordered[:, 1:] == ordered[:, :-1], axis=1))
    if len(twice):
        raise ModelError(
            f"{name}: {block.title(twice[0])} has a node twice{_others(len(twice))}; collapsed "
            "elements are not supported: use tetrahedra or wedges there"
        )


def _check_middles(positions: Array, block: Block, name: str) -> None:
    """Nodes between corners must be near their middle: else the order is another."""
    kind = block.kind
    if kind.is_linear:
        return
    x = positions[block.cells]
    middle = np.stack([x[:, list(mean)].mean(axis=1) for mean in kind.means], axis=1)
    length = np.stack([np.ptp(x[:, list(m)], axis=1).max(axis=1) for m in kind.means], axis=1)
    away = np.linalg.norm(x[:, len(kind.corners) :] - middle, axis=2)
    far = np.argwhere(away > _OFF * length)
    if not len(far):
        return
    e, k = far[0]
    raise ModelError(
        f"{name}: {block.title(e)}: its node {len(kind.corners) + k} is "
        f"{away[e, k] / max(length[e, k], 1e-300):.2g} edge lengths away from the middle of its "
        f"corners {', '.join(map(str, kind.means[k]))}"
        f"{_others(len(np.unique(far[:, 0])))}; the nodes are in another order: give them as "
        "Abaqus and VTK do (corners, then middles of edges, counted from 0)"
    )


def _check_sign(positions: Array, block: Block, name: str) -> None:
    """J must be positive at all integration points and nodes."""
    kind = block.kind
    points = np.concatenate([kind.rule("stiffness")[0], kind.nodes])
    dN = kind.functions(points)[1]
    lowest = np.concatenate(
        [
            np.linalg.det(jacobians(dN, positions[block.cells[part]])).min(axis=1)
            for part in block.parts()
        ]
    )
    size = np.ptp(positions[block.cells], axis=1).max(axis=1) ** 3
    bad = np.flatnonzero(lowest <= _FLAT * size)
    if not len(bad):
        return
    k = bad[np.argmin(lowest[bad] / np.maximum(size[bad], 1e-300))]
    if len(bad) == len(lowest) and np.all(lowest < -_FLAT * size):
        raise ModelError(
            f"{name}: all {len(bad)} elements of kind {kind.name} are inverted (volume below zero);"
            " the mesh is mirrored or its nodes are in another order: reverse the order of the "
            "corners, as Abaqus and VTK have it"
        )
    what = "flat" if abs(lowest[k]) <= _FLAT * size[k] else "inverted or folded"
    raise ModelError(
        f"{name}: {block.title(k)} is {what}: its smallest volume ratio is "
        f"{lowest[k] / max(size[k], 1e-300):.2g}{_others(len(bad))}; repair the mesh there, or make"
        " the edges straight"
    )


def check_connected(positions: Array, blocks: Sequence[Block], name: str) -> None:
    """Raise ModelError if the mesh falls into parts that share no node; parameters as above."""
    from scipy import sparse
    from scipy.spatial import cKDTree

    rows = np.concatenate([np.repeat(b.cells[:, 0], b.kind.n_node) for b in blocks])
    columns = np.concatenate([b.cells.ravel() for b in blocks])
    n = len(positions)
    graph = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    count, part = sparse.csgraph.connected_components(graph, directed=False)
    if count == 1:
        return
    size = float(np.ptp(positions, axis=0).max())
    pairs = cKDTree(positions).query_pairs(1e-6 * size, output_type="ndarray")
    double = int(np.count_nonzero(part[pairs[:, 0]] != part[pairs[:, 1]]))
    firsts = [
        next(b.title(k[0]) for b in blocks if len(k := np.flatnonzero(part[b.cells[:, 0]] == p)))
        for p in range(min(count, 5))
    ]
    remedy = (
        f"{double} pairs of their nodes are at the same place: merge them in the mesh generator"
        if double
        else "give each as a body of its own, or connect them in the mesh generator"
    )
    raise ModelError(
        f"{name}: the mesh has {count} parts that share no node, with {name_list(firsts, show=str)}"
        f"{' and so on' if count > 5 else ''}; {remedy}"
    )


def _others(count: int) -> str:
    return f" (and {count - 1} more)" if count > 1 else ""
