"""Gram matrix of a structure's mass in its shapes, from quadrature points or from its matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from ...errors import ModelError
from .modes import negative_mass
from .particles import gram_of_matrices, gram_of_points
from .rigid import rigid_motion

if TYPE_CHECKING:
    from .structure import Structure

Array = NDArray[np.float64]

_SAME = 1e-9  # relative, of blocks of a matrix
_AGREE = 1e-3  # relative, of quadrature points and mass matrix


def gram(structure: Structure, x: Array, about: Array) -> tuple[Array, str]:
    """Gram matrix of 1, x, y, z and the shapes, and its origin (`Facts.mass_from`).

    Parameters
    ----------
    structure : Structure
        With mass matrix, and perhaps particles.
    x : array (N, m)
        Shapes.
    about : array (3,)
        Origin of the positions [m].
    """
    modal_mass = x.T @ (structure.mass @ x)
    if structure.particles is not None:
        masses, positions, displacements = structure.particles
        found = gram_of_points(masses, positions - about, displacements @ x)
        _check_agree(structure.name, found, modal_mass)
        return found, "points"
    R = rigid_motion(structure.positions, structure.freedoms, about)
    MR = structure.mass @ R
    kernel, isotropic = _kernel(structure)
    fields = _fields(structure, x, about)
    try:
        exact = gram_of_matrices(R.T @ MR, MR.T @ x, modal_mass, fields.T @ (kernel @ fields))
    except np.linalg.LinAlgError:
        raise negative_mass(structure.name) from None
    return exact, "kernel" if isotropic else "closure"


def _check_agree(name: str, found: Array, modal_mass: Array) -> None:
    m = len(modal_mass)
    trace = np.einsum("ikjk->ij", found[4:, 4:].reshape(m, 3, m, 3))
    if np.abs(trace - modal_mass).max(initial=0.0) > _AGREE * np.abs(modal_mass).max(
        initial=1e-300
    ):
        raise ModelError(
            f"{name}: the particles and the mass matrix of the structure differ; give particles "
            "that are the quadrature points of the mass matrix, or none"
        )


def _translations(structure: Structure) -> list[Any]:
    """Matrices (n, N) that pick the displacement along x, y and z of every node."""
    node, direction = structure.freedoms.T
    found = []
    for k in (3, 4, 5):
        rows = np.flatnonzero(direction == k)
        shape = (structure.n_node, structure.n_freedom)
        found.append(sp.csr_array((np.ones(len(rows)), (node[rows], rows)), shape))
    return found


def _kernel(structure: Structure) -> tuple[Any, bool]:
    """Mean of the blocks of the mass matrix along x, y, z, and whether it is all of the matrix."""
    M, picks = sp.csr_array(structure.mass), _translations(structure)
    blocks = [P @ M @ P.T for P in picks]
    kernel = (blocks[0] + blocks[1] + blocks[2]) / 3
    size = np.abs(M.data).max(initial=0.0)
    rebuilt = sum((P.T @ kernel @ P for P in picks[1:]), picks[0].T @ kernel @ picks[0])
    left = abs(M - rebuilt)
    return kernel, bool(left.max() <= _SAME * size)


def _fields(structure: Structure, x: Array, about: Array) -> Array:
    """Values at the nodes of 1, x, y, z and of the components of the shapes."""
    n = structure.n_node
    parts = np.stack([P @ x for P in _translations(structure)], axis=2)
    return np.hstack([np.ones((n, 1)), structure.positions - about, parts.reshape(n, -1)])
