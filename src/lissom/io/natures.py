"""What the coordinates of a joint are: angles or lengths; and whether given units fit them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import LoadError, StateError, suggestion
from ..joints import Joint
from ..system import System
from .units import DIMENSIONS, Quantity, fits

__all__ = ["PAIRS", "check_joint_units", "check_state_units"]

TURN, SLIDE, PLAIN = 0, 1, 2
_NATURES = {"rad": TURN, "m": SLIDE, "1": PLAIN}

# Dimensions for turning and for sliding.
PAIRS = {
    "coordinate": ("angle", "length"),
    "rate": ("angular speed", "speed"),
    "rate of speed": ("angular acceleration", "acceleration"),
    "force": ("torque", "force"),
    "stiffness": ("angular stiffness", "stiffness"),
    "damping": ("angular damping", "damping"),
    "stop damping": ("angular stop damping", "stop damping"),
    "rotor": ("inertia", "mass"),
    "integral gain": ("angular integral gain", "integral gain"),
    "integral": ("angle times time", "length times time"),
}


def check_joint_units(system: System, joint: Any, what: str, value: Any, kind: str) -> None:
    """Refuse units that do not fit the motions of a joint.

    Parameters
    ----------
    system : System
        The mechanism.
    joint : str
        Body that the joint carries.
    what : str
        Key, for the error.
    value : number or list
        What was given.
    kind : str
        Which of PAIRS it is.
    """
    if joint not in system.names:
        raise LoadError(f"joint is {joint!r}, but there is none; {suggestion(joint, system.names)}")
    found = system.joints[system.names.index(joint)]
    own = _natures(found, rates=kind != "coordinate")
    entries = value if isinstance(value, list) else [value]
    if not own or (len(set(own)) > 1 and len(entries) != len(own)):
        return
    for k, entry in enumerate(entries):
        _check(
            entry, own[k] if k < len(own) else own[0], PAIRS[kind], f"{what} of {joint!r}", found
        )


def check_state_units(system: System, name: str, value: Any) -> None:
    """Refuse units of a start that do not fit the joint; `name` is "body" or "body.rates"."""
    body, _, part = name.partition(".")
    if part.startswith("mode"):
        return
    joint = system.joints[system.names.index(body)]
    kind = "rate" if part == "rates" else "coordinate"
    own = _natures(joint, rates=part == "rates")
    entries: Sequence[Any] = value if isinstance(value, list) else [value]
    if not own or len(entries) != len(own):
        return
    for k, entry in enumerate(entries):
        try:
            _check(entry, own[k], PAIRS[kind], name, joint)
        except LoadError as error:
            raise StateError(str(error)) from None


def _natures(joint: Joint, *, rates: bool) -> list[int]:
    """What the coordinates or the speeds are; empty where that is not checked: joints from maps."""
    if joint.is_from_maps:
        return []
    return [_NATURES[unit] for _, unit in (joint.speeds if rates else joint.coordinates)]


def _check(entry: Any, nature: int, pair: tuple[str, str], what: str, joint: Joint) -> None:
    powers = entry.powers if isinstance(entry, Quantity) else None
    expected = "number" if nature == PLAIN else pair[nature]
    if powers is not None and not fits(powers, expected):
        words = DIMENSIONS[expected][1]
        raise LoadError(
            f"{what} has a unit that does not fit a {type(joint).__name__.lower()} joint; expected "
            f"{words}"
        )
