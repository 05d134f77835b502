"""Stresses of a body from results of CalculiX.

Results hold displacements u_k and stresses s_k of modes or static steps.  A shape x of the body is
written with them and with the rigid motions R, which have no stress,

  x = R a + sum_k u_k c_k      least squares in the norm of the mass matrix                   (1)
  stress(x) = sum_k s_k c_k                                                                   (2)

and what is left over in (1) is refused beyond a limit: it would be stress that is not told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ....bodies.recovery import Recovery, StressPoints
from ....errors import ModelError
from ....structures.finite import Structure
from ..assembling import Array, Numbers, rigid_motions
from ..text import refused
from ..units import Units
from .results import Result, read_frd

_MOST_LEFT = 0.02  # of a shape that results do not explain, in the norm of the mass


def with_stresses(structure: Structure, numbers: Numbers, path: str, units: Units) -> Structure:
    """Structure that knows its stresses.

    Parameters
    ----------
    structure : Structure
    numbers : array (n,) of int
        Numbers of its nodes in the files.
    path : str
        NAME.frd.
    units : Units
        Of the results.
    """
    results = read_frd(path)
    pairs = results.pairs()
    if not pairs:
        raise refused(
            path,
            "no step has displacements and stresses; write *NODE FILE with U and *EL FILE with S",
        )
    places = structure.positions[:, None] / units.length
    own = np.searchsorted(numbers, results.numbers).clip(max=len(numbers) - 1)
    same = numbers[own] == results.numbers
    if same.sum() < len(numbers) or not np.allclose(
        places[own[same], 0], results.positions[same], rtol=0, atol=2e-5 * np.ptp(places)
    ):
        raise refused(path, f"its nodes are not those of {structure.name}: results of another mesh")
    moved = np.stack([_at(numbers, one, 3) for one, _ in pairs], axis=-1)
    stressed = np.stack([_at(numbers, one, 6) for _, one in pairs], axis=-1) * units.pressure
    basis = _Basis(structure, moved * units.length, stressed, path)
    return replace(structure, recovery=basis.recovery)


def _at(numbers: Numbers, field: Result, n_component: int) -> Array:
    """Values of a field at the nodes of the structure, zero where it has none."""
    if field.values.shape[1] != n_component:
        raise ModelError(f"{field.name} has {field.values.shape[1]} components, not {n_component}")
    found = np.zeros((len(numbers), n_component))
    place = np.searchsorted(numbers, field.numbers).clip(max=len(numbers) - 1)
    same = numbers[place] == field.numbers
    found[place[same]] = field.ordered()[same]
    return found


class _Basis:
    """Rigid motions and the fields of the results, with the stresses of each."""

    def __init__(self, structure: Structure, moved: Array, stressed: Array, path: str) -> None:
        self.structure, self.path = structure, path
        node, direction = structure.freedoms.T
        if (direction < 3).any():
            raise refused(path, "stresses need matrices of solids alone, without *RIGID BODY")
        fields = moved[node, direction - 3]
        rigid = rigid_motions(structure.positions, structure.freedoms)
        scale = np.linalg.norm(fields, axis=0)
        scale[scale == 0] = 1.0
        self.fields = np.hstack([rigid, fields / scale])
        self.stressed = np.concatenate(
            [np.zeros((*stressed.shape[:2], 6)), stressed / scale], axis=-1
        )

    def recovery(self, x: Array) -> Recovery:
        """Stresses (2) of displacements x (N, m)."""
        mass: Any = self.structure.mass
        weighted = mass @ self.fields
        gram = self.fields.T @ weighted
        size = np.sqrt(np.diag(gram))
        c = np.linalg.lstsq(gram / size / size[:, None], (weighted.T @ x) / size[:, None])[0]
        c /= size[:, None]
        left = x - self.fields @ c
        parts = np.einsum("ij,ij->j", left, mass @ left) / np.maximum(
            np.einsum("ij,ij->j", x, mass @ x), np.finfo(float).tiny
        )
        worst = int(np.argmax(parts)) if len(parts) else 0
        if len(parts) and parts[worst] > _MOST_LEFT**2:
            raise ModelError(
                f"{self.path}: its steps explain shape {worst + 1} of {self.structure.name} "
                f"but for {100 * np.sqrt(parts[worst]):.1f} %, so that its stress is not known; "
                "write results of more modes, and of static steps with loads at the interfaces"
            )
        stress = self.stressed @ c
        nodes = np.arange(self.structure.n_node)
        return Recovery(StressPoints(self.structure.positions, stress, nodes))
