"""Options of a reduction, checked before anything is computed: structures may be large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ...bodies.flexible import check_level
from ...errors import ModelError, shown, suggestion
from ...spatial.scalar import reals
from .._checks import finite
from .modes import ModeSelection, mode_selection
from .shapes import METHODS

if TYPE_CHECKING:
    from .structure import Structure


@dataclass(frozen=True, eq=False)
class ReduceOptions:
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
    contact: Any = ()

    def mode_selection(self, name: str, has_second_order: bool) -> ModeSelection:
        """Modes that are wanted; ModelError if one of the options cannot be."""
        if self.method not in METHODS:
            raise ModelError(
                f"{name}: method={self.method!r} is not known; "
                f"{suggestion(str(self.method), METHODS)}"
            )
        selection = mode_selection(name, self.modes, self.frequency, self.effective_mass)
        if self.method == "free-free" and selection.effective_mass is not None:
            raise ModelError(
                f"{name}: modes of a free structure have no effective mass; give modes or "
                'frequency, or method="cantilever"'
            )
        if check_level(self.level) == "stiffened":
            self._check_second_order(name, has_second_order)
        _check_damping(self.damping, name)
        return selection

    def _check_second_order(self, name: str, has_second_order: bool) -> None:
        if self.method == "free-free":
            raise ModelError(
                f'{name}: level "stiffened" needs shapes that vanish at the inboard interface; '
                'take method "craig-bampton" or "cantilever"'
            )
        if not has_second_order:
            raise ModelError(no_second_order(name))

    def attached(self, structure: Structure) -> list[str]:
        """Interfaces with attachment shapes."""
        attachment = self.attachment
        if isinstance(attachment, bool):
            return list(structure.interfaces) if attachment else []
        names = (
            list(attachment)
            if np.iterable(attachment) and not isinstance(attachment, str)
            else [attachment]
        )
        for name in names:
            if name not in structure.interfaces:
                raise ModelError(
                    f"{structure.name}: attachment names {name!r}, which is not an interface; "
                    f"{suggestion(str(name), structure.interfaces)}"
                )
        return names

    def inboard_of(self, structure: Structure) -> str:
        """Name of the inboard interface, by default the first; parameters as for `attached`."""
        if self.inboard is None:
            return next(iter(structure.interfaces))
        if self.inboard not in structure.interfaces:
            raise ModelError(
                f"{structure.name}: inboard={self.inboard!r} is not an interface; "
                f"{suggestion(str(self.inboard), structure.interfaces)}"
            )
        return self.inboard


def no_second_order(name: str) -> str:
    """Message about a structure whose stress stiffness is not known."""
    return (
        f"{name}: its stress stiffness is not known, which the second order of the deformation "
        'needs; take level "full", or frames, panels or meshes of solids, or give stress_stiffness '
        "to from_matrices"
    )


def check_options(
    name: str, reduction: Mapping[str, Any], *, has_second_order: bool = False
) -> None:
    """Reject options that cannot be, before a structure is read or assembled for them."""
    names = [x.name for x in fields(ReduceOptions)]
    for key in reduction:
        if key not in names:
            raise TypeError(
                f"{name}: {key!r} is no option of a reduction; {suggestion(key, names)}"
            )
    ReduceOptions(**reduction).mode_selection(name, has_second_order)


def _check_damping(damping: Any, name: str) -> None:
    """What can be said of damping before the numbers of freedoms and shapes are known."""
    if isinstance(damping, tuple) and damping and damping[0] == "rayleigh":
        if len(damping) != 3:
            raise ModelError(
                f"{name}: damping is {damping!r}; give ('rayleigh', alpha [1/s], beta [s])"
            )
        finite(damping[1], f"{name}: alpha of damping [1/s]")
        finite(damping[2], f"{name}: beta of damping [s]")
        return
    try:
        values = reals(sp.coo_array(damping).data if sp.issparse(damping) else damping)
    except (TypeError, ValueError):
        raise ModelError(
            f"{name}: damping is {shown(damping)}; give a ratio, ('rayleigh', alpha, beta) or a "
            "matrix"
        ) from None
    if not np.all(np.isfinite(values)):
        raise ModelError(f"{name}: damping is {shown(damping)}; give finite numbers")
    shape = np.shape(damping)
    if len(shape) == 2 and shape[0] != shape[1]:
        raise ModelError(f"{name}: the damping matrix has shape {shape}; give a square one")
    if len(shape) < 2 and np.any(values < 0):
        raise ModelError(f"{name}: damping is {shown(damping)}; ratios must not be negative")
