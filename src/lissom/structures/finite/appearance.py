"""Nodes that a reduced body shows and names, in front of its particles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...bodies.recovery import Recovery
from ...bodies.second_order import SecondOrder
from ...bodies.solids import Solid, Surface, Sweep

if TYPE_CHECKING:
    from .structure import Structure, SurfaceMesh

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Places:
    """Massless nodes of a body, and what is drawn on them.

    Attributes
    ----------
    positions, shapes : array (k, 3), array (k, 6, m)
        Interfaces, then named nodes, then those of the appearance.
    names : dict
        Of interfaces and nodes.
    number : dict
        Node of the body by node of the structure.
    solids : tuple of Solid
        Members of frames, swept; the surface.
    """

    positions: Array
    shapes: Array
    names: Mapping[str, int]
    number: Mapping[int, int]
    solids: tuple[Solid, ...]


def placed(
    structure: Structure, interfaces: tuple[str, ...], positions: Array, motion: Array, x: Array
) -> Places:
    """Nodes of a body.

    Parameters
    ----------
    structure : Structure
        With names and appearance.
    interfaces, positions, motion : tuple of str, array (k, 3), array (k, 6, m)
        The interfaces and their shapes.
    x : array (N, m)
        Shapes of the freedoms.
    """
    names = {name: k for k, name in enumerate(interfaces)}
    number = {
        int(np.atleast_1d(structure.interfaces[name].nodes)[0]): k
        for name, k in names.items()
        if structure.interfaces[name].tie == "node"
    }
    shown = [*structure.node_names.values(), *_shown(structure)]
    own = [node for node in dict.fromkeys(map(int, shown)) if node not in number]
    number |= {node: len(interfaces) + k for k, node in enumerate(own)}
    shapes = np.zeros((structure.n_node, 6, x.shape[1]))
    shapes[structure.freedoms[:, 0], structure.freedoms[:, 1]] = x
    names |= {name: number[int(node)] for name, node in structure.node_names.items()}
    return Places(
        np.vstack([positions, structure.positions[own]]),
        np.concatenate([motion, shapes[own]]),
        names,
        number,
        _solids(structure, number),
    )


def _shown(structure: Structure) -> list[int]:
    """Nodes of the appearance."""
    along = [int(node) for _, nodes in structure.lines for node in nodes]
    if structure.surface is None:
        return along
    return along + np.unique(structure.surface.triangles).tolist()


def _solids(structure: Structure, number: Mapping[int, int]) -> tuple[Solid, ...]:
    members = tuple(
        Sweep(profile.outline, [number[int(node)] for node in nodes], rotation=profile.axes)
        for profile, nodes in structure.lines
    )
    return members if structure.surface is None else (*members, _skin(structure.surface, number))


def _skin(surface: SurfaceMesh, number: Mapping[int, int]) -> Surface:
    nodes, corners = np.unique(surface.triangles, return_inverse=True)
    return Surface(corners.reshape(-1, 3), [number[int(node)] for node in nodes])


def seen_recovery(recovery: Recovery, nodes: Places) -> Recovery:
    """Recovery whose points lie on nodes of the body in the place of those of the structure."""
    points, stations = recovery.points, recovery.stations
    if points is not None:
        found = np.array([nodes.number.get(int(k), -1) for k in points.nodes], dtype=int)
        points = replace(points, nodes=found)
    if stations is not None and (balance := stations.balance) is not None:
        found = np.array([nodes.number[int(k)] for k in balance.nodes])
        stations = replace(stations, balance=replace(balance, nodes=found))
    return replace(recovery, points=points, stations=stations)


def seen_second_order(second: SecondOrder, structure: Structure, nodes: Places) -> SecondOrder:
    """Second order at nodes of the body in the place of interfaces and named nodes."""
    n = len(structure.interfaces)
    own = [nodes.number[int(node)] for node in structure.node_names.values()]
    found = dict(zip([*range(n), *own], second.node_shapes.values(), strict=True))
    return SecondOrder(second.first_moment, second.second_moment, found)
