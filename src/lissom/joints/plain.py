"""Coordinates whose rates are the joint's speeds: what they are called, and their units."""

from __future__ import annotations

from .axial import Cylindrical, Planar, Prismatic, Revolute, Screw, Universal
from .base import Joint

__all__ = ["PLAIN", "plain_coordinates"]

Parts = tuple[tuple[str, str], ...]  # name and unit of each coordinate

PLAIN: dict[type[Joint], Parts] = {
    Revolute: (("angle", "rad"),),
    Prismatic: (("slide", "m"),),
    Screw: (("angle", "rad"),),
    Cylindrical: (("angle", "rad"), ("slide", "m")),
    Universal: (("angle1", "rad"), ("angle2", "rad")),
    Planar: (("x", "m"), ("y", "m"), ("angle", "rad")),
}


def plain_coordinates(joint: Joint) -> Parts:
    """Names and units of a joint's coordinates; none if their rates are not its speeds.

    Parameters
    ----------
    joint : Joint
        Any.
    """
    return PLAIN.get(type(joint), ())
