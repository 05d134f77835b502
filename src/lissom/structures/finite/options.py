"""Options of a reduction, checked before anything is computed: structures may be large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ...bodies.flexible import check_level
from ...errors import ModelError, shown, suggestion
from .._checks import finite
from .modes import Wanted, wanted_modes
from .shapes import METHODS

if TYPE_CHECKING:
    from .structure import Structure


@dataclass(frozen=True, eq=False)
class Options:
    """Options of `Structure.reduce`, see there."""

    method: str = "craig-bampton"
    modes: Any = None
    frequency: Any = None
    effective_mass: Any = None
    attachment: Any = False
    inertia_relief: bool = False
    damping: Any = 0.005
    level: str = "full"
    inboard: str | None = None

    def wanted(self, structure: Structure) -> Wanted:
        """Modes that are wanted; ModelError if one of the options cannot be.

        Parameters
        ----------
        structure : Structure
            With interfaces.
        """
        name = structure.name
        if self.method not in METHODS:
            raise ModelError(
                f"{name}: method={self.method!r} is not known; "
                f"{suggestion(str(self.method), METHODS)}"
            )
        wanted = wanted_modes(name, self.modes, self.frequency, self.effective_mass)
        if self.method == "free-free" and wanted.effective_mass is not None:
            raise ModelError(
                f"{name}: modes of a free structure have no effective mass; give modes or "
                'frequency, or method="cantilever"'
            )
        self._check_level(structure)
        _check_damping(self.damping, structure)
        return wanted

    def _check_level(self, structure: Structure) -> None:
        if check_level(self.level) != "stiffened":
            return
        if structure.second_order is None or self.method == "free-free":
            lacking = "free-free shapes do" if structure.second_order else "this structure does"
            raise ModelError(
                f'{structure.name}: level "stiffened" needs the second order of the deformation, '
                f'which {lacking} not have; take level "full", or make the body with ls.frame or '
                'ls.beam and method "craig-bampton" or "cantilever"'
            )

    def attached(self, structure: Structure) -> list[str]:
        """Interfaces with attachment shapes; parameters as for `wanted`."""
        given = self.attachment
        if isinstance(given, bool):
            return list(structure.interfaces) if given else []
        names = list(given) if np.iterable(given) and not isinstance(given, str) else [given]
        for name in names:
            if name not in structure.interfaces:
                raise ModelError(
                    f"{structure.name}: attachment names {name!r}, which is not an interface; "
                    f"{suggestion(str(name), structure.interfaces)}"
                )
        return names

    def inboard_of(self, structure: Structure) -> str:
        """Name of the inboard interface, by default the first; parameters as for `wanted`."""
        if self.inboard is None:
            return next(iter(structure.interfaces))
        if self.inboard not in structure.interfaces:
            raise ModelError(
                f"{structure.name}: inboard={self.inboard!r} is not an interface; "
                f"{suggestion(str(self.inboard), structure.interfaces)}"
            )
        return self.inboard


def _check_damping(given: Any, structure: Structure) -> None:
    """What can be said of damping before the number of shapes is known."""
    name, n = structure.name, structure.n_freedom
    if isinstance(given, tuple) and given and given[0] == "rayleigh":
        if len(given) != 3:
            raise ModelError(
                f"{name}: damping is {given!r}; give ('rayleigh', alpha [1/s], beta [s])"
            )
        finite(given[1], f"{name}: alpha of damping [1/s]")
        finite(given[2], f"{name}: beta of damping [s]")
        return
    try:
        found = sp.coo_array(given).data if sp.issparse(given) else np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(
            f"{name}: damping is {shown(given)}; give a ratio, ('rayleigh', alpha, beta) or a "
            "matrix"
        ) from None
    if not np.all(np.isfinite(found)):
        raise ModelError(f"{name}: damping is {shown(given)}; give finite numbers")
    shape = np.shape(given)
    if len(shape) == 2 and (shape[0] != shape[1] or shape[0] > n):
        raise ModelError(
            f"{name}: the damping matrix has shape {shape}; give one of the structure, {(n, n)}, "
            "or of the body's modes"
        )
    if len(shape) < 2 and np.any(found < 0):
        raise ModelError(f"{name}: damping is {shown(given)}; ratios must not be negative")
