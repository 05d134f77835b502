"""Structure of a mesh of solid elements."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....errors import ModelError, ModelWarning, name_list
from ..assembly import equal_freedoms
from ..patches import Ground, interfaces_of
from ..structure import Structure, SurfaceMesh
from .boundary import surface_triangles
from .checks import check_connected, check_elements
from .display import coarser
from .elements import Block, assembled
from .geometry import SolidGeometry
from .stresses import SolidRecovery

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_STIFF = {"tetra": "tetra10", "hexahedron": "hexahedron20", "wedge": "hexahedron20 or tetra10"}


def solid_structure(
    name: str,
    positions: Array,
    blocks: Sequence[Block],
    interfaces: Any,
    sets: Mapping[str, Whole] | None = None,
    labels: Whole | None = None,
) -> Structure:
    """Structure of solid elements, with three freedoms a node.

    Nodes without element are left out; the numbers of the others in interfaces and sets stay those
    given.

    Parameters
    ----------
    name : str
        Name of the mesh, for messages.
    positions : array (n, 3)
        Nodes [m].
    blocks : sequence of Block
        Elements.
    interfaces : dict
        A `Patch` or what its `where` accepts, by name; the first is the inboard one.
    sets : mapping, optional
        Numbers of nodes of named groups.
    labels : array (n,) of int, optional
        Numbers of the nodes in the labels of stresses, where they are others.

    Raises
    ------
    ModelError
        If the mesh is empty, has inverted elements, nodes in another order or loose parts; or an
        interface is not acceptable.
    """
    numbers, positions, blocks = _used(name, positions, blocks)
    check_elements(positions, blocks, name)
    check_connected(positions, blocks, name)
    triangles = surface_triangles(blocks, name)
    ground = Ground(name, positions, numbers, sets or {}, triangles)
    found = interfaces_of(interfaces, ground)
    _warn(name, blocks)
    mass, stiffness = assembled(positions, blocks)
    names = numbers if labels is None else labels[numbers]
    return Structure(
        name=name,
        positions=positions,
        freedoms=equal_freedoms(len(positions), (3, 4, 5)),
        mass=mass,
        stiffness=stiffness,
        interfaces=found,
        recovery=SolidRecovery(positions, blocks, np.unique(triangles), names),
        surface=SurfaceMesh(coarser(positions, triangles)),
        geometry=SolidGeometry(positions, blocks),
        numbers=names,
    )


def _used(
    name: str, positions: Array, blocks: Sequence[Block]
) -> tuple[Whole, Array, tuple[Block, ...]]:
    """Numbers and positions of the nodes that elements have, and elements between these."""
    if not sum(len(b.cells) for b in blocks):
        raise ModelError(
            f"{name}: the mesh has no solid element; a body needs tetrahedra, hexahedra or wedges"
        )
    for b in blocks:
        outside = np.flatnonzero(np.any((b.cells < 0) | (b.cells >= len(positions)), axis=1))
        if len(outside):
            raise ModelError(
                f"{name}: {b.title(outside[0])} refers to nodes {b.cells[outside[0]].tolist()}; "
                f"the mesh has nodes 0 to {len(positions) - 1}"
            )
        if b.material.poisson_ratio >= 0.5:
            raise ModelError(
                f"{name}: {b.material.label} has poisson_ratio 0.5, which no "
                "displacement element can deform; give 0.49 at most"
            )
    numbers = np.unique(np.concatenate([b.cells.ravel() for b in blocks]))
    bad = numbers[~np.isfinite(positions[numbers]).all(axis=1)]
    if len(bad):
        raise ModelError(
            f"{name}: node {bad[0]} is at {positions[bad[0]].tolist()}; positions must be finite"
        )
    own = np.full(len(positions), -1)
    own[numbers] = np.arange(len(numbers))
    loose = np.flatnonzero(own < 0)
    if len(loose):
        warnings.warn(
            f"{name}: {len(loose)} of {len(positions)} nodes belong to no solid element and are "
            f"left out: {name_list(loose, show=str)}",
            ModelWarning,
            stacklevel=5,
        )
    blocks = tuple(dataclasses.replace(b, cells=own[b.cells]) for b in blocks if len(b.cells))
    return numbers, positions[numbers], blocks


def _warn(name: str, blocks: Sequence[Block]) -> None:
    """Elements that are too stiff."""
    for kind in dict.fromkeys(b.kind.name for b in blocks if b.kind.name in _STIFF):
        warnings.warn(
            f"{name}: elements of kind {kind} are too stiff in bending, often by a factor of two: "
            f"make the mesh of second order ({_STIFF[kind]})",
            ModelWarning,
            stacklevel=5,
        )
