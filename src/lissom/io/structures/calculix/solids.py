"""Solid elements of a CalculiX deck as elements of our own: structures and stresses."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

from ....errors import ModelError, ModelWarning, name_list
from ....structures.finite import Patch, Structure
from ....structures.finite.assembly import equal_freedoms
from ....structures.finite.solid.elements import ElementBlock
from ....structures.finite.solid.kinds import KINDS
from ....structures.finite.solid.stresses import SolidRecovery
from ....structures.finite.solid.structure import solid_structure
from ..assembling import NamedNodes, Numbers, interface_nodes, interface_options
from .deck import Deck
from .elements import outer_triangles

# Elements that bend far more easily than those of ours with the same nodes; and those that differ
# by the points of integration only.
_SOFTER = ("C3D8I", "C3D8R")
_NEARLY = ("C3D20R", "C3D20RI", "C3D10T", "C3D10HS")


def deck_structure(deck: Deck, interfaces: Any) -> Structure:
    """Structure of the solid elements of a deck, with our own mass and stiffness."""
    _check(deck)
    mesh = NamedNodes(deck.path, deck.numbers, deck.positions, deck.group)
    blocks = _blocks(deck, mesh)
    if isinstance(interfaces, Mapping):
        interfaces = {str(name): _patch(str(name), x, mesh) for name, x in interfaces.items()}
    name = os.path.basename(deck.path)
    return solid_structure(name, deck.positions, blocks, interfaces, labels=deck.numbers)


def deck_recovery(deck: Deck, mesh: NamedNodes, freedoms: Numbers) -> SolidRecovery | None:
    """Stresses from the elements of a deck; None where there are other elements or freedoms.

    None without scikit-fem, too: the body needs it for its stresses only.

    `freedoms` (N, 2): node and direction of the rows.
    """
    plain = equal_freedoms(len(mesh.numbers), (3, 4, 5))
    is_supported = all(one.shape in KINDS and one.kind != "C3D8I" for one in deck.cells)
    if not is_supported or not np.array_equal(freedoms, plain) or find_spec("skfem") is None:
        return None
    try:
        blocks = _blocks(deck, mesh)
    except ModelError:  # an element without material, or nodes without freedoms
        return None
    triangles = deck.numbers[outer_triangles(deck.blocks)]
    return SolidRecovery(
        mesh.positions, blocks, np.unique(mesh.indices(triangles.ravel(), "a face")), mesh.numbers
    )


def deck_elasticity(deck: Deck) -> tuple[float, float] | None:
    """Young's modulus [Pa] and Poisson's ratio of a deck that has one material; else None."""
    try:
        pairs = {(x.youngs_modulus, x.poisson_ratio) for *_, x in deck.solids()}
    except ModelError:  # an element without material
        return None
    return pairs.pop() if len(pairs) == 1 else None


def _blocks(deck: Deck, mesh: NamedNodes) -> list[ElementBlock]:
    return [
        ElementBlock(
            KINDS[shape],
            mesh.indices(deck.numbers[nodes].ravel(), "an element").reshape(nodes.shape),
            material,
            numbers,
        )
        for shape, numbers, nodes, material in deck.solids()
    ]


def _check(deck: Deck) -> None:
    how = (
        "let the solver store the matrices: *FREQUENCY, SOLVER=MATRIXSTORAGE without *BOUNDARY, "
        "which writes .dof, .sti and .mas"
    )
    kinds = {one.kind for one in deck.cells}
    if other := sorted(x.kind for x in deck.cells if x.shape not in KINDS or x.kind in _SOFTER):
        raise ModelError(f"{deck.path}: no elements of ours for {name_list(other)}; {how}")
    if deck.rigid:
        raise ModelError(f"{deck.rigid[0].place} is known with stored matrices only; {how}")
    if changed := sorted(kinds.intersection(_NEARLY)):
        warnings.warn(
            f"{deck.path}: {name_list(changed)} are taken with full integration, which is stiffer "
            f"than the solver's; for its own matrices {how}",
            ModelWarning,
            stacklevel=5,
        )


def _patch(name: str, spec: Any, mesh: NamedNodes) -> Patch:
    part = f"interface {name!r}"
    options = interface_options(part, spec)
    return Patch(**{**options, "where": interface_nodes(part, options["where"], mesh).tolist()})
