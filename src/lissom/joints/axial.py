"""Joints with fixed axes, whose speeds are the rates of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Self, final

import numpy as np

from ..errors import ModelError
from ..immutable import immutable
from ..spatial import cross, shortest_rotation
from ..spatial.scalar import is_numeric
from .base import DIRECTION, PITCH, REMEDY, Array, Symbol
from .factored import FactoredJoint
from .factors import Slide, Turn, Twist


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Fixed(FactoredJoint):
    """No motion: the body is welded to the inboard frame."""

    coordinates = ()
    symbol = Symbol("s", filled=True, size=0.55)
    factors = ()

    def reversed(self) -> Self:
        return self

    def rotated(self, R: Array) -> Self:
        return self


@dataclass(frozen=True, eq=False)
class _OneAxis(FactoredJoint):
    axis: Any = field(metadata=DIRECTION)

    def reversed(self) -> Self:
        return replace(self, axis=0.0 - self.axis)

    def rotated(self, R: Array) -> Self:
        return replace(self, axis=R @ self.axis)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Revolute(_OneAxis):
    """Rotation about an axis.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is the angle [rad].
    """

    coordinates = (("angle", "rad"),)
    symbol = Symbol("o")

    @property
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        return (Turn(0, self.axis),)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Prismatic(_OneAxis):
    """Translation along an axis.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is the slide [m].
    """

    coordinates = (("slide", "m"),)
    symbol = Symbol("s", size=0.95, along=True)

    @property
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        return (Slide(0, self.axis),)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Screw(_OneAxis):
    """Rotation about an axis with a proportional translation along it.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is the angle [rad].
    pitch : float or symbol
        Advance per radian [m/rad].
    """

    pitch: Any = field(metadata=PITCH)
    coordinates = (("angle", "rad"),)
    symbol = Symbol("h", size=1.1)

    @property
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        return (Turn(0, self.axis, self.pitch),)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Cylindrical(_OneAxis):
    """Independent rotation about and translation along one axis.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is (angle [rad], slide [m]).
    """

    coordinates = (("angle", "rad"), ("slide", "m"))
    symbol = Symbol("8", size=1.1)

    @property
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        return Slide(1, self.axis), Turn(0, self.axis)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Universal(FactoredJoint):
    """Rotation about axis1, then about axis2, which turns with the first rotation.

    Parameters
    ----------
    axis1, axis2 : {"x", "y", "z"} or array (3,)
        Directions, normalised, not parallel; q is the two angles [rad].
    """

    axis1: Any = field(metadata=DIRECTION)
    axis2: Any = field(metadata=DIRECTION)
    coordinates = (("angle1", "rad"), ("angle2", "rad"))
    symbol = Symbol("X", size=1.15)

    def __post_init__(self) -> None:
        super().__post_init__()
        normal = cross(self.axis1, self.axis2)
        if is_numeric(normal) and np.linalg.norm(normal) < 1e-9:
            raise ModelError("Universal: axis1 and axis2 are parallel; use Revolute instead")

    @property
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        return Turn(0, self.axis1), Turn(1, self.axis2)

    def reversed(self) -> Self:
        return replace(self, axis1=0.0 - self.axis2, axis2=0.0 - self.axis1)

    def rotated(self, R: Array) -> Self:
        return replace(self, axis1=R @ self.axis1, axis2=R @ self.axis2)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Planar(FactoredJoint):
    """Motion in a plane: two translations, then a rotation about the normal.

    Parameters
    ----------
    normal : {"x", "y", "z"} or array (3,)
        Normal of the plane, normalised.  q is (x [m], y [m], angle [rad]); the in-plane axes are
        the first two columns of the shortest rotation that takes z to the normal.
    """

    normal: Any = field(metadata=DIRECTION)
    coordinates = (("x", "m"), ("y", "m"), ("angle", "rad"))
    symbol = Symbol("D", size=0.85, axes=False)

    @property
    def factors(self) -> tuple[Turn | Slide | Twist, ...]:
        plane = shortest_rotation(self.normal)
        return Slide(0, plane[:, 0]), Slide(1, plane[:, 1]), Turn(2, self.normal)

    # These copies reach the same poses as the joint, at different coordinates.

    def reversed(self) -> Self:
        return self

    def rotated(self, R: Array) -> Self:
        return replace(self, normal=R @ self.normal)
