"""Named groups of a mesh: physical groups of Gmsh, node and element sets of other formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, suggestion

Whole = NDArray[np.int64]

_TAGS = ("gmsh:physical", "cell_tags", "medit:ref", "nastran:ref")  # whole numbers of cells


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of a mesh.

    Attributes
    ----------
    nodes : dict
        Numbers of the nodes of each group, also of those of its cells.
    cells : dict
        For each group of cells, numbers of its cells within each block.
    """

    nodes: Mapping[str, Whole]
    cells: Mapping[str, Mapping[int, Whole]]

    def cells_in(self, group: Any, k: int, count: int, name: str) -> NDArray[np.bool_]:
        """Which of the `count` cells of block k belong to a group; `name` is that of the mesh."""
        if group not in self.cells:
            hint = suggestion(str(group), self.cells)
            raise ModelError(f"{name}: the mesh has no group of elements {group!r}; {hint}")
        chosen = np.zeros(count, dtype=bool)
        chosen[self.cells[group].get(k, np.zeros(0, dtype=int))] = True
        return chosen


def groups_of(mesh: Any) -> Groups:
    """Groups of a mesh of meshio.

    Parameters
    ----------
    mesh : meshio.Mesh
        Physical groups without a name are called by their number.
    """
    cells: dict[str, dict[int, Whole]] = {}
    for name, parts in _cell_sets(mesh):
        own = cells.setdefault(name, {})
        for k, part in enumerate(parts):
            if part is not None and len(part):
                own[k] = np.unique(np.asarray(part, dtype=np.int64))
    nodes = {
        name: np.unique(
            np.concatenate([mesh.cells[k].data[part].ravel() for k, part in own.items()])
        )
        for name, own in cells.items()
        if own
    }
    for name, part in (getattr(mesh, "point_sets", None) or {}).items():
        nodes[str(name)] = np.unique(np.asarray(part, dtype=np.int64))
    return Groups(nodes, cells)


def _cell_sets(mesh: Any) -> list[tuple[str, list[Any]]]:
    """Name and cells in each block of all groups."""
    found = [
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
                np.flatnonzero(tag == t) if own == d else None
                for tag, own in zip(tags, dims, strict=True)
            ]
            found.append((names.get((t, d), str(t)), parts))
        break
    return found


def _fields(mesh: Any) -> Any:
    """What meshio calls field data: of Gmsh tag and dimension of named groups, elsewhere others."""
    return (mesh.field_data or {}).items()


def _dimension(kind: str) -> int:
    if kind.startswith("vertex"):
        return 0
    if kind.startswith("line"):
        return 1
    return 2 if kind.startswith(("triangle", "quad", "polygon")) else 3
