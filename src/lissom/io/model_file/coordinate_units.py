"""Units of joint coordinates (angles or lengths), and checks of given units against them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...errors import LoadError, StateError, suggestion
from ...joints import Joint
from ...system import System
from ...units import DIMENSIONS, PAIRS
from .units import NumberWithUnit, fits

TURN, SLIDE, PLAIN = 0, 1, 2
_NATURES = {"rad": TURN, "m": SLIDE, "1": PLAIN}


def check_joint_units(system: System, joint: Any, what: str, value: Any, kind: str) -> None:
    """Reject units that do not fit the motions of a joint."""
    joints = dict(zip(system.names, system.joints, strict=True))
    joints |= {loop.name: loop.joint for loop in system.loops}
    if joint not in joints:
        hint = suggestion(joint, joints)
        raise LoadError(f"joint is {joint!r}, but there is no such joint; {hint}")
    joint_object = joints[joint]
    natures = _natures(joint_object, rates=kind != "coordinate")
    entries = value if isinstance(value, list) else [value]
    if not natures or (len(set(natures)) > 1 and len(entries) != len(natures)):
        return
    for k, entry in enumerate(entries):
        _check(
            entry,
            natures[k] if k < len(natures) else natures[0],
            PAIRS[kind],
            f"{what} of {joint!r}",
            joint_object,
        )


def check_state_units(system: System, name: str, value: Any) -> None:
    """Reject units of an initial state that do not fit the joint `name`, "body" or "body.rates"."""
    body, _, part = name.partition(".")
    if part.startswith("mode"):
        return
    joint = system.joints[system.names.index(body)]
    kind = "rate" if part == "rates" else "coordinate"
    natures = _natures(joint, rates=part == "rates")
    entries: Sequence[Any] = value if isinstance(value, list) else [value]
    if not natures or len(entries) != len(natures):
        return
    for k, entry in enumerate(entries):
        try:
            _check(entry, natures[k], PAIRS[kind], name, joint)
        except LoadError as error:
            raise StateError(str(error)) from None


def _natures(joint: Joint, *, rates: bool) -> list[int]:
    """Kinds of the coordinates or speeds; empty for joints from maps, which are not checked."""
    if joint.is_from_maps:
        return []
    return [_NATURES[unit] for _, unit in (joint.speeds if rates else joint.coordinates)]


def _check(entry: Any, nature: int, pair: tuple[str, str], what: str, joint: Joint) -> None:
    powers = entry.powers if isinstance(entry, NumberWithUnit) else None
    expected = "number" if nature == PLAIN else pair[nature]
    if powers is not None and not fits(powers, expected):
        words = DIMENSIONS[expected][1]
        raise LoadError(
            f"{what} has a unit that does not fit a {type(joint).__name__.lower()} joint; expected "
            f"{words}"
        )
