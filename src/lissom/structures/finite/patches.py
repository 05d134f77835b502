"""Patches: groups of nodes of a mesh that become interfaces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, name_list, shown, suggestion
from ...printing import Shown
from ...spatial.scalar import reals
from .structure import Interface

Array = NDArray[np.float64]
Whole = NDArray[np.intp]

_LINE = 5e-5  # width over length of nodes on a line; its square is what `ties` can distinguish
TIES = ("rigid", "average")


@final
@dataclass(frozen=True, eq=False)
class Patch(Shown):
    """Nodes of a mesh that hold a joint, a load or another body, and how they hold it.

    Parameters
    ----------
    where : str, callable or sequence of int
        Name of a group of the mesh; function of positions (n, 3) [m] that returns which of them
        belong to it, such as those of `regions`; or numbers of nodes, counted from 0.
    tie : {"rigid", "average"}
        Whether the nodes move as a rigid body, as if bolted to a plate; or stay free to deform, and
        their mean motion, weighted by area, is that of the interface.
    at : array (3,), optional
        Position of the interface [m]; by default the centroid of the area.
    """

    where: Any
    tie: str = "rigid"
    at: Any = None


@dataclass(frozen=True, eq=False)
class Ground:
    """What patches are looked up in."""

    name: str  # name of the mesh, for messages
    positions: Array  # (n, 3) nodes of the structure [m]
    numbers: Whole  # (n,) their numbers in the file, ascending
    sets: Mapping[str, Whole]  # nodes of named groups, by their numbers in the file
    triangles: Whole  # (t, 3) faces of the surface, cut up


def interfaces_of(patches: Any, ground: Ground) -> dict[str, Interface]:
    """Interfaces of named patches."""
    if not isinstance(patches, Mapping) or not patches:
        raise ModelError(
            f"{ground.name}: interfaces is {shown(patches)}; give at least one by name, such as "
            '{"root": lissom.regions.plane("x", 0.0)}'
        )
    interfaces = {}
    for name, value in patches.items():
        patch = value if isinstance(value, Patch) else Patch(value)
        interfaces[name] = _interface(patch, f"{ground.name}: interface {name!r}", ground)
    _check_apart(interfaces, ground)
    return interfaces


def _interface(patch: Patch, what: str, ground: Ground) -> Interface:
    if patch.tie not in TIES:
        raise ModelError(f'{what}: tie is {patch.tie!r}; use "rigid" or "average"')
    chosen = _chosen(patch.where, what, ground)
    nodes = np.flatnonzero(chosen)
    x = ground.positions[nodes]
    check_area(x, what)
    weights = face_weights(ground.positions, nodes, ground.triangles)
    at = weights @ x if patch.at is None else interface_place(patch.at, what)
    return Interface(at, nodes, patch.tie, weights)


def face_weights(positions: Array, nodes: Whole, triangles: Whole) -> Array:
    """Weights of the nodes of an interface, whose weighted mean is the centroid of its faces.

    A third of each triangle goes to each of its corners.  Nodes that are not made of faces alone
    have equal weights.

    `positions` (n, 3): nodes of the structure [m]; `triangles` (t, 3): surface of the structure;
    those count whose corners are all among the nodes.
    """
    chosen = np.zeros(len(positions), dtype=bool)
    chosen[nodes] = True
    within = triangles[chosen[triangles].all(axis=1)]
    a, b, c = (positions[within[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 6
    every: Array = np.asarray(
        np.bincount(within.ravel(), np.repeat(area, 3), len(positions)), dtype=float
    )
    share = every[nodes] if np.all(every[nodes] > 0) else np.ones(len(nodes))
    return share / share.sum()


def check_area(positions: Array, what: str) -> None:
    """Reject nodes on a line: translations of theirs do not hold all rotations.

    `positions` (n, 3): nodes of an interface [m].
    """
    n = len(positions)
    spread = positions - positions.mean(axis=0)
    extent = np.linalg.svd(spread, compute_uv=False) if n > 2 else np.zeros(3)
    if not extent[1] > _LINE * extent[0]:
        raise ModelError(
            f"{what} has {n} node{'s' * (n != 1)}, which do not span an area and so do not hold "
            "all rotations; choose at least three nodes that are not on a line"
        )


def node_numbers(values: Any, existing: Whole, what: str, lost: str) -> Whole:
    """Numbers of nodes as given, checked.

    `existing`: those that there are, ascending.
    """
    numbers = np.asarray(values)
    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise ModelError(
            f"{what} is {shown(values)}; give the name of a group, a function of positions, a "
            "region or a list of node numbers, whole numbers"
        )
    missing = np.setdiff1d(numbers, existing)
    if len(missing):
        raise ModelError(f"{what}: node {name_list(missing, show=str)} {lost}")
    return numbers.astype(np.intp)


def interface_place(value: Any, what: str) -> Array:
    """Position of an interface as given, checked.

    `value` (3,): [m].
    """
    try:
        position = reals(value)
    except (TypeError, ValueError):
        position = np.zeros(0)
    if position.shape != (3,) or not np.isfinite(position).all():
        raise ModelError(
            f"{what}: at is {shown(value)}; give three coordinates [m]: expected three finite "
            "numbers"
        )
    return position


def _chosen(where: Any, what: str, ground: Ground) -> NDArray[np.bool_]:
    if isinstance(where, str):
        if where not in ground.sets:
            raise ModelError(
                f"{what}: the mesh has no group {where!r}; a region or numbers of nodes do as "
                f"well; {suggestion(where, ground.sets)}"
            )
        chosen = _by_number(ground.sets[where], f"{what}: group {where!r}", ground)
    elif callable(where):
        chosen = nodes_within(where, ground.positions, what)
    else:
        chosen = _by_number(where, what, ground)
    if not np.any(chosen):
        low, high = ground.positions.min(axis=0), ground.positions.max(axis=0)
        raise ModelError(
            f"{what} contains no node; the mesh extends from ({_xyz(low)}) to ({_xyz(high)}) m"
        )
    return chosen


def nodes_within(region: Any, positions: Array, what: str) -> NDArray[np.bool_]:
    """Whether each node belongs to an interface that is given by a function of positions.

    `positions` (n, 3): nodes [m].
    """
    chosen = np.asarray(region(positions.copy()))
    if chosen.shape != (len(positions),) or chosen.dtype != bool:
        raise ModelError(
            f"{what}: its function returns {shown(chosen)}; expected True or False for each of "
            f"the {len(positions)} positions, such as x[:, 0] < 0.01"
        )
    return chosen


def _by_number(numbers: Any, what: str, ground: Ground) -> NDArray[np.bool_]:
    lost = (
        f"belongs to no element; nodes are counted from 0 to {ground.numbers[-1]} in the order of "
        "the file"
    )
    return np.isin(ground.numbers, node_numbers(numbers, ground.numbers, what, lost))


def _check_apart(interfaces: Mapping[str, Interface], ground: Ground) -> None:
    owner: dict[int, str] = {}
    for name, interface in interfaces.items():
        for node in interface.nodes:
            if node in owner:
                raise ModelError(
                    f"{ground.name}: interfaces {owner[node]!r} and {name!r} have node "
                    f"{ground.numbers[node]} in common; choose patches that are apart"
                )
            owner[int(node)] = name


def _xyz(x: Array) -> str:
    return ", ".join(f"{v:.4g}" for v in x)
