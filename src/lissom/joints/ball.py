"""Joints with a unit quaternion: spherical and free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from ..immutable import immutable
from ..spatial import block_diagonal, cross, quaternion_product_map, quaternion_rotation
from ..spatial.scalar import zeros
from .base import REMEDY, Array, Joint
from .nearness import quaternion_of

__all__ = ["Free", "Spherical"]


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Spherical(Joint):
    """Any rotation about a point: q is a unit quaternion (w, x, y, z), v is omega, child axes."""

    n_q = 4
    n_v = 3
    has_quaternion = True

    def pose(self, q: Array) -> tuple[Array, Array]:
        return quaternion_rotation(q), zeros(3)

    def motion_map(self, q: Array) -> Array:
        return np.eye(6)[:, :3]

    def rate_map(self, q: Array) -> Array:
        return quaternion_product_map(q) / 2

    def nearest(self, rotation: Array, position: Array) -> Array:
        return quaternion_of(rotation)


@final
@immutable(REMEDY)
@dataclass(frozen=True, eq=False)
class Free(Joint):
    """All six motions.

    q is a unit quaternion (w, x, y, z), then the position in the inboard frame's axes [m];
    v is [omega; v] in the body's axes.
    """

    n_q = 7
    n_v = 6
    has_quaternion = True

    def pose(self, q: Array) -> tuple[Array, Array]:
        return quaternion_rotation(q[:4]), q[4:]

    def motion_map(self, q: Array) -> Array:
        return np.eye(6)

    def bias(self, q: Array, v: Array) -> Array:
        return np.concatenate([zeros(3), cross(v[:3], v[3:])])

    def rate_map(self, q: Array) -> Array:
        return block_diagonal(quaternion_product_map(q[:4]) / 2, quaternion_rotation(q[:4]))

    def nearest(self, rotation: Array, position: Array) -> Array:
        return np.concatenate([quaternion_of(rotation), position])
