"""Joints with a unit quaternion: spherical and free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self, final

import numpy as np

from ..immutable import immutable
from ..spatial import (
    block_diagonal,
    cross,
    left_jacobian,
    quaternion_product_map,
    quaternion_rotation,
)
from ..spatial.scalar import zeros
from .base import REMEDY, Array, Chart, Joint, Names, Symbol
from .factors import Quaternion, Slide
from .nearness import quaternion_of

_ATTITUDE: Names = tuple((f"q{x}", "1") for x in "wxyz")
_TURNS: Names = tuple((f"turn_{x}", "rad") for x in "xyz")
_MOVES: Names = tuple((f"move_{x}", "m") for x in "xyz")


@dataclass(frozen=True, eq=False)
class _WithQuaternion(Joint):
    """Joint whose poses form a group, with a unit quaternion for its attitude."""

    has_quaternion = True

    @property
    def maps(self) -> tuple[Array, ...]:
        return (self.motion_map(self.neutral()),)

    @property
    def nearest_iterates(self) -> bool:
        return False

    def with_rates(self) -> None:
        return None

    def reversed(self) -> Self:
        return self

    def rotated(self, R: Array) -> Self:
        return self


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Spherical(_WithQuaternion):
    """Any rotation about a point: q is a unit quaternion (w, x, y, z), v is omega in body axes."""

    coordinates = _ATTITUDE
    speeds = _TURNS
    symbol = Symbol("o", filled=True, size=0.9, axes=False)
    factors = (Quaternion(0),)

    def pose(self, q: Array) -> tuple[Array, Array]:
        return quaternion_rotation(q), zeros(3)

    def motion_map(self, q: Array) -> Array:
        return np.eye(6)[:, :3]

    def bias(self, q: Array, v: Array) -> Array:
        return zeros(6)

    def rate_map(self, q: Array) -> Array:
        return quaternion_product_map(q) / 2

    def moved(self, q: Array, motion: Array) -> Array:
        return _turned(q, motion)

    @property
    def charts(self) -> tuple[Any, ...]:
        return (Chart("ball", 4, 3),)

    def nearest(self, rotation: Array, position: Array) -> Array:
        return quaternion_of(rotation)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Free(_WithQuaternion):
    """All six motions.

    The coordinates q are a unit quaternion (w, x, y, z) and the position in the inboard frame's
    axes [m]; the speeds are [omega; v] in the body's axes.
    """

    coordinates = (*_ATTITUDE, *((x, "m") for x in "xyz"))
    speeds = (*_TURNS, *_MOVES)
    symbol = Symbol("d", axes=False)

    @property
    def factors(self) -> tuple[Any, ...]:
        return *(Slide(4 + k, np.eye(3)[k]) for k in range(3)), Quaternion(0)

    def pose(self, q: Array) -> tuple[Array, Array]:
        return quaternion_rotation(q[:4]), q[4:]

    def motion_map(self, q: Array) -> Array:
        return np.eye(6)

    def bias(self, q: Array, v: Array) -> Array:
        return np.concatenate([zeros(3), cross(v[:3], v[3:])])

    def rate_map(self, q: Array) -> Array:
        return block_diagonal(quaternion_product_map(q[:4]) / 2, quaternion_rotation(q[:4]))

    def moved(self, q: Array, motion: Array) -> Array:
        shift = quaternion_rotation(q[:4]) @ left_jacobian(motion[:3]) @ motion[3:]
        return np.concatenate([_turned(q[:4], motion[:3]), q[4:] + shift])

    @property
    def charts(self) -> tuple[Any, ...]:
        return (Chart("pose", 7, 6),)

    def nearest(self, rotation: Array, position: Array) -> Array:
        return np.concatenate([quaternion_of(rotation), position])


def _turned(quaternion: Array, theta: Array) -> Array:
    """Unit quaternion after a further rotation by the vector theta, in outboard axes."""
    angle = np.linalg.norm(theta)
    half = 0.5 * np.sinc(angle / (2 * np.pi)) * theta
    turned = np.cos(angle / 2) * quaternion + quaternion_product_map(quaternion) @ half
    return turned / np.linalg.norm(turned)
