"""Systems of units of finite-element files, which do not say theirs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import ModelError, name_list


@dataclass(frozen=True)
class Units:
    """Length [m], mass [kg] and time [s] that a file calls one."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    @property
    def pressure(self) -> float:
        """Unit of stresses [Pa]."""
        return self.mass / (self.length * self.time**2)

    @property
    def density(self) -> float:
        """Unit of densities [kg/m³]."""
        return self.mass / self.length**3

    def matrices(self, directions: np.ndarray) -> tuple[np.ndarray, float, float]:
        """Factors of the matrices: those of the rows, of the mass and of the stiffness.

        x_SI = D x, so that K_SI = e D^-1 K D^-1 with the unit of energy e, and the same for M.

        Parameters
        ----------
        directions : array of int
            Of the rows; 0 to 2 are rotations.
        """
        rows = np.where(directions < 3, 1.0, 1.0 / self.length)
        inertia = self.mass * self.length**2
        return rows, inertia, inertia / self.time**2


SYSTEMS = {
    "m-kg-s": Units(),
    "mm-t-s": Units(1e-3, 1e3),  # N, MPa
    "mm-kg-ms": Units(1e-3, 1.0, 1e-3),  # kN, GPa
    "in-lbf-s": Units(0.0254, 0.45359237 * 9.80665 / 0.0254),  # lbf, psi
}


def units(name: object) -> Units:
    """System of units by its name.

    Parameters
    ----------
    name : str
        "m-kg-s" for SI, "mm-t-s" (N, MPa), "mm-kg-ms" (kN, GPa) or "in-lbf-s" (lbf, psi).
    """
    if not isinstance(name, str) or name not in SYSTEMS:
        known = name_list(SYSTEMS)
        raise ModelError(f"units are {name!r}; expected the units of the file, one of {known}")
    return SYSTEMS[name]
