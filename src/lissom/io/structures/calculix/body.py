"""Flexible bodies from CalculiX: a deck, and the matrices that the solver stored for it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from ....bodies import FlexibleBody
from ....errors import name_list
from ....structures.finite import Structure, SurfaceMesh
from ....structures.finite.options import check_options
from ....structures.finite.solid.geometry import SolidGeometry
from ..assembling import NamedNodes, Numbers, check_free, check_named, in_house_order, interfaces_of
from ..text import path_text, refused
from ..units import units as unit_system, warn_of_units
from .deck import Deck
from .elements import outer_triangles
from .matrices import read_dof, read_matrix
from .read_deck import read_inp
from .solids import deck_elasticity, deck_recovery, deck_structure
from .stresses import with_stresses

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_HOW = "write them with *FREQUENCY, SOLVER=MATRIXSTORAGE and without *BOUNDARY"


def read_calculix(
    path: str | os.PathLike[str],
    *,
    interfaces: Mapping[str, Any],
    matrices: str | os.PathLike[str] | None = None,
    stresses: Paths | None = None,
    units: str | None = None,
    **reduction: Any,
) -> FlexibleBody:
    """Flexible body from a CalculiX deck, with the matrices that CalculiX stored for it.

    Run the deck once with a step ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` and without boundary
    conditions: the solver writes NAME.dof, NAME.sti and NAME.mas.  Without these files solid
    elements have mass and stiffness of ours (`from_mesh`), which needs ``pip install
    "lissom[fe]"``.

    Parameters
    ----------
    path : path
        NAME.inp.
    interfaces : mapping
        Places where joints and loads attach, by name; the first is the inboard one.  Each is the
        name of a node set or a surface, a list of node numbers, a function of positions (n, 3) [m]
        that returns which belong to it, the number of a reference node of ``*RIGID BODY``, or a
        mapping with "where" (one of these), "tie" ("rigid", the default, or "average") and "at"
        (position [m], by default the centroid of the faces whose nodes are all among these; for
        nodes that are not made of faces, their mean).
    matrices : path, optional
        NAME of the files NAME.dof, NAME.sti and NAME.mas; default: that of the deck, if they are
        there.
    stresses : path or sequence of paths, optional
        Results NAME.frd with displacements and stresses of the same mesh, of modes or static
        steps: the body then knows its stresses at the nodes, and its strains if the deck has a
        single material.  Without them both come from the elements, if these are C3D4, C3D6, C3D8,
        C3D10 or C3D20; so does level "stiffened".
    units : {"m-kg-s", "mm-t-s", "mm-kg-ms", "in-lbf-s"}
        Units of the files, which do not say theirs; by default SI, with a warning where the size of
        the body or its speed of sound speaks against it.
    **reduction
        Options of `Structure.reduce`: method, modes, frequency, damping and others.

    Returns
    -------
    FlexibleBody
        In SI units; `body.source` is the whole model.

    Raises
    ------
    ModelFileError
        If a file is damaged or the files do not belong together; with file and line.
    ModelError
        If an interface or an option does not fit.
    """
    check_options(os.path.basename(path_text(path)), reduction, has_second_order=True)
    structure = read_structure(path, interfaces, matrices, stresses, units)
    return structure.reduce(**reduction)


def read_structure(
    path: str | os.PathLike[str],
    interfaces: Mapping[str, Any],
    matrices: str | os.PathLike[str] | None = None,
    stresses: Paths | None = None,
    units: str | None = None,
) -> Structure:
    """Unreduced model; parameters as for `read_calculix`."""
    deck = read_inp(path, units=units)
    base = os.path.splitext(deck.path)[0] if matrices is None else path_text(matrices)
    base = base if not base.endswith((".dof", ".sti", ".mas")) else base[:-4]
    if not os.path.exists(f"{base}.dof"):
        if matrices is None and not os.path.exists(f"{base}.sti"):
            structure = deck_structure(deck, interfaces)
            numbers = deck.numbers[np.unique(np.concatenate([x.ravel() for _, x in deck.blocks]))]
            warn_of_units(structure, units)
            return _add_stresses(structure, deck, numbers, stresses, units)
        raise refused(f"{base}.dof", f"there are no stored matrices; {_HOW}")
    check_named(interfaces, NamedNodes(deck.path, deck.numbers, deck.positions, deck.group))
    rows = read_dof(f"{base}.dof")
    inner, corners = inner_nodes(deck, rows, f"{base}.dof")
    mass, stiffness = as_nodes(
        rows,
        inner,
        deck.numbers[corners],
        [read_matrix(f"{base}.{x}", len(rows), f"{base}.dof") for x in ("mas", "sti")],
    )
    every = NamedNodes(
        deck.path,
        np.concatenate([deck.numbers, inner]),
        np.concatenate([deck.positions, deck.positions[corners].mean(axis=1)]),
        deck.group,
    )
    mesh, freedoms = _freedoms(deck, every, rows, f"{base}.dof")
    mesh = replace(mesh, triangles=_triangles(deck, mesh))
    freedoms, mass, (stiffness,) = in_house_order(freedoms, mass, [stiffness], unit_system(units))
    check_free(mesh, freedoms, mass, stiffness, f"{base}.sti, {base}.mas: {_advice(deck)}")
    structure = Structure(
        os.path.basename(deck.path),
        mesh.positions,
        freedoms,
        mass,
        stiffness,
        interfaces_of(interfaces, mesh, freedoms),
        surface=SurfaceMesh(mesh.triangles) if len(mesh.triangles) else None,
        numbers=mesh.numbers,
    )
    warn_of_units(structure, units)
    recovery = deck_recovery(deck, mesh, freedoms)
    if recovery is not None:
        geometry = SolidGeometry(recovery.positions, recovery.blocks)
        structure = replace(structure, recovery=recovery, geometry=geometry)
    return _add_stresses(structure, deck, mesh.numbers, stresses, units)


def _add_stresses(
    structure: Structure, deck: Deck, numbers: Numbers, stresses: Paths | None, units: str | None
) -> Structure:
    """The structure with the stresses of result files, if there are any."""
    if not stresses:
        return structure
    paths = stresses if isinstance(stresses, (list, tuple)) else [stresses]
    names, system = [path_text(x) for x in paths], unit_system(units)
    return with_stresses(structure, numbers, names, system, deck_elasticity(deck))


def _freedoms(
    deck: Deck, every: NamedNodes, rows: Numbers, path: str
) -> tuple[NamedNodes, Numbers]:
    """Nodes that have freedoms; and node and direction of the rows.

    Translations of the rotation node of a ``*RIGID BODY`` are rotations of its reference node.
    """
    turns = {one.rotation: one.reference for one in deck.rigid}
    owners = np.array([turns.get(int(x), int(x)) for x in rows[:, 0]], dtype=np.intp)
    direction = rows[:, 1] - 1 + np.where(np.isin(rows[:, 0], list(turns)), 0, 3)
    is_translation = np.isin(owners, every.numbers) & (rows[:, 1] <= 3)
    if not is_translation.all():
        k = int(np.argmin(is_translation))
        raise refused(
            path,
            f"row {rows[k, 0]}.{rows[k, 1]} is no translation of a node of {deck.path}: the files "
            f"are of different models, or shells and beams are expanded; use solid elements and "
            f"{_HOW}",
            k + 1,
        )
    used, node = np.unique(np.searchsorted(every.numbers, owners), return_inverse=True)
    mesh = replace(every, numbers=every.numbers[used], positions=every.positions[used])
    return mesh, np.stack([node.ravel(), direction], axis=1)


def _triangles(deck: Deck, mesh: NamedNodes) -> Numbers:
    """Outer faces whose nodes all have freedoms, by index of the node."""
    triangles = deck.numbers[outer_triangles(deck.blocks)]
    triangles = triangles[np.isin(triangles, mesh.numbers).all(axis=1)]
    return np.searchsorted(mesh.numbers, triangles)


def _advice(deck: Deck) -> str:
    """What to do if matrices and deck do not fit."""
    words = ("*BOUNDARY", "*EQUATION", "*MPC", "*TIE", "*COUPLING", "*RIGID BODY", "*SPRING")
    suspects = [x for x in deck.unused if x.endswith(words)] + [x.place for x in deck.rigid]
    seen = f" ({name_list(suspects, show=str)} in {deck.path})" if suspects else ""
    return f"they are of another mesh or held{seen}; {_HOW}"


# Inner freedoms of elements C3D8I, which CalculiX numbers as three further nodes of each.
#
# They add to the displacement that the corners of the element give, so that they are zero in a
# rigid motion.  Counted from the mean displacement of the corners instead,
#
#   x' = L x      L = [1, 0; A, 1]      K' = L^-T K L^-1      M' = L^-T M L^-1                  (1)
#
# with the mean A of the corners, they are translations of nodes in the middle of the element, as
# all others are; nothing else changes.

_NODES = 3  # of one element


def inner_nodes(deck: Deck, rows: Numbers, path: str) -> tuple[Numbers, Numbers]:
    """Numbers of the inner nodes, and the corners (indices in the deck) of the element of each.

    `rows` (N, 2): node number and direction of the rows.
    """
    corners = [one.nodes for one in deck.cells if one.kind == "C3D8I"]
    numbers = np.unique(rows[rows[:, 0] > deck.numbers[-1], 0])
    if not corners:
        return numbers[:0], np.zeros((0, 8), dtype=np.intp)
    each = np.repeat(np.concatenate(corners), _NODES, axis=0)
    if len(numbers) != len(each):
        raise refused(
            path,
            f"{len(numbers)} nodes beyond those of {deck.path}; its elements C3D8I have "
            f"{len(each)}: the files are of different models, or *RIGID BODY has no ROT NODE; "
            "write it",
        )
    return numbers, each


def as_nodes(rows: Numbers, inner: Numbers, corners: Numbers, matrices: Sequence[Any]) -> list[Any]:
    """Matrices with inner freedoms counted as in (1).

    `rows` (N, 2): node number and direction of the rows; `inner` (n,): numbers of the inner nodes;
    `corners` (n, 8): numbers of the nodes at the corners of the element of each; `matrices` (N, N):
    .
    """
    row = {(int(node), int(direction)): k for k, (node, direction) in enumerate(rows)}
    pairs = [
        (row[node, direction], row[corner, direction])
        for node, around in zip(inner.tolist(), corners.tolist(), strict=True)
        for direction in (1, 2, 3)
        for corner in around
        if (node, direction) in row and (corner, direction) in row  # held ones are refused later
    ]
    if not pairs:
        return list(matrices)
    i, j = np.array(pairs).T
    mean = sparse.csc_array((np.full(len(i), 1 / corners.shape[1]), (i, j)), shape=(len(row),) * 2)
    back = sparse.csc_array(sparse.eye_array(len(row)) - mean)
    return [sparse.csc_array(back.T @ x @ back) for x in matrices]
