"""Bodies from meshes of solids, in any format that meshio reads."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import FlexibleBody
from ...errors import ModelError, ModelFileError, name_list, shown
from ...structures._checks import positive
from ...structures.finite.solid.elements import Block
from ...structures.finite.solid.kinds import KINDS
from ...structures.finite.solid.structure import solid_structure
from ...structures.finite.structure import Structure
from ...structures.materials import Material
from .mesh_groups import Groups, groups_of

Whole = NDArray[np.int64]

_FLAT = ("vertex", "line", "triangle", "quad", "polygon")  # cells without volume
_MOST = 2_000_000_000  # bytes


def from_mesh(
    mesh: Any, material: Any, interfaces: Any, *, scale: float = 1.0, **reduction: Any
) -> FlexibleBody:
    """Flexible body of a mesh of solid elements.

    Tetrahedra of 4 and 10 nodes, hexahedra of 8, 20 and 27, wedges of 6.  Needs the packages
    scikit-fem and meshio: ``pip install "lissom[fe]"``.

    Parameters
    ----------
    mesh : path or meshio.Mesh
        File of Gmsh, Abaqus, VTK, MED, Exodus, Nastran or another format that meshio reads; or a
        mesh of meshio.
    material : Material or dict of Material
        One for all elements, or those of the groups by name.
    interfaces : dict
        Where joints, loads and other bodies are attached, by name: a `Patch`, or the name of a
        group, a function of positions, a region or numbers of nodes.  The first is the inboard one.
    scale : float
        Metres of a unit of length of the mesh: 1e-3 for millimetres.
    **reduction
        Options of `Structure.reduce`, such as ``modes=8``.

    Returns
    -------
    FlexibleBody
        With one node for each interface, stresses, and the surface for pictures; ``body.source``
        is the structure before its reduction.

    Raises
    ------
    ModelFileError
        If the file cannot be read.
    ModelError
        If elements, materials or interfaces are not acceptable.
    """
    body: FlexibleBody = mesh_structure(mesh, material, interfaces, scale=scale).reduce(**reduction)
    return body


def mesh_structure(mesh: Any, material: Any, interfaces: Any, *, scale: float = 1.0) -> Structure:
    """Structure of a mesh before its reduction; parameters as for `from_mesh`."""
    name = _name(mesh)
    scale = positive(scale, f"{name}: scale")
    if isinstance(mesh, (str, os.PathLike)):
        mesh = _read(mesh, name)
    points = np.asarray(mesh.points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ModelError(
            f"{name}: its nodes have shape {points.shape}; a solid needs three coordinates each"
        )
    groups = groups_of(mesh)
    blocks = _blocks(mesh, material, groups, name)
    return solid_structure(name, scale * points, blocks, interfaces, groups.nodes)


def _name(mesh: Any) -> str:
    if isinstance(mesh, (str, os.PathLike)):
        return os.path.basename(os.fspath(mesh)) or shown(mesh)
    if all(hasattr(mesh, part) for part in ("points", "cells", "cell_data")):
        return "mesh"
    raise ModelError(
        f"from_mesh: mesh is {shown(mesh)}; give a path such as 'bracket.msh' or a meshio.Mesh"
    )


def _read(path: str | os.PathLike[str], name: str) -> Any:
    """Mesh of a file; whatever a reader stumbles over becomes a ModelFileError."""
    try:
        import meshio
        from meshio._helpers import reader_map
    except ImportError as error:
        raise ModelError(
            "from_mesh reads files by the package meshio, which is not installed; install it "
            'with: pip install "lissom[fe]"'
        ) from error
    _check_file(path, name)
    formats = _formats(meshio, name)
    problems = []
    for kind in formats:
        said = io.StringIO()
        try:
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                return reader_map[kind](os.fspath(path))
        except (Exception, SystemExit) as error:
            text = (str(error) or said.getvalue()).strip().splitlines() or [type(error).__name__]
            problems.append(f"{kind}: {text[0]}")
    raise ModelFileError(
        f"{name}: it cannot be read as {' or '.join(formats)} ({'; '.join(problems)}); the file is "
        "damaged, or its suffix is not that of its format"
    )


def _check_file(path: str | os.PathLike[str], name: str) -> None:
    try:
        size = os.stat(path).st_size
    except OSError as error:
        raise ModelFileError(f"{name}: {error.strerror}: {os.fspath(path)}") from None
    if not os.path.isfile(path):
        raise ModelFileError(f"{name}: not a regular file; give a mesh such as 'bracket.msh'")
    if not size:
        raise ModelFileError(f"{name}: the file is empty (0 bytes); write the mesh again")
    if size > _MOST:
        raise ModelFileError(f"{name}: the file has {size / 1e9:.3g} GB; meshes may have 2 GB")


def _formats(meshio: Any, name: str) -> list[str]:
    known = meshio.extension_to_filetypes
    suffix = os.path.splitext(name)[1].lower()
    readable = [kind for kind in known.get(suffix, ()) if kind in meshio._helpers.reader_map]
    if not readable:
        common = ".msh, .inp, .vtk, .vtu, .med, .e, .bdf"
        raise ModelFileError(
            f"{name}: the suffix {suffix!r} is not that of a mesh format; known are {common} and "
            "others of meshio"
        )
    return readable


def _blocks(mesh: Any, material: Any, groups: Groups, name: str) -> list[Block]:
    """Solid elements by kind and material; flat cells serve groups alone."""
    found, start = [], 0
    for k, cells in enumerate(mesh.cells):
        if cells.type.startswith(_FLAT):
            continue
        if cells.type not in KINDS:
            raise ModelError(
                f"{name}: elements of kind {cells.type!r} are not supported; use "
                f"{name_list(KINDS, show=str)}"
            )
        data = np.asarray(cells.data, dtype=np.int64).reshape(-1, KINDS[cells.type].n_node)
        numbers = start + np.arange(len(data))
        start += len(data)
        for own, chosen in _materials(material, groups, k, numbers, name):
            found.append(Block(KINDS[cells.type], data[chosen], own, numbers[chosen]))
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
