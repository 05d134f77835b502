"""Residual compliance: what a body's modes leave out of its deformation by forces at contacts.

With mass-normalised modes phi, frequencies omega and forces at the contact points, B their
directions on the whole structure (MacNeal 1971, Rubin 1975):

  R = B^T K^-1 B - sum phi_c phi_c^T / omega^2 >= 0                                             (1)

K^-1 is the static solution with the inboard node held or, for free-free modes, that of the free
structure with the inertia forces of its motion (inertia relief).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ModelError, shown, suggestion
from ..immutable import array_of, immutable
from ..printing import Shown
from ..spatial.scalar import reals

Array = np.ndarray

_NEGATIVE = 1e-9  # relative, of eigenvalues that rounding may leave below zero
_ROUNDING = 1e-9  # relative to the whole compliance, below which nothing is left out


@immutable("make the body again")
@dataclass(frozen=True, eq=False)
class ResidualCompliance(Shown):
    """Compliance that the modes of a body leave out at its contact nodes.

    Attributes
    ----------
    nodes : tuple of int
        The k contact nodes.
    matrix : array (3 k, 3 k)
        Displacements x, y, z of each by unit forces on each, in node axes [m/N].
    """

    nodes: tuple[int, ...]
    matrix: Array = field(metadata=array_of("m/N", "contact_row", "contact_column"))


def checked_contact_nodes(
    nodes: Any, names: Mapping[str, int], n_node: int, what: str = "FlexibleBody: contact_nodes"
) -> tuple[int, ...]:
    """Numbers of contact nodes, given by names or numbers, one or many."""
    listed = [nodes] if isinstance(nodes, (str, int, np.integer)) else nodes
    if not isinstance(listed, (list, tuple, range, np.ndarray)):
        raise ModelError(f'{what} is {shown(nodes)}; give names or numbers, ["tip", 9]')
    numbers: list[int] = []
    for x in listed:
        if isinstance(x, str) and x not in names:
            raise ModelError(f"{what} has {x!r}, which is no node; {suggestion(x, names)}")
        node = names[x] if isinstance(x, str) else x
        if not isinstance(node, (int, np.integer)) or not 0 <= node < n_node:
            raise ModelError(f"{what} has {shown(x)}; nodes are 0 to {n_node - 1}")
        if int(node) in numbers:
            raise ModelError(f"{what} has node {node} twice; give it once")
        numbers.append(int(node))
    return tuple(numbers)


def checked_compliance(matrix: Any, n_contact: int) -> Array:
    """Symmetric residual compliance of so many contact nodes; None is zero."""
    n = 3 * n_contact
    if matrix is None:
        return np.zeros((n, n))
    try:
        R = reals(matrix)
    except (TypeError, ValueError):
        R = np.full((n, n), np.nan)
    if R.shape != (n, n):
        raise ModelError(
            f"FlexibleBody: residual_compliance has shape {R.shape}; expected {(n, n)}, three rows "
            f"[m/N] for each of the {n_contact} contact_nodes"
        )
    if not np.all(np.isfinite(R)):
        raise ModelError("FlexibleBody: residual_compliance must be finite numbers [m/N]")
    size = np.abs(R).max(initial=0.0)
    if np.abs(R - R.T).max(initial=0.0) > _NEGATIVE * size:
        raise ModelError(
            "FlexibleBody: residual_compliance is not symmetric; rows and columns are x, y and z "
            "of each contact node in turn"
        )
    R = (R + R.T) / 2
    lowest = np.linalg.eigvalsh(R).min(initial=0.0)
    if lowest < -_NEGATIVE * size:
        raise ModelError(
            f"FlexibleBody: residual_compliance has the eigenvalue {lowest:.3g} m/N, so that "
            "contacts would release energy; it is the static compliance less that of the body's "
            "own modes: check that both are of the same structure, held in the same way"
        )
    return R


def without_rounding(residual: Array, whole: Array) -> Array:
    """Residual compliance without the eigenvalues that are rounding of the `whole` one."""
    scale = np.sqrt(np.diag(whole).clip(min=0.0))
    scale[scale == 0.0] = 1.0
    values, vectors = np.linalg.eigh(residual / np.outer(scale, scale))
    values[values < _ROUNDING] = 0.0
    matrix: Array = (vectors * values) @ vectors.T * np.outer(scale, scale)
    exact = np.diag(matrix) <= _ROUNDING * scale**2
    matrix[exact], matrix[:, exact] = 0.0, 0.0
    return (matrix + matrix.T) / 2
