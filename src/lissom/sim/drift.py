"""Methods that keep loops closed against accumulating rounding and truncation errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import LoadError, name_list, shown, suggestion
from ..immutable import FixedDict
from ..printing import Shown
from ..system import System
from .run.checks import positive

Array = np.ndarray

_UNITS = {"stiffness": "1/s^2", "damping": "1/s"}


@dataclass(frozen=True)
class Baumgarte(Shown):
    """Baumgarte stabilisation: A vdot + gamma = -stiffness gap - damping rate.

    With stiffness = a^2 and damping = 2 a, a gap decays as exp(-a t) (critical damping); steps must
    be short compared with 1/a.  Each step adds a small gap that then decays.

    Parameters
    ----------
    stiffness : float or mapping
        [1/s^2].  One number for all loops and couplings, or one for each by its name:
        ``{"pin": 400.0, "gear": 100.0}``.
    damping : float or mapping
        [1/s].  As the stiffness.

    References
    ----------
    J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1, 1972; (C 4.16).
    """

    stiffness: float | Mapping[str, float]
    damping: float | Mapping[str, float]

    def __post_init__(self) -> None:
        for name, unit in _UNITS.items():
            value = _gain(getattr(self, name), f"Baumgarte: {name}", unit)
            object.__setattr__(self, name, value)

    def gains(self, system: System) -> Array:
        """Stiffness and damping of each constraint equation, (2, n_constraint).

        Parameters
        ----------
        system : System
            Its loops and couplings, all of which a mapping must name.
        """
        counts = {one.name: one.n_constraint for one in system.constraints}
        rows = np.zeros((2, system.n_constraint))
        for row, name in zip(rows, _UNITS, strict=True):
            setting = getattr(self, name)
            if isinstance(setting, Mapping):
                _check_names(setting, list(counts), f"Baumgarte: {name}")
            else:
                setting = dict.fromkeys(counts, setting)
            row[:] = np.repeat([setting[x] for x in counts], list(counts.values()))
        return rows


def _gain(value: Any, what: str, unit: str) -> Any:
    """One positive number, or a read-only mapping of such numbers by name."""
    if not isinstance(value, Mapping):
        expected = f"a positive number [{unit}], or one for each loop by its name"
        return positive(value, what, expected)
    if wrong := [key for key in value if not isinstance(key, str)]:
        raise LoadError(f"{what} contains {shown(wrong[0])}; expected names of loops as text")
    expected = f"a positive number [{unit}]"
    return FixedDict({key: positive(x, f"{what} of {key!r}", expected) for key, x in value.items()})


def _check_names(numbers: Mapping[str, float], names: list[str], what: str) -> None:
    """Refuse names that are not those of all loops and couplings."""
    for name in numbers:
        if name not in names:
            raise LoadError(
                f"{what}: there is no loop or coupling {name!r}; {suggestion(name, names)}"
            )
    if missing := [name for name in names if name not in numbers]:
        raise LoadError(
            f"{what} has no number for {name_list(missing)}; give one for each loop and coupling, "
            "or one number for all"
        )


@dataclass(frozen=True)
class Projection:
    """Projection of coordinates and speeds onto closed loops after each step."""


Drift = Projection | Baumgarte
PROJECTION = Projection()


def as_drift(setting: Any) -> Drift:
    """Drift method from the user's argument."""
    if isinstance(setting, Drift):
        return setting
    if isinstance(setting, str) and setting == "projection":
        return PROJECTION
    raise LoadError(
        f'drift is {shown(setting)}; expected "projection" or Baumgarte(stiffness, damping)'
    )
