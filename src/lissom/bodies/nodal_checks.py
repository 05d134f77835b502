"""Checks of the data of a nodal body."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ModelError, name_list
from ..spatial import rigid_shift
from ..spatial.scalar import array, is_numeric

Array = np.ndarray

NULL = 1e-13  # eigenvalue of a matrix with unit diagonal that counts as zero
_ASYMMETRY = 1e-9  # relative, of a matrix that should be symmetric
_NEGATIVE = 1e-9  # negative eigenvalue of a matrix with unit diagonal that counts as rounding
_RIGID = 1e-8  # force that a rigid-body motion may cause, relative to the sum of absolute terms
_MOTIONS = [f"{kind} {axis}" for kind in ("rotation about", "translation along") for axis in "xyz"]


def numbers(value: Any, name: str) -> Array:
    """Array of finite real numbers, or a ModelError."""
    try:
        given = array(value)
    except (TypeError, ValueError):
        given = np.array(None)
    if not is_numeric(given) or np.iscomplexobj(given):
        raise ModelError(f"NodalBody: {name} must be an array of real numbers, without symbols")
    bad = np.argwhere(~np.isfinite(given))
    if len(bad):
        where = tuple(int(i) for i in bad[0])
        raise ModelError(f"NodalBody: {name}{list(where)} is {given[where]}; it must be finite")
    return given


def rigid_motions(positions: Array) -> Array:
    """Displacements of all nodes in the six rigid-body motions about the centroid, (6 n, 6)."""
    return np.concatenate([rigid_shift(r).T for r in positions - positions.mean(axis=0)])


def unit_diagonal(matrix: Array, floor: Array | float = 0.0) -> Array:
    """Symmetric matrix scaled to a unit diagonal, which makes it independent of units.

    Parameters
    ----------
    matrix : array (k, k)
        Symmetric up to rounding.
    floor : array (k,) or float
        Smaller diagonal entries are scaled as if they had this value.
    """
    size = np.sqrt(np.maximum(np.abs(np.diag(matrix)), floor))
    size = np.where(size > 0, size, 1.0)
    return (matrix + matrix.T) / 2 / np.outer(size, size)


def check_positive(matrix: Array, what: str, length: float) -> None:
    """Reject a matrix that is not symmetric or has negative eigenvalues.

    Parameters
    ----------
    matrix : array (6 n, 6 n)
        Matrix over the displacements of all nodes.
    what : str
        Name of the matrix in messages.
    length : float
        Size of the body [m], which makes rotations and translations comparable.
    """
    skewness = np.abs(matrix - matrix.T)
    if skewness.max() > _ASYMMETRY * np.abs(matrix).max():
        i, j = (int(k) for k in np.unravel_index(np.argmax(skewness), matrix.shape))
        raise ModelError(
            f"NodalBody: {what} is not symmetric: [{i}, {j}] is {matrix[i, j]:.6g}, [{j}, {i}] is "
            f"{matrix[j, i]:.6g}; check how it was assembled or read"
        )
    largest = np.abs(np.diag(matrix)).reshape(-1, 6)[:, 3:].max()
    one_node = 1e-12 * largest * np.repeat([length**2, 1.0], 3)
    values, vectors = np.linalg.eigh(unit_diagonal(matrix, np.tile(one_node, len(matrix) // 6)))
    if values[0] < -_NEGATIVE:
        node = int(np.argmax(np.abs(vectors[:, 0]))) // 6
        raise ModelError(
            f"NodalBody: {what} is indefinite: a displacement mostly of node {node} has negative "
            f"energy (eigenvalue {values[0]:.3g} of the matrix scaled to a unit diagonal); no "
            "eigenvalue may be negative"
        )


def check_free(matrix: Array, what: str, positions: Array) -> None:
    """Reject a matrix (6 n, 6 n) that resists rigid-body motion; name the worst motion."""
    r = rigid_motions(positions)
    length = np.abs(r[:, :3]).reshape(-1, 6, 3)[:, 3:].max() or 1.0
    unit = np.tile(np.repeat([1 / length, 1.0], 3), len(positions))[:, None]
    force, scale = unit * (matrix @ r), unit * (np.abs(matrix) @ np.abs(r))
    worst, terms = np.abs(force).max(axis=0), scale.max(axis=0)
    k = int(np.argmax(worst / np.where(terms > 0, terms, 1.0)))
    if worst[k] > _RIGID * terms[k]:
        node = int(np.argmax(np.abs(force[:, k]))) // 6
        raise ModelError(
            f"NodalBody: {what} resists the rigid-body {_MOTIONS[k]}: {worst[k]:.3g} at node "
            f"{node} from terms of {terms[k]:.3g} that should cancel; it must be that of the free "
            "structure, with displacements node by node, [rotation; translation]. Remove "
            "supports: the joint holds the inboard node"
        )


def check_held(stiffness: Array, nodes: Array) -> None:
    """Reject a structure with parts that are not connected to the inboard node.

    Parameters
    ----------
    stiffness : array (6 n - 6, 6 n - 6)
        Stiffness with the inboard node held.
    nodes : array (n - 1,)
        Numbers of the nodes of its rows.
    """
    values, vectors = np.linalg.eigh(unit_diagonal(stiffness))
    if values[0] > NULL:
        return
    moved = np.sum(vectors[:, values <= NULL] ** 2, axis=1).reshape(-1, 6).sum(axis=1)
    loose = name_list(nodes[moved > 1e-3 * moved.max()], show=str)
    raise ModelError(
        f"NodalBody: nodes {loose} can move relative to the inboard node without deformation: "
        "stiffness is singular beyond the six rigid-body motions; constrain all six displacements "
        "of every node by elements, or make the loose part a separate body on a joint"
    )
