"""Systems of units of finite-element files, which do not say theirs."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from ...errors import ModelError, ModelWarning, name_list
from ...structures.finite import Structure

_LONG, _SHORT = 50.0, 5e-4  # m; larger and smaller bodies are rare, wrong units are not
_FAST, _SLOW = 1e5, 8.0  # m/s; a rough speed of sound: diamond has 18,000, soft rubber 30


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

    `name`: "m-kg-s" for SI, as None, "mm-t-s" (N, MPa), "mm-kg-ms" (kN, GPa) or "in-lbf-s" (lbf,
    psi).
    """
    if name is None:
        return SYSTEMS["m-kg-s"]
    if not isinstance(name, str) or name not in SYSTEMS:
        systems = name_list(SYSTEMS)
        raise ModelError(f"units are {name!r}; expected the units of the file, one of {systems}")
    return SYSTEMS[name]


def unlikely_size(positions: np.ndarray) -> float:
    """Size of a body that is so large or small that its units may be others; else 0 [m].

    `positions` (n, 3): nodes [m].
    """
    size = float(np.ptp(positions, axis=0).max())
    return 0.0 if _SHORT < size < _LONG else size


def warn_of_units(structure: Structure, name: str | None) -> None:
    """Warn where size or speed of sound show that a file has other units.

    Called by the function that the reader of a file calls.
    """
    size, speed = unlikely_size(structure.positions), structure.sound_speed
    doubts = []
    if size and name is None:
        doubts.append(f"the body is {size:.4g} m long")
    if not _SLOW < speed < _FAST and not np.isnan(speed):
        doubts.append(f"waves run through it at about {speed:.2g} m/s (through steel: 5000)")
    if not doubts:
        return
    read = "read in m, kg and s because units is left out" if name is None else f"read in {name}"
    right = "'m-kg-s' if these are right" if name is None else "if it has others"
    message = (
        f"{structure.name}: {' and '.join(doubts)}, {read}; give units= of the file ({right}): "
        f"{name_list(SYSTEMS)}"
    )
    warnings.warn(message, ModelWarning, stacklevel=4)
