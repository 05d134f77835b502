"""What keeps loops closed while rounding and truncation errors add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import LoadError
from .checks import positive, shown

__all__ = ["PROJECTION", "Baumgarte", "Drift", "as_drift"]


@dataclass(frozen=True)
class Baumgarte:
    """Loops pulled together by accelerations: A vdot + gamma = -stiffness gap - damping rate.

    With stiffness = a^2 and damping = 2 a a gap decays like exp(-a t); steps must be short beside
    1/a.  The loops are open by what each step adds.

    Parameters
    ----------
    stiffness : float
        [1/s^2].
    damping : float
        [1/s].

    References
    ----------
    J. Baumgarte, Comput. Methods Appl. Mech. Eng. 1, 1972; the Order-N paper, eq. (4.16).
    """

    stiffness: float
    damping: float

    def __post_init__(self) -> None:
        for name, unit in (("stiffness", "1/s^2"), ("damping", "1/s")):
            value = positive(
                getattr(self, name), f"Baumgarte: {name}", f"a positive number [{unit}]"
            )
            object.__setattr__(self, name, value)


@dataclass(frozen=True)
class Projection:
    """Coordinates and speeds put back onto closed loops after each step."""


Drift = Projection | Baumgarte
PROJECTION = Projection()


def as_drift(given: Any) -> Drift:
    """What keeps loops closed, from what the user gave."""
    if isinstance(given, Drift):
        return given
    if isinstance(given, str) and given == "projection":
        return PROJECTION
    raise LoadError(
        f'drift is {shown(given)}; expected "projection" or Baumgarte(stiffness, damping)'
    )
