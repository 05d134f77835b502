"""Stresses of a body from results of CalculiX.

Results hold displacements u_k and stresses s_k of modes or static steps.  A shape x of the body is
written with them and with the rigid motions R, which have no stress,

  x = R a + sum_k u_k c_k      least squares in the norm of the mass matrix                   (1)
  stress(x) = sum_k s_k c_k                                                                   (2)

and what is left over in (1) is refused beyond a limit: it would be stress that is not told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....bodies.recovery import Recovery, StressPoints
from ....errors import ModelError
from ....structures.finite import Structure
from ....structures.finite.rigid import rigid_motion
from ..assembling import Array, Numbers
from ..text import refused
from ..units import Units
from .results import Result, Results, read_frd

_NEAR = 1e-4  # of places, which results print with six digits
_MOST_LEFT = 0.02  # of a shape that results do not explain, in the norm of the mass


def with_stresses(
    structure: Structure,
    numbers: Numbers,
    paths: Sequence[str],
    units: Units,
    elasticity: tuple[float, float] | None,
) -> Structure:
    """Structure that knows its stresses.

    `numbers` (n,): numbers of its nodes in the files; `elasticity` (float, float): young's modulus
    [Pa] and Poisson's ratio, if there is one material.
    """
    every = [read_frd(path) for path in paths]
    nodes = np.flatnonzero(np.isin(numbers, every[0].numbers))
    moved, stressed = [], []
    for results in every:
        _check_mesh(structure, numbers[nodes], structure.positions[nodes] / units.length, results)
        for u, s in results.pairs():
            moved.append(_at(numbers[nodes], u, 3, results.path))
            stressed.append(_at(numbers[nodes], s, 6, results.path))
    basis = _Basis(
        structure,
        nodes,
        np.stack(moved, axis=-1) * units.length,
        np.stack(stressed, axis=-1) * units.pressure,
        ", ".join(paths),
        elasticity,
    )
    return replace(structure, recovery=basis.recovery)


def _check_mesh(structure: Structure, numbers: Numbers, places: Array, results: Results) -> None:
    """Check that results have stresses and are of the same mesh."""
    if not results.pairs():
        raise refused(
            results.path,
            "no step has displacements and stresses; write *NODE FILE with U and *EL FILE with S",
        )
    order = np.argsort(results.numbers, kind="stable")
    at = order[np.searchsorted(results.numbers[order], numbers).clip(max=len(order) - 1)]
    same = len(numbers) > 3 and (results.numbers[at] == numbers).all()
    if not same or np.abs(places - results.positions[at]).max() > _NEAR * np.abs(places).max():
        message = f"its nodes are not those of {structure.name}: results of another mesh"
        raise refused(results.path, message)


def _at(numbers: Numbers, field: Result, n_component: int, path: str) -> Array:
    """Values of a field at nodes."""
    order = np.argsort(field.numbers, kind="stable")
    place = np.searchsorted(field.numbers[order], numbers).clip(max=len(order) - 1)
    if field.values.shape[1] != n_component or not len(order):
        raise refused(path, f"{field.name} has {field.values.shape[1]} components")
    if (missing := field.numbers[order[place]] != numbers).any():
        raise refused(path, f"{field.name} has no values at node {numbers[np.argmax(missing)]}")
    return field.ordered()[order[place]]


class _Basis:
    """Rigid motions and the fields of the results at the nodes, with the stresses of each."""

    def __init__(
        self,
        structure: Structure,
        nodes: Numbers,
        moved: Array,
        stressed: Array,
        path: str,
        elasticity: tuple[float, float] | None,
    ) -> None:
        self.structure, self.nodes, self.path = structure, nodes, path
        self.elasticity = elasticity
        node, direction = structure.freedoms.T
        if (direction < 3).any():
            raise refused(path, "stresses need matrices of solids alone, without *RIGID BODY")
        self.rows = np.flatnonzero(np.isin(node, nodes))
        fields = moved[np.searchsorted(nodes, node[self.rows]), direction[self.rows] - 3]
        rigid = rigid_motion(
            structure.positions, structure.freedoms, structure.positions.mean(axis=0)
        )[self.rows]
        scale = np.linalg.norm(fields, axis=0)
        scale[scale == 0] = 1.0
        self.fields = np.hstack([rigid, fields / scale])
        none = np.zeros((*stressed.shape[:2], 6))
        self.stressed = np.concatenate([none, stressed / scale], axis=-1)

    def recovery(self, x: Array) -> Recovery:
        """Stresses (2) of displacements x (N, m)."""
        x, mass = x[self.rows], self.structure.mass[self.rows][:, self.rows]
        weighted = mass @ self.fields
        gram = self.fields.T @ weighted
        size = np.sqrt(np.diag(gram))
        c = np.linalg.lstsq(gram / size / size[:, None], (weighted.T @ x) / size[:, None], None)[0]
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
        places = self.structure.positions[self.nodes]
        return Recovery(StressPoints(places, stress, self.nodes.copy(), elasticity=self.elasticity))
