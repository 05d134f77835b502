"""Names and units of states, and small checks of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import StateError, shown
from ..model import Part
from ..results.labels import Parts, modes
from ..sim.loads import Rotor
from ..system import System

__all__ = ["listed_names", "rate_names", "speed_parts", "wheel_name"]


def speed_parts(system: System) -> Parts:
    """Name of each speed and the unit of its integral, such as ("boom.mode.0", "kg^0.5 m")."""
    parts: list[tuple[str, str]] = []
    for name, body, joint in zip(system.names, system.bodies, system.joints, strict=True):
        parts += [(f"{name}.mode.{x}", unit) for x, unit in modes(body)]
        parts += [(f"{name}.{x}", unit) for x, unit in joint.speeds]
    return tuple(parts)


def rate_names(parts: Parts) -> Parts:
    """Names and units of the rates of deviations."""
    return tuple((f"{name}.rate", f"{unit}/s") for name, unit in parts)


def wheel_name(wheel: Rotor) -> str:
    """Name of a wheel, as input and with its speed as state."""
    return wheel.name or f"{wheel.where}.wheel"


def listed_names(names: Any, what: str) -> list[str]:
    """Names from one name, a part of a model, or several."""
    one = isinstance(names, (str, Part))
    if not one and not isinstance(names, (Sequence, set, frozenset)):
        raise StateError(f"{what} is {shown(names)}; expected a list of names")
    items = [names] if one else list(names)
    for item in items:
        if not isinstance(item, (str, Part)):
            raise StateError(f"{what} contains {shown(item)}; expected a name")
    return [str(item) for item in items]
