"""Decks of CalculiX: mesh, sets, materials, and a list of what is not used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import ModelError, name_list, suggestion
from ....printing import Shown
from ....structures.materials import Material
from .elements import KINDS

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Cells(Shown):
    """Elements of one type.

    Attributes
    ----------
    kind : str
        Type in CalculiX, such as "C3D10".
    shape : str
        Name that meshio gives it, such as "tetra10".
    numbers : array (n,) of int
        Element numbers.
    nodes : array (n, k) of int
        Indices into the deck's nodes, numbered as meshio and VTK do.
    """

    kind: str
    shape: str
    numbers: Numbers
    nodes: Numbers


@dataclass(frozen=True)
class RigidTie:
    """Card ``*RIGID BODY``: numbers of its nodes of translation and of rotation, and its place."""

    reference: int
    rotation: int
    place: str


@dataclass(frozen=True, eq=False)
class Deck(Shown):
    """Content of a CalculiX deck in SI units.

    Attributes
    ----------
    path : str
    numbers : array (n,) of int
        Node numbers.
    positions : array (n, 3)
        Nodes [m].
    cells : tuple of Cells
        Elements by type.
    node_sets, element_sets : dict of arrays
        By name, upper case; indices of nodes, and element numbers.
    surfaces : dict of arrays
        By name, upper case; indices of the nodes of each.
    materials : dict of Material
        Isotropic ones with density, by name.
    sections : tuple
        (set of elements, material) of each ``*SOLID SECTION``.
    rigid : tuple of RigidTie
        Cards ``*RIGID BODY``.
    unused : tuple of str
        Content that is not used, such as ``line 80 *CLOAD``.
    """

    path: str
    numbers: Numbers
    positions: Array
    cells: tuple[Cells, ...]
    node_sets: dict[str, Numbers]
    element_sets: dict[str, Numbers]
    surfaces: dict[str, Numbers]
    materials: dict[str, Material]
    sections: tuple[tuple[str, str], ...]
    rigid: tuple[RigidTie, ...]
    unused: tuple[str, ...]

    @property
    def blocks(self) -> list[tuple[str, Numbers]]:
        """Shape and nodes of the elements by type, as `meshio.Mesh` takes them."""
        return [(one.shape, one.nodes) for one in self.cells]

    def solids(self) -> list[tuple[str, Numbers, Numbers, Material]]:
        """Shape, element numbers, nodes and material of the solid elements, by section and type.

        Raises
        ------
        ModelError
            If a solid element has no material, or a section names what is not there.
        """
        parts, left = [], {one.kind: set(one.numbers.tolist()) for one in self.cells}
        for elements, material in self.sections:
            if elements not in self.element_sets or material not in self.materials:
                what = f"*SOLID SECTION of set {elements} and material {material}"
                raise ModelError(f"{self.path}: {what}: one of them is not there or not complete")
            for one in self.cells:
                chosen = np.isin(one.numbers, self.element_sets[elements])
                if KINDS[one.kind].solid and chosen.any():
                    part = (
                        one.shape,
                        one.numbers[chosen],
                        one.nodes[chosen],
                        self.materials[material],
                    )
                    parts.append(part)
                    left[one.kind] -= set(one.numbers[chosen].tolist())
        bare = [x for kind, rest in left.items() if KINDS[kind].solid for x in rest]
        if bare:
            raise ModelError(f"{self.path}: element {min(bare)} has no *SOLID SECTION; add it")
        return parts

    def group(self, name: str) -> Numbers:
        """Numbers of the nodes of a node set or a surface.

        Parameters
        ----------
        name : str
            Upper or lower case.
        """
        for sets in (self.node_sets, self.surfaces):
            if name.upper() in sets:
                return self.numbers[sets[name.upper()]]
        hint = suggestion(name.upper(), [*self.node_sets, *self.surfaces])
        raise ModelError(f"{self.path}: there is no node set or surface {name!r}; {hint}")

    def facts(self) -> dict[str, str]:
        """Content in a few lines, as `lissom info` prints it."""
        kinds = (f"{len(one.numbers)} {one.kind}" for one in self.cells)
        x, y, z = np.ptp(self.positions, axis=0)
        return {
            "nodes": f"{len(self.numbers)} within {x:.4g} x {y:.4g} x {z:.4g}",
            "elements": name_list(kinds, show=str) or "none",
            "node sets": _counts(self.node_sets),
            "element sets": _counts(self.element_sets),
            "surfaces": _counts(self.surfaces),
            "materials": name_list(self.materials, show=str) or "none",
            "not used": name_list(self.unused, show=str, between="; ") or "nothing",
        }


def _counts(sets: dict[str, Numbers]) -> str:
    return name_list((f"{k} ({len(v)})" for k, v in sets.items()), show=str) or "none"
