"""Bodies from meshes of solids."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import FlexibleBody
from ...errors import ModelError, ModelWarning, name_list, shown
from ...structures._checks import positive
from ...structures.finite.options import check_options
from ...structures.finite.solid.elements import Block
from ...structures.finite.solid.kinds import KINDS
from ...structures.finite.solid.structure import solid_structure
from ...structures.finite.structure import Structure
from ...structures.materials import Material
from .mesh_files import file_name, read_mesh
from .mesh_groups import Groups, groups_of
from .mesh_numbers import file_numbers
from .units import unlikely_size

Whole = NDArray[np.int64]

_FLAT = ("vertex", "line", "triangle", "quad", "polygon")  # cells without volume


def from_mesh(
    mesh: Any, material: Any, interfaces: Any, *, scale: float = 1.0, **reduction: Any
) -> FlexibleBody:
    """Flexible body of a mesh of solid elements.

    Tetrahedra of 4 and 10 nodes, hexahedra of 8, 20 and 27, wedges of 6.  Needs the packages
    scikit-fem and meshio: ``pip install "lissom[fe]"``.

    Parameters
    ----------
    mesh : path or meshio.Mesh
        File of Gmsh (.msh), Abaqus (.inp), VTK (.vtk, .vtu), Nastran (.bdf, .nas), Medit (.mesh)
        or Salome (.med); or a mesh of meshio, which reads other formats, too.
    material : Material or dict of Material
        One for all elements, or those of the groups by name.
    interfaces : dict
        Where joints, loads and other bodies are attached, by name: a `Patch`, or the name of a
        group, a function of positions, a region or numbers of nodes, counted from 0 in the order of
        the file.  The first is the inboard one.
    scale : float
        Metres of a unit of length of the mesh: 1e-3 for millimetres.
    **reduction
        Options of `Structure.reduce`, such as ``modes=8``.

    Returns
    -------
    FlexibleBody
        With one node for each interface, stresses, and the surface for pictures; ``body.source``
        is the structure before its reduction.  Labels of stresses have the numbers of nodes and
        elements that the file gives them; where it gives none, they count from 0.

    Raises
    ------
    ModelFileError
        If the file cannot be read.
    ModelError
        If elements, materials or interfaces are not acceptable.
    """
    check_options(_name(mesh), reduction, has_second_order=True)
    body: FlexibleBody = mesh_structure(mesh, material, interfaces, scale=scale).reduce(**reduction)
    return body


def mesh_structure(mesh: Any, material: Any, interfaces: Any, *, scale: float = 1.0) -> Structure:
    """Structure of a mesh before its reduction; parameters as for `from_mesh`."""
    name = _name(mesh)
    scale = positive(scale, f"{name}: scale")
    source = mesh
    if isinstance(source, (str, os.PathLike)):
        mesh = read_mesh(source)
    points = np.asarray(mesh.points, dtype=float)
    if not points.size:
        raise ModelError(f"{name}: the mesh has no node; was it written to the end?")
    if points.ndim != 2 or points.shape[1] != 3:
        raise ModelError(
            f"{name}: its nodes have shape {points.shape}; a solid needs three coordinates each"
        )
    groups = groups_of(mesh)
    nodes, elements = file_numbers(source, mesh)
    blocks = _blocks(mesh, material, groups, name, elements)
    structure = solid_structure(name, scale * points, blocks, interfaces, groups.nodes, nodes)
    if size := unlikely_size(structure.positions):
        unit = "in millimetres, give scale=1e-3" if size > 1 else "in metres, leave scale out"
        message = f"{name}: the body is {size:.4g} m long; if the mesh is {unit}"
        warnings.warn(message, ModelWarning, stacklevel=3)
    return structure


def _name(mesh: Any) -> str:
    if isinstance(mesh, (str, os.PathLike)):
        return file_name(mesh)
    if all(hasattr(mesh, part) for part in ("points", "cells", "cell_data")):
        return "mesh"
    raise ModelError(
        f"from_mesh: mesh is {shown(mesh)}; give a path such as 'bracket.msh' or a meshio.Mesh"
    )


def _blocks(mesh: Any, material: Any, groups: Groups, name: str, elements: Whole) -> list[Block]:
    """Solid elements by kind and material; flat cells serve groups alone."""
    found, start = [], 0
    for k, cells in enumerate(mesh.cells):
        numbers, start = elements[start : start + len(cells.data)], start + len(cells.data)
        if cells.type.startswith(_FLAT):
            continue
        if cells.type not in KINDS:
            raise ModelError(
                f"{name}: elements of kind {cells.type!r} are not supported; use "
                f"{name_list(KINDS, show=str)}"
            )
        data = np.asarray(cells.data, dtype=np.int64).reshape(-1, KINDS[cells.type].n_node)
        for one, chosen in _materials(material, groups, k, numbers, name):
            found.append(Block(KINDS[cells.type], data[chosen], one, numbers[chosen]))
    return found


def _materials(
    material: Any, groups: Groups, k: int, numbers: Whole, name: str
) -> list[tuple[Material, NDArray[np.bool_]]]:
    """Each material with the elements of block k that have it."""
    everything = np.ones(len(numbers), dtype=bool)
    if isinstance(material, Material):
        return [(material, everything)]
    if not isinstance(material, Mapping) or not material:
        raise ModelError(
            f"{name}: material is {shown(material)}; give a Material, or one for each group by name"
        )
    found, owner = [], np.full(len(numbers), -1)
    for i, (group, own) in enumerate(material.items()):
        if not isinstance(own, Material):
            raise ModelError(
                f"{name}: the material of group {group!r} is {shown(own)}; expected a Material"
            )
        chosen = groups.cells_in(group, k, len(numbers), name)
        twice = np.flatnonzero(chosen & (owner >= 0))
        if len(twice):
            other = list(material)[owner[twice[0]]]
            raise ModelError(
                f"{name}: element {numbers[twice[0]]} is in the groups {other!r} and {group!r}, "
                "both of which have a material; give each element one"
            )
        owner[chosen] = i
        found.append((own, chosen))
    bare = np.flatnonzero(owner < 0)
    if len(bare):
        raise ModelError(
            f"{name}: element {numbers[bare[0]]} has no material ({len(bare)} elements are in none "
            f"of the groups {name_list(material)}); give one for every group of solids"
        )
    return [(own, chosen) for own, chosen in found if np.any(chosen)]
