"""Joints about and along fixed axes: their speeds are the rates of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ..errors import ModelError
from ..immutable import immutable
from ..spatial import axis_rotation, cross, shortest_rotation
from ..spatial.scalar import array, is_numeric, scaled, zeros
from .base import REMEDY, Array, Joint, unit_axis
from .nearness import angle_about

__all__ = ["Cylindrical", "Fixed", "Planar", "Prismatic", "Revolute", "Screw", "Universal"]


def _set_axis(joint: Joint, *names: str) -> None:
    for name in names:
        what = f"{type(joint).__name__}: {name}"
        object.__setattr__(joint, name, unit_axis(getattr(joint, name), what))


def _columns(*columns: Array) -> Array:
    return np.stack(columns, axis=1)


def _turn(axis: Array) -> Array:
    return np.concatenate([axis, zeros(3)])


def _slide(axis: Array) -> Array:
    return np.concatenate([zeros(3), axis])


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Fixed(Joint):
    """No motion: the body is welded to the inboard frame."""

    n_q = 0
    n_v = 0

    def pose(self, q: Array) -> tuple[Array, Array]:
        return np.eye(3), zeros(3)

    def motion_map(self, q: Array) -> Array:
        return zeros(6, 0)

    def nearest(self, rotation: Array, position: Array) -> Array:
        return zeros(0)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Revolute(Joint):
    """Rotation about an axis.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is the angle [rad].
    """

    axis: Any
    n_q = 1
    n_v = 1

    def __post_init__(self) -> None:
        _set_axis(self, "axis")

    def pose(self, q: Array) -> tuple[Array, Array]:
        return axis_rotation(self.axis, q[0]), zeros(3)

    def motion_map(self, q: Array) -> Array:
        return _columns(_turn(self.axis))

    def nearest(self, rotation: Array, position: Array) -> Array:
        return np.array([angle_about(self.axis, rotation)])


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Prismatic(Joint):
    """Translation along an axis.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is the slide [m].
    """

    axis: Any
    n_q = 1
    n_v = 1

    def __post_init__(self) -> None:
        _set_axis(self, "axis")

    def pose(self, q: Array) -> tuple[Array, Array]:
        return np.eye(3), scaled(q[0], self.axis)

    def motion_map(self, q: Array) -> Array:
        return _columns(_slide(self.axis))

    def nearest(self, rotation: Array, position: Array) -> Array:
        return np.array([self.axis @ position])


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Screw(Joint):
    """Rotation about an axis with a translation along it in proportion.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is the angle [rad].
    pitch : float or symbol
        Advance per angle [m/rad].
    """

    axis: Any
    pitch: Any
    n_q = 1
    n_v = 1

    def __post_init__(self) -> None:
        _set_axis(self, "axis")
        try:
            pitch = array(self.pitch)
        except (TypeError, ValueError):
            pitch = zeros(0)
        if pitch.shape != () or (is_numeric(pitch) and not np.isfinite(pitch)):
            raise ModelError(f"Screw: pitch is {self.pitch!r}; give a finite number [m/rad]")
        object.__setattr__(self, "pitch", pitch[()])

    def pose(self, q: Array) -> tuple[Array, Array]:
        return axis_rotation(self.axis, q[0]), scaled(self.pitch * q[0], self.axis)

    def motion_map(self, q: Array) -> Array:
        return _columns(np.concatenate([self.axis, scaled(self.pitch, self.axis)]))

    def nearest(self, rotation: Array, position: Array) -> Array:
        angle = angle_about(self.axis, rotation)
        if self.pitch != 0:  # the slide tells the number of turns
            turns = (self.axis @ position / self.pitch - angle) / (2 * np.pi)
            angle += 2 * np.pi * np.round(turns)
        return np.array([angle])


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Cylindrical(Joint):
    """Rotation about and translation along one axis, independent of each other.

    Parameters
    ----------
    axis : {"x", "y", "z"} or array (3,)
        Direction, normalised; q is (angle [rad], slide [m]).
    """

    axis: Any
    n_q = 2
    n_v = 2

    def __post_init__(self) -> None:
        _set_axis(self, "axis")

    def pose(self, q: Array) -> tuple[Array, Array]:
        return axis_rotation(self.axis, q[0]), scaled(q[1], self.axis)

    def motion_map(self, q: Array) -> Array:
        return _columns(_turn(self.axis), _slide(self.axis))

    def nearest(self, rotation: Array, position: Array) -> Array:
        return np.array([angle_about(self.axis, rotation), self.axis @ position])


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Universal(Joint):
    """Rotation about axis1, then about axis2 as turned by the first.

    Parameters
    ----------
    axis1, axis2 : {"x", "y", "z"} or array (3,)
        Directions, normalised, not parallel; q is the two angles [rad].
    """

    axis1: Any
    axis2: Any
    n_q = 2
    n_v = 2

    def __post_init__(self) -> None:
        _set_axis(self, "axis1", "axis2")
        normal = cross(self.axis1, self.axis2)
        if is_numeric(normal) and np.linalg.norm(normal) < 1e-9:
            raise ModelError("Universal: axis1 and axis2 are parallel; use Revolute instead")

    def pose(self, q: Array) -> tuple[Array, Array]:
        return axis_rotation(self.axis1, q[0]) @ axis_rotation(self.axis2, q[1]), zeros(3)

    def motion_map(self, q: Array) -> Array:
        return _columns(_turn(self._first_axis(q)), _turn(self.axis2))

    def bias(self, q: Array, v: Array) -> Array:
        # d/dt (R2^T a1) v1 = (R2^T a1 x a2) v1 v2
        return _turn(scaled(v[0] * v[1], cross(self._first_axis(q), self.axis2)))

    def nearest(self, rotation: Array, position: Array) -> Array:
        # the second axis is turned by the first angle alone
        turned, a1, a2 = rotation @ self.axis2, self.axis1, self.axis2
        first = np.arctan2(a1 @ np.cross(a2, turned), a2 @ turned - (a1 @ a2) * (a1 @ turned))
        return np.array([first, angle_about(a2, axis_rotation(a1, first).T @ rotation)])

    def _first_axis(self, q: Array) -> Array:
        return axis_rotation(self.axis2, q[1]).T @ self.axis1


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Planar(Joint):
    """Motion in a plane: two translations, then a rotation about the normal.

    Parameters
    ----------
    normal : {"x", "y", "z"} or array (3,)
        Normal of the plane, normalised.  q is (x [m], y [m], angle [rad]); the in-plane axes are
        the first two columns of the shortest rotation that takes z to the normal.
    """

    normal: Any
    n_q = 3
    n_v = 3

    def __post_init__(self) -> None:
        _set_axis(self, "normal")

    def pose(self, q: Array) -> tuple[Array, Array]:
        plane = shortest_rotation(self.normal)
        return axis_rotation(self.normal, q[2]), plane[:, :2] @ q[:2]

    def motion_map(self, q: Array) -> Array:
        # The bias is zero: the speeds are components along axes that do not turn.
        plane = axis_rotation(self.normal, q[2]).T @ shortest_rotation(self.normal)
        return _columns(_slide(plane[:, 0]), _slide(plane[:, 1]), _turn(self.normal))

    def nearest(self, rotation: Array, position: Array) -> Array:
        plane = shortest_rotation(self.normal)
        return np.array([*(plane[:, :2].T @ position), angle_about(self.normal, rotation)])
