"""Flexible bodies from Nastran: grids of bulk data, and matrices in DMIG or OUTPUT4 form."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from ....bodies import FlexibleBody
from ....errors import ModelError, name_list, shown, suggestion
from ....structures.finite import Structure
from ....structures.finite.external_stress_stiffness import checked_loads, given_geometry
from ....structures.finite.options import check_options
from ..assembling import NamedNodes, Numbers, check_free, check_named, in_house_order, interfaces_of
from ..text import path_text, read_bytes, refused
from ..units import units as unit_system, warn_of_units
from .bulk import Bulk, read_bulk
from .dmig import Label, Labelled
from .op4 import read_op4

_HELD = "the matrices are of another model, held (SPC), or in other units than the grids"
_UNSYMMETRIC = 1e-6  # of the largest entry


def read_nastran(
    path: str | os.PathLike[str],
    *,
    mass: Any,
    stiffness: Any,
    interfaces: Mapping[str, Any],
    freedoms: Sequence[tuple[int, int]] | None = None,
    stress_stiffness: Mapping[str, Any] | None = None,
    units: str | None = None,
    **reduction: Any,
) -> FlexibleBody:
    """Flexible body from Nastran bulk data and matrices of the free structure.

    Parameters
    ----------
    path : path
        Bulk data with the GRID cards and their coordinate systems.
    mass, stiffness : str, path or tuple
        Name of a DMIG matrix in the bulk data ("MAAX"), a punch file with one ("maa.pch"), an
        OUTPUT4 file ("maa.op4"), or file and name ("model.op4", "MAA") if there are several.
    interfaces : mapping
        Places where joints and loads attach, by name; the first is the inboard one.  Each is the
        number of a grid with six freedoms, a list of grids, a function of positions (n, 3) [m], or
        a mapping with "where" (one of these), "tie" ("rigid", the default, or "average") and "at"
        (position [m], by default the mean of the nodes).
    freedoms : sequence of (grid, component), optional
        Rows of OUTPUT4 matrices, which do not name theirs; components are 1 to 6.  Default: ASET
        and ASET1 cards, else six for each grid in ascending order.
    stress_stiffness : mapping, optional
        For level "stiffened": differential stiffness by load, such as {"spin z": "KDGG"}, given as
        mass and stiffness are; loads and their units (SI) are those of `from_matrices`.
    units : {"m-kg-s", "mm-t-s", "mm-kg-ms", "in-lbf-s"}
        Units of the files, which do not say theirs; by default SI, with a warning where the size of
        the body or its speed of sound speaks against it.
    **reduction
        Options of `Structure.reduce`: method, modes, frequency, damping and others.

    Returns
    -------
    FlexibleBody
        In SI units and basic axes; `body.source` is the whole model.

    Raises
    ------
    ModelFileError
        If a file is damaged or the files do not belong together; with file and line.
    ModelError
        If an interface or an option does not fit.
    """
    name, stiffens = os.path.basename(path_text(path)), stress_stiffness is not None
    check_options(name, reduction, has_second_order=stiffens)
    structure = read_structure(path, mass, stiffness, interfaces, freedoms, units, stress_stiffness)
    return structure.reduce(**reduction)


def read_structure(
    path: str | os.PathLike[str],
    mass: Any,
    stiffness: Any,
    interfaces: Mapping[str, Any],
    freedoms: Sequence[tuple[int, int]] | None = None,
    units: str | None = None,
    stress_stiffness: Mapping[str, Any] | None = None,
) -> Structure:
    """Unreduced model; parameters as for `read_nastran`."""
    bulk = read_bulk(path, units=units)
    check_named(interfaces, NamedNodes(bulk.path, bulk.numbers, bulk.positions))
    loads = {} if stress_stiffness is None else checked_loads(stress_stiffness, bulk.path)
    sources = {"mass": mass, "stiffness": stiffness}
    sources |= {f"stress stiffness of {load!r}": x for load, x in loads.items()}
    read = cache(read_op4)  # one file may have several
    parts = [_labelled(bulk, what, x, freedoms, read) for what, x in sources.items()]
    labels, matrices = _together(bulk, parts)
    used, rows = _freedoms(bulk, labels)
    turn = _turned(bulk, labels)
    basic_mass, *basic = (turn @ x @ turn.T for x in matrices)
    house, of_mass, (of_stiffness, *of_loads) = in_house_order(
        rows, basic_mass, basic, unit_system(units)
    )
    mesh = NamedNodes(bulk.path, bulk.numbers[used], bulk.positions[used])
    check_free(mesh, house, of_mass, of_stiffness, _HELD)
    ends = interfaces_of(interfaces, mesh, house)
    stressed = dict(zip(loads, of_loads, strict=True))
    structure = Structure(
        os.path.basename(bulk.path),
        mesh.positions,
        house,
        of_mass,
        of_stiffness,
        ends,
        geometry=given_geometry(stressed, tuple(ends), bulk.path) if stressed else None,
        numbers=mesh.numbers,
    )
    warn_of_units(structure, units)
    return structure


def _labelled(
    bulk: Bulk, what: str, spec: Any, freedoms: Any, read: Callable[[str], Mapping[str, Any]]
) -> Labelled:
    """Matrix with the names of its rows, from where the user says."""
    if isinstance(spec, str) and spec.upper() in bulk.matrices:
        return bulk.matrices[spec.upper()]
    file, name = spec if isinstance(spec, tuple) and len(spec) == 2 else (spec, "")
    if not isinstance(file, (str, os.PathLike)) or not isinstance(name, str):
        raise ModelError(
            f"{what} is {shown(spec)}; expected the name of a DMIG matrix, a file, or (file, name)"
        )
    path = path_text(file)
    if not os.path.exists(path) and not os.path.splitext(path)[1]:
        hint = suggestion(path, bulk.matrices)
        raise ModelError(f"{what}: {bulk.path} has no DMIG matrix {path!r}; {hint}")
    if _is_op4(path):
        matrix = _named(path, what, name, read(path))
        return Labelled(_rows(bulk, path, matrix.shape, freedoms), matrix, path)
    return _named(path, what, name, read_bulk(path).matrices)


def _is_op4(path: str) -> bool:
    """OUTPUT4 files are binary, or begin with a header of numbers."""
    start = read_bytes(path, 80)
    return b"\0" in start or start[:8].strip().isdigit()


def _named(path: str, what: str, name: str, matrices: Mapping[str, Any]) -> Any:
    if not matrices:
        raise refused(path, f"no matrix for the {what}; expected DMIG cards or OUTPUT4")
    if name.upper() in matrices:
        return matrices[name.upper()]
    if name or len(matrices) > 1:
        problem = f"there is no matrix {name!r}" if name else f"there are {len(matrices)} matrices"
        raise refused(path, f"{what}: {problem}; give (file, name), known: {name_list(matrices)}")
    return next(iter(matrices.values()))


def _rows(bulk: Bulk, path: str, shape: tuple[int, int], freedoms: Any) -> tuple[Label, ...]:
    """Grid and component of the rows of an OUTPUT4 matrix."""
    if freedoms is None:
        rows = bulk.analysis_set or tuple((int(g), c) for g in bulk.numbers for c in range(1, 7))
        source = "ASET cards" if bulk.analysis_set else f"{len(bulk.numbers)} grids of six freedoms"
    else:
        rows, source = _checked(freedoms), "freedoms"
    if shape != (len(rows), len(rows)):
        raise refused(
            path,
            f"a matrix of {shape[0]} x {shape[1]}; {source} in {bulk.path} make {len(rows)} rows: "
            "the files do not belong together, or give freedoms=[(grid, component), ...]",
        )
    return rows


def _checked(freedoms: Any) -> tuple[Label, ...]:
    try:
        pairs = tuple((int(grid), int(component)) for grid, component in freedoms)
    except (TypeError, ValueError, OverflowError):
        pairs = ()
    if not pairs or any(not 1 <= c <= 6 for _, c in pairs) or len(set(pairs)) < len(pairs):
        raise ModelError(
            f"freedoms are {shown(freedoms)}; expected different (grid, component) with "
            "components 1 to 6"
        )
    return pairs


def _together(bulk: Bulk, parts: list[Labelled]) -> tuple[list[Label], list[Any]]:
    """Both matrices on the rows in which either has entries."""
    labels = sorted({label for part in parts for label in part.rows})
    index = {label: k for k, label in enumerate(labels)}
    full = []
    for part in parts:
        place = np.array([index[label] for label in part.rows])
        entries = sparse.coo_array(part.matrix)
        i, j = place[entries.row], place[entries.col]
        matrix = sparse.csc_array((entries.data, (i, j)), shape=(len(labels), len(labels)))
        full.append(_symmetric(part, matrix))
    used = np.flatnonzero(sum(abs(x).sum(axis=0) for x in full))
    if not len(used):
        raise ModelError(
            f"{bulk.path}: mass and stiffness are zero; expected matrices with entries"
        )
    return [labels[k] for k in used], [x[used][:, used] for x in full]


def _symmetric(part: Labelled, matrix: Any) -> Any:
    """Matrix without its rounding errors; others are refused."""
    if np.iscomplexobj(matrix.data):
        raise ModelError(f"the matrix of {part.place} is complex; expected real numbers")
    off = abs(matrix - matrix.T).max() if matrix.nnz else 0.0
    if off > _UNSYMMETRIC * abs(matrix).max():
        raise ModelError(
            f"the matrix of {part.place} is not symmetric, by {off:.2g}; expected a mass or "
            "stiffness matrix of a structure"
        )
    return (matrix + matrix.T) / 2


def _freedoms(bulk: Bulk, labels: list[Label]) -> tuple[Numbers, Numbers]:
    """Indices of the grids that have freedoms; and node and direction of the rows."""
    grids, component = np.array(labels).T
    is_grid = np.isin(grids, bulk.numbers) & (component > 0)
    if not is_grid.all():
        grid, one = labels[int(np.argmin(is_grid))]
        what = f"scalar point {grid}" if one == 0 else f"grid {grid}"
        raise ModelError(
            f"{bulk.path}: the matrices have rows of {what}, which is no GRID there; give the bulk "
            "data of the same model, with matrices of grids alone"
        )
    used, node = np.unique(np.searchsorted(bulk.numbers, grids), return_inverse=True)
    direction = np.where(component <= 3, component + 2, component - 4)
    return used, np.stack([node.ravel(), direction], axis=1)


def _turned(bulk: Bulk, labels: list[Label]) -> Any:
    """Matrix from freedoms along the axes CD of the grids to freedoms along basic axes."""
    if np.array_equal(bulk.axes, np.broadcast_to(np.eye(3), bulk.axes.shape)):
        return sparse.eye_array(len(labels), format="csc")
    index = {label: k for k, label in enumerate(labels)}
    i, j, value = [], [], []
    for k, (grid, component) in enumerate(labels):
        axes = bulk.axes[np.searchsorted(bulk.numbers, grid)]
        first = 1 if component <= 3 else 4
        direction = axes[:, component - first]
        for axis in range(3):
            if abs(direction[axis]) < 1e-15:
                continue
            row = index.get((grid, first + axis))
            if row is None:
                raise ModelError(
                    f"{bulk.path}: grid {grid} has freedoms along turned axes (CD), but not all "
                    "three; write the matrices with all, or with CD 0"
                )
            i.append(row)
            j.append(k)
            value.append(direction[axis])
    return sparse.csc_array((value, (i, j)), shape=(len(labels), len(labels)))
