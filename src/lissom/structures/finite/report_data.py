"""What a reduction knows of the whole structure, for the report of the body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Facts:
    """Exact properties of a structure, and what its reduction left out.

    Attributes
    ----------
    method : str
        Method of the reduction.
    n_freedom : int
        Freedoms of the structure.
    rigid_mass : array (6, 6)
        Inertia about the inboard interface, rotation first.
    interfaces : tuple of str
        The inboard one first.
    flexibility : array (6 k, 6 k)
        Rotations and displacements of the k outer interfaces by unit moments and forces there,
        with the inboard one held.
    weight_energy : array (6, 6)
        Twice the strain energy of the structure, held inboard, under the inertia forces of unit
        rigid accelerations.
    rigid_force : float
        Largest force of a rigid motion, relative to the forces that add up to it.
    dependent, massless : int
        Shapes left out because others contain them, or because they move no mass.
    mass_from : {"points", "kernel", "closure"}
        Origin of the integrals of first order: quadrature points of the mass; a mass matrix that
        is the same along x, y and z; the closure for matrices with rotations.
    """

    method: str
    n_freedom: int
    rigid_mass: Array
    interfaces: tuple[str, ...]
    flexibility: Array
    weight_energy: Array
    rigid_force: float
    dependent: int = 0
    massless: int = 0
    mass_from: str = "points"
