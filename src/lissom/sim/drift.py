"""Methods that keep loops closed against accumulating rounding and truncation errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import LoadError, shown
from .run.checks import positive


@dataclass(frozen=True)
class Baumgarte:
    """Baumgarte stabilisation: A vdot + gamma = -stiffness gap - damping rate.

    With stiffness = a^2 and damping = 2 a, a gap decays as exp(-a t) (critical damping); steps must
    be short compared with 1/a.  Each step adds a small gap that then decays.

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
    """Projection of coordinates and speeds onto closed loops after each step."""


Drift = Projection | Baumgarte
PROJECTION = Projection()


def as_drift(given: Any) -> Drift:
    """Drift method from the user's argument."""
    if isinstance(given, Drift):
        return given
    if isinstance(given, str) and given == "projection":
        return PROJECTION
    raise LoadError(
        f'drift is {shown(given)}; expected "projection" or Baumgarte(stiffness, damping)'
    )
