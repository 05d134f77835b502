"""Bodies from meshes of solids."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...bodies import FlexibleBody
from ...errors import (
    ModelError,
    ModelFileError,
    ModelWarning,
    name_list,
    printable,
    shown,
    suggestion,
)
from ...structures._checks import positive
from ...structures.finite.options import check_options
from ...structures.finite.solid.elements import ElementBlock
from ...structures.finite.solid.kinds import KINDS
from ...structures.finite.solid.structure import solid_structure
from ...structures.finite.structure import Structure
from ...structures.materials import Material
from .gmsh_sizes import check_sizes
from .mesh_numbers import file_numbers
from .units import unlikely_size

_TAGS = ("gmsh:physical", "cell_tags", "medit:ref", "nastran:ref")  # whole numbers of cells


@dataclass(frozen=True, eq=False)
class MeshGroups:
    """Groups of a mesh."""

    nodes: Mapping[str, Whole]  # numbers of the nodes of each group, also of those of its cells
    # for each group of cells, numbers of its cells within each block
    cells: Mapping[str, Mapping[int, Whole]]

    def cells_in(self, group: Any, k: int, count: int, name: str) -> NDArray[np.bool_]:
        """Which of the `count` cells of block k belong to a group; `name` is that of the mesh."""
        if group not in self.cells:
            hint = suggestion(str(group), self.cells)
            raise ModelError(f"{name}: the mesh has no group of elements {group!r}; {hint}")
        chosen = np.zeros(count, dtype=bool)
        chosen[self.cells[group].get(k, np.zeros(0, dtype=int))] = True
        return chosen


def groups_of(mesh: Any) -> MeshGroups:
    """Groups of a mesh of meshio."""
    cells: dict[str, dict[int, Whole]] = {}
    for name, parts in _cell_sets(mesh):
        by_block = cells.setdefault(name, {})
        for k, part in enumerate(parts):
            if part is not None and len(part):
                by_block[k] = np.unique(np.asarray(part, dtype=np.int64))
    nodes = {
        name: np.unique(
            np.concatenate([mesh.cells[k].data[part].ravel() for k, part in by_block.items()])
        )
        for name, by_block in cells.items()
        if by_block
    }
    for name, part in (getattr(mesh, "point_sets", None) or {}).items():
        nodes[str(name)] = np.unique(np.asarray(part, dtype=np.int64))
    return MeshGroups(nodes, cells)


def _cell_sets(mesh: Any) -> list[tuple[str, list[Any]]]:
    """Name and cells in each block of all groups."""
    sets = [
        (str(name), list(parts))
        for name, parts in (getattr(mesh, "cell_sets", None) or {}).items()
        if not str(name).startswith("gmsh:")
    ]
    for key in _TAGS:
        tags = mesh.cell_data.get(key)
        if tags is None:
            continue
        tags = [np.asarray(tag).ravel() for tag in tags]
        dims = [_dimension(block.type) for block in mesh.cells]
        fields = {n: np.asarray(v, dtype=object).ravel()[:2] for n, v in _fields(mesh)}
        names = {
            tuple(map(int, v)): str(n)
            for n, v in fields.items()
            if len(v) == 2 and all(isinstance(x, (int, np.integer)) for x in v)
        }
        pairs = {(int(t), d) for tag, d in zip(tags, dims, strict=True) for t in np.unique(tag)}
        for t, d in sorted(pairs):
            parts = [
                np.flatnonzero(tag == t) if dimension == d else None
                for tag, dimension in zip(tags, dims, strict=True)
            ]
            sets.append((names.get((t, d), str(t)), parts))
        break
    return sets


def _fields(mesh: Any) -> Any:
    """What meshio calls field data: of Gmsh tag and dimension of named groups, elsewhere others."""
    return (mesh.field_data or {}).items()


def _dimension(kind: str) -> int:
    if kind.startswith("vertex"):
        return 0
    if kind.startswith("line"):
        return 1
    return 2 if kind.startswith(("triangle", "quad", "polygon")) else 3


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


def _blocks(
    mesh: Any, material: Any, groups: MeshGroups, name: str, elements: Whole
) -> list[ElementBlock]:
    """Solid elements by kind and material; flat cells serve groups alone."""
    blocks, start = [], 0
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
            blocks.append(ElementBlock(KINDS[cells.type], data[chosen], one, numbers[chosen]))
    return blocks


def _materials(
    material: Any, groups: MeshGroups, k: int, numbers: Whole, name: str
) -> list[tuple[Material, NDArray[np.bool_]]]:
    """Each material with the elements of block k that have it."""
    everything = np.ones(len(numbers), dtype=bool)
    if isinstance(material, Material):
        return [(material, everything)]
    if not isinstance(material, Mapping) or not material:
        raise ModelError(
            f"{name}: material is {shown(material)}; give a Material, or one for each group by name"
        )
    pairs, owner = [], np.full(len(numbers), -1)
    for i, (group, value) in enumerate(material.items()):
        if not isinstance(value, Material):
            raise ModelError(
                f"{name}: the material of group {group!r} is {shown(value)}; expected a Material"
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
        pairs.append((value, chosen))
    bare = np.flatnonzero(owner < 0)
    if len(bare):
        raise ModelError(
            f"{name}: element {numbers[bare[0]]} has no material ({len(bare)} elements are in none "
            f"of the groups {name_list(material)}); give one for every group of solids"
        )
    return [(value, chosen) for value, chosen in pairs if np.any(chosen)]


# Mesh files, read by meshio.
#
# One of its readers (Fluent's .msh) never returns from a file that is cut off, and `meshio.read`
# ends the program where it fails; so its readers are called directly, those that are known to end.

_MOST = 2_000_000_000  # bytes


def read_mesh(path: str | os.PathLike[str]) -> Any:
    """Mesh of a file, as meshio has it."""
    try:
        import meshio  # noqa: F401
    except ImportError as error:
        raise ModelError(
            "mesh files are read by the package meshio, which is not installed; install it with: "
            'pip install "lissom[fe]"'
        ) from error
    name = file_name(path)
    _check_file(path, name)
    title, module = _format(path, name)
    output = io.StringIO()
    try:
        if title == "Gmsh":
            check_sizes(path)
        with _quiet(output):
            return importlib.import_module(f"meshio.{module}").read(os.fspath(path))
    except (Exception, SystemExit) as error:
        text = (str(error) or output.getvalue()).strip().splitlines() or [type(error).__name__]
        raise ModelFileError(
            f"{name}: it cannot be read as a file of {title} ({printable(text[0])}); the file is "
            "damaged, or its suffix is not that of its format"
        ) from None


def file_name(path: Any) -> str:
    """Name of a file in messages."""
    return os.path.basename(os.fspath(path)) or shown(path)


@contextlib.contextmanager
def _quiet(output: io.StringIO) -> Any:
    """What a reader prints goes to `output`; its warnings go nowhere: errors say more."""
    with (
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(output),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


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


# Format by suffix, and the module of meshio that reads it
FORMATS = {
    ".msh": ("Gmsh", "gmsh.main"),
    ".inp": ("Abaqus", "abaqus._abaqus"),
    ".vtk": ("VTK", "vtk._main"),
    ".vtu": ("VTK", "vtu._vtu"),
    ".bdf": ("Nastran", "nastran._nastran"),
    ".nas": ("Nastran", "nastran._nastran"),
    ".mesh": ("Medit", "medit._medit"),
    ".med": ("Salome", "med._med"),
}


def _format(path: str | os.PathLike[str], name: str) -> tuple[str, str]:
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in FORMATS:
        raise ModelFileError(
            f"{name}: the suffix {suffix!r} is not that of a known mesh format; give "
            f"{', '.join(FORMATS)}, or read it yourself and give the mesh: meshio.read(path)"
        )
    with open(path, "rb") as file:
        start = file.read(100).lstrip()
    if suffix == ".msh" and not start.startswith(b"$"):
        raise ModelFileError(
            f"{name}: it is no mesh of Gmsh, which begins with $MeshFormat; save it as Gmsh does, "
            "or read it yourself and give the mesh: meshio.read(path)"
        )
    return FORMATS[suffix]
