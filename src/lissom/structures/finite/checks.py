"""Checks of a structure before its reduction, each with its own message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from ...errors import ModelError, name_list, shown
from .rigid import rigid_motion
from .ties import TIES

if TYPE_CHECKING:
    from .structure import Structure

Array = NDArray[np.float64]

_ASYMMETRY = 1e-7  # relative to the diagonal entries of an entry
_GROUNDED = 1e-4  # force of a rigid motion relative to the forces that add up to it
_REMEDY = "look for an element that is inside out, in files for an entry that is missing"
_DIRECTIONS = ("rotation x", "rotation y", "rotation z", "x", "y", "z")


def check_structure(structure: Structure) -> None:
    """Reject what is not a finite-element model of one free body with interfaces."""
    _check_arrays(structure)
    for what in ("mass", "stiffness"):
        _check_matrix(structure, what)
    check_interfaces(structure)
    _check_freedoms(structure)
    _check_one_piece(structure)
    _check_mass(structure)


def _check_arrays(structure: Structure) -> None:
    n, name = structure.n_freedom, structure.name
    if np.ndim(structure.positions) != 2 or np.shape(structure.positions)[1] != 3:
        raise ModelError(
            f"{name}: positions has shape {np.shape(structure.positions)}; give (n, 3) [m]"
        )
    bad = np.flatnonzero(~np.isfinite(structure.positions).all(axis=1))
    if len(bad):
        raise ModelError(f"{name}: the position of node {bad[0]} is not finite; give it in metres")
    freedoms = structure.freedoms
    if freedoms.ndim != 2 or freedoms.shape[1] != 2:
        raise ModelError(
            f"{name}: freedoms has shape {freedoms.shape}; give node and direction of each, (N, 2)"
        )
    if n and not 0 <= freedoms[:, 0].min() <= freedoms[:, 0].max() < structure.n_node:
        raise ModelError(
            f"{name}: freedoms refer to nodes {freedoms[:, 0].min()} to {freedoms[:, 0].max()}, "
            f"but there are {structure.n_node} nodes, 0 to {structure.n_node - 1}"
        )
    if n and not 0 <= freedoms[:, 1].min() <= freedoms[:, 1].max() < 6:
        raise ModelError(f"{name}: directions of freedoms must be 0 to 5 (rotations, translations)")
    keys = freedoms[:, 0] * 6 + freedoms[:, 1]
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    if np.any(times > 1):
        twice = freedoms[first[np.argmax(times)]]
        raise ModelError(
            f"{name}: freedom {_DIRECTIONS[twice[1]]} of node {twice[0]} appears twice; give each "
            "once"
        )


def _check_matrix(structure: Structure, what: str) -> None:
    A, n = getattr(structure, what), structure.n_freedom
    title = f"{structure.name}: the {what} matrix"
    if A.shape != (n, n):
        raise ModelError(f"{title} has shape {A.shape}; expected {(n, n)} for {n} freedoms")
    coo = sp.coo_array(A)
    if not np.all(np.isfinite(coo.data)):
        k = int(np.argmax(~np.isfinite(coo.data)))
        place = _at(structure, coo.row[k])
        raise ModelError(f"{title} has the entry {coo.data[k]} in the row of {place}")
    diagonal = A.diagonal()
    if np.any(diagonal < 0):
        k = int(np.argmin(diagonal))
        raise ModelError(
            f"{title} is indefinite: its diagonal entry of {_at(structure, k)} is "
            f"{diagonal[k]:.3g}; {_REMEDY}"
        )
    size = np.sqrt(diagonal)
    skew = sp.coo_array(A - A.T)
    wrong = np.abs(skew.data) > _ASYMMETRY * (size[skew.row] * size[skew.col] + 1e-300)
    if np.any(wrong):
        k = int(np.argmax(np.abs(skew.data) * wrong))
        i, j = int(skew.row[k]), int(skew.col[k])
        raise ModelError(
            f"{title} is not symmetric: the entries of {_at(structure, i)} and {_at(structure, j)} "
            f"differ by {abs(skew.data[k]):.3g}; give the whole matrix, not one triangle"
        )
    beyond = np.abs(coo.data) > (1 + 1e-9) * size[coo.row] * size[coo.col] + 1e-300
    beyond &= coo.row != coo.col
    if np.any(beyond):
        k = int(np.argmax(beyond))
        raise ModelError(
            f"{title} is indefinite: the entry of {_at(structure, coo.row[k])} and "
            f"{_at(structure, coo.col[k])}, {coo.data[k]:.3g}, exceeds the mean of their diagonal "
            f"entries; {_REMEDY}"
        )


def check_interfaces(structure: Structure) -> None:
    """Reject interfaces that are missing or refer to nothing."""
    name = structure.name
    if not structure.interfaces:
        raise ModelError(
            f"{name}: it has no interfaces, so that no joint can hold it; give "
            'interfaces={"root": node}'
        )
    for key, interface in structure.interfaces.items():
        title = f"{name}: interface {key!r}"
        if interface.tie not in TIES:
            raise ModelError(f"{title} has the tie {interface.tie!r}; use one of {TIES}")
        nodes = np.atleast_1d(interface.nodes)
        if not len(nodes):
            raise ModelError(f"{title} has no nodes; correct its selection")
        if nodes.dtype.kind not in "iu" or nodes.min() < 0 or nodes.max() >= structure.n_node:
            bad = [int(x) for x in nodes if not 0 <= x < structure.n_node]
            raise ModelError(
                f"{title} refers to node {bad[0] if bad else nodes[0]!r}, which does not exist; "
                f"nodes are 0 to {structure.n_node - 1}"
            )
        without = nodes[~np.isin(nodes, structure.freedoms[:, 0])]
        if len(without):
            raise ModelError(
                f"{title}: node {structure.number_of(without[0])} has no freedoms; it is not part "
                "of an element, or boundary conditions removed it: write the matrices of the free "
                "structure"
            )
        if np.shape(interface.position) != (3,) or not np.all(np.isfinite(interface.position)):
            raise ModelError(
                f"{title}: position is {shown(interface.position)}; give three numbers [m]"
            )
        weights = np.ones(len(nodes)) if interface.weights is None else interface.weights
        if np.shape(weights) != nodes.shape or np.min(weights) < 0 or not np.sum(weights) > 0:
            raise ModelError(
                f"{title}: weights must be {len(nodes)} numbers, none negative and not all zero"
            )
    for key, node in structure.node_names.items():
        if key in structure.interfaces:
            raise ModelError(
                f"{name}: {key!r} is the name of an interface and of node {node}; give the node "
                "another name"
            )
        if not 0 <= node < structure.n_node or len(structure.rows(node)) != 6:
            raise ModelError(
                f"{name}: node {node}, named {key!r}, has not six freedoms; make it an interface "
                'with tie "rigid" or "average"'
            )


def _check_freedoms(structure: Structure) -> None:
    """Reject freedoms without stiffness: nothing holds them."""
    loose = np.flatnonzero(structure.stiffness.diagonal() == 0)
    if len(loose):
        nodes = name_list(np.unique(structure.freedoms[loose, 0]), show=str, most=5)
        raise ModelError(
            f"{structure.name}: {_at(structure, loose[0])} has no stiffness ("
            f"{_counted(len(loose), 'freedom')}, of nodes {nodes}); leave such freedoms "
            "out, or connect the nodes"
        )


def _check_one_piece(structure: Structure) -> None:
    """Reject loose parts: nodes that no element and no rigid interface joins to the others."""
    pattern = sp.csr_array(structure.stiffness, copy=True)
    pattern.data = (pattern.data != 0).astype(float)
    node = structure.freedoms[:, 0]
    n = structure.n_node
    member = sp.csr_array((np.ones(len(node)), (np.arange(len(node)), node)), (len(node), n))
    graph = member.T @ pattern @ member
    for interface in structure.interfaces.values():
        if interface.tie == "rigid":
            a = np.asarray(interface.nodes)
            graph = graph + sp.coo_array((np.ones(len(a)), (a, np.full(len(a), a[0]))), (n, n))
    count, label = connected_components(graph, directed=False)
    used = np.unique(node)
    sizes = np.bincount(label[used], minlength=count)
    parts = np.flatnonzero(sizes)
    if len(parts) > 1:
        small = parts[np.argmin(sizes[parts])]
        first = used[label[used] == small][0]
        raise ModelError(
            f"{structure.name}: it has {len(parts)} parts that are not connected; the smallest has "
            f"{_counted(sizes[small], 'node')}, node {structure.number_of(first)} among them: "
            "connect it (merge coincident nodes), or leave it out"
        )


def _check_mass(structure: Structure) -> None:
    about = structure.positions[structure.freedoms[:, 0]].mean(axis=0)
    R = rigid_motion(structure.positions, structure.freedoms, about)
    mass = R.T @ (structure.mass @ R)
    along = np.diag(mass)[3:]
    if along.max() <= 0:
        raise ModelError(f"{structure.name}: it has no mass; give densities or masses")
    if np.abs(mass[3:, 3:] - along.mean() * np.eye(3)).max() > 1e-6 * along.max():
        shown = ", ".join(f"{x:.6g}" for x in along)
        raise ModelError(
            f"{structure.name}: its mass differs along x, y and z ({shown} kg); a body has one "
            "mass: give every node all three translations"
        )


def check_free(structure: Structure, K: Any, R: Array, rows: NDArray[np.intp]) -> float:
    """Largest force of a rigid motion relative to the forces that add up to it.

    `K`, `R`, `rows` (n, n), array (n, 6), array (n,): stiffness, rigid motions and freedoms of the
    coordinates.
    """
    unit = R / np.abs(R).max(axis=0)
    sizes = abs(K) @ np.abs(unit).max(axis=1)
    parts = np.abs(K @ unit) / np.maximum(sizes, 1e-300)[:, None]
    worst = float(parts.max(initial=0.0))
    if worst > _GROUNDED:
        k, j = np.unravel_index(np.argmax(parts), parts.shape)
        motion = _DIRECTIONS[int(j)]
        raise ModelError(
            f"{structure.name}: a rigid motion ({motion}) meets a force at "
            f"{coordinate_name(structure, rows, int(k))}, {worst:.2g} of the forces there: the "
            "structure is held to the ground, or positions and matrices do not belong together; "
            "remove boundary conditions and springs to ground, and check the order of freedoms"
        )
    return worst


def coordinate_name(structure: Structure, rows: NDArray[np.intp], k: int) -> str:
    """Words for a coordinate: the freedom that it is, or an interface."""
    return "a rigid interface" if rows[k] < 0 else _at(structure, int(rows[k]))


def _at(structure: Structure, row: int) -> str:
    node, direction = structure.freedoms[row]
    return f"node {structure.number_of(node)} ({_DIRECTIONS[direction]})"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
