"""Factors: the elementary motions that a joint is a product of, from the inboard frame outwards.

Notation
  F_k(q_k)   pose of factor k, (R_k, r_k);  the joint's pose is F_1 F_2 ... F_n
  h_k        its twist, [angular; linear] for one unit of its coordinate
  c_k        the same in the axes of the outboard frame: the twist behind the factors k+1 ... n

  c_k = Ad((F_(k+1) ... F_n)^-1) h_k                                                  (1)
  bias = sum_(j<k) v_j v_k [c_jw x c_kw; 2 c_jw x c_kv] + sum_k v_k^2 [0; c_kw x c_kv]  (2)

(2) is the derivative of (1), dc_j/dt = -ad(sum_(k>j) v_k c_k) c_j, with w x (H_v v) added.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..spatial import axis_rotation, cross, left_jacobian, rotation_exp, skew
from ..spatial.scalar import as_numbers, cos, is_numeric, scaled, sin, sqrt, zeros

Array = np.ndarray
Pose = tuple[Array, Array]
Half = Array | None  # a rotation or a vector; None for the identity or zero

# Below this rotation rate the closed form of `twist_exp` divides by small numbers: take the series.
_SLOW = 0.05


class Turn(NamedTuple):
    """Rotation about an axis, with an advance along it.

    Attributes
    ----------
    q : int
        Number of its coordinate, the angle [rad].
    axis : array (3,)
        Unit vector.
    pitch : float or symbol
        Advance for each radian [m/rad].
    """

    q: int
    axis: Array
    pitch: Any = 0.0

    @property
    def is_pure(self) -> bool:
        """Whether nothing advances."""
        return isinstance(self.pitch, (int, float)) and self.pitch == 0

    @property
    def halves(self) -> tuple[Half, Half]:
        """Angular and linear part of the twist."""
        return self.axis, None if self.is_pure else scaled(self.pitch, self.axis)

    def pose(self, q: Array) -> tuple[Half, Half]:
        """Rotation and position at the coordinates q of the joint."""
        advance = None if self.is_pure else scaled(self.pitch * q[self.q], self.axis)
        return axis_rotation(self.axis, q[self.q]), advance

    def reversed(self) -> Turn:
        """Inverse of the factor."""
        return self._replace(axis=0.0 - self.axis)

    def rotated(self, R: Array) -> Turn:
        """Factor with all directions turned by R."""
        return self._replace(axis=R @ self.axis)


class Slide(NamedTuple):
    """Translation along an axis.

    Attributes
    ----------
    q : int
        Number of its coordinate, the distance [m].
    axis : array (3,)
        Unit vector.
    """

    q: int
    axis: Array

    @property
    def halves(self) -> tuple[Half, Half]:
        """Angular and linear part of the twist."""
        return None, self.axis

    def pose(self, q: Array) -> tuple[Half, Half]:
        """Rotation and position at the coordinates q of the joint."""
        return None, scaled(q[self.q], self.axis)

    def reversed(self) -> Slide:
        """Inverse of the factor."""
        return self._replace(axis=0.0 - self.axis)

    def rotated(self, R: Array) -> Slide:
        """Factor with all directions turned by R."""
        return self._replace(axis=R @ self.axis)


class Twist(NamedTuple):
    """Constant twist of any kind.

    Attributes
    ----------
    q : int
        Number of its coordinate.
    motion : array (6,)
        [angular; linear] for one unit of the coordinate.
    """

    q: int
    motion: Array

    @property
    def halves(self) -> tuple[Half, Half]:
        """Angular and linear part of the twist."""
        return self.motion[:3], self.motion[3:]

    def pose(self, q: Array) -> tuple[Half, Half]:
        """Rotation and position at the coordinates q of the joint."""
        return twist_exp(self.motion, q[self.q])

    def reversed(self) -> Twist:
        """Inverse of the factor."""
        return self._replace(motion=0.0 - self.motion)

    def rotated(self, R: Array) -> Twist:
        """Factor with all directions turned by R."""
        return self._replace(motion=np.concatenate([R @ self.motion[:3], R @ self.motion[3:]]))


class Quaternion(NamedTuple):
    """Any rotation, by a unit quaternion (w, x, y, z).

    Attributes
    ----------
    q : int
        Number of the first of its four coordinates.
    """

    q: int


OneFactor = Turn | Slide | Twist  # one coordinate each
Factor = OneFactor | Quaternion


def twist_of(factor: OneFactor) -> Array:
    """Twist [angular; linear] (6,) of a factor."""
    return np.concatenate([zeros(3) if x is None else x for x in factor.halves])


def twist_exp(h: Array, eps: Any) -> Pose:
    """Pose reached by the constant twist h after the parameter eps.

    rotation exp([h_w]x eps), position (integral_0^eps exp([h_w]x s) ds) h_v
    """
    h_w, h_v = as_numbers(h[:3]), h[3:]
    K = skew(h_w)
    if is_numeric(h_w):
        w = float(np.linalg.norm(h_w))
        if w == 0:
            return np.eye(3), scaled(eps, h_v)
        if w < _SLOW:
            theta = scaled(eps, h_w)
            return rotation_exp(theta), left_jacobian(theta) @ scaled(eps, h_v)
    else:
        w = sqrt(h_w @ h_w)
    s, c = sin(w * eps) / w, (1 - cos(w * eps)) / w**2
    rotation = np.eye(3) + scaled(s, K) + scaled(c, K @ K)
    position = scaled(eps, h_v) + scaled(c, K @ h_v) + scaled((eps - s) / w**2, K @ (K @ h_v))
    return rotation, position


def product_pose(factors: tuple[OneFactor, ...], q: Array) -> Pose:
    """Pose F_1 F_2 ... F_n."""
    R, r = None, None
    for factor in factors:
        R_k, r_k = factor.pose(q)
        r = _sum(r, r_k if R is None or r_k is None else R @ r_k)
        R = R_k if R is None else R if R_k is None else R @ R_k
    return np.eye(3) if R is None else R, zeros(3) if r is None else r


class Column(NamedTuple):
    """Twist of a factor in outboard axes.

    Attributes
    ----------
    w, v : array (3,), or None for zero
        Angular and linear part.
    aligned : bool
        Whether they are parallel: an axis with nothing further out that moves it.
    """

    w: Half
    v: Half
    aligned: bool


def columns(factors: tuple[OneFactor, ...], q: Array) -> list[Column]:
    """Twists c_k in outboard axes (1), in the order of the factors."""
    found: list[Column] = []
    for factor in factors:
        R, r = factor.pose(q)
        found = [_behind(column, factor, R, r) for column in found]
        found.append(Column(*factor.halves, aligned=not isinstance(factor, Twist)))
    return found


def product_map(factors: tuple[OneFactor, ...], q: Array) -> Array:
    """H* (6, n), a column for each coordinate."""
    found = columns(factors, q)
    in_order = sorted(range(len(factors)), key=lambda k: factors[k].q)
    halves = [[zeros(3) if x is None else x for x in found[k][:2]] for k in in_order]
    return np.stack([np.concatenate(x) for x in halves], axis=1) if halves else zeros(6, 0)


def product_bias(factors: tuple[OneFactor, ...], q: Array, v: Array) -> Array:
    """Relative acceleration (6,) at zero speed rates (2)."""
    found = columns(factors, q)
    angular, linear = zeros(3), zeros(3)
    for (f, c), (g, d) in combinations(zip(factors, found, strict=True), 2):
        if c.w is None:
            continue
        speeds = v[f.q] * v[g.q]
        if d.w is not None:
            angular = angular + scaled(speeds, cross(c.w, d.w))
        if d.v is not None:
            linear = linear + scaled(2 * speeds, cross(c.w, d.v))
    for f, c in zip(factors, found, strict=True):
        if c.w is not None and c.v is not None and not c.aligned:
            linear = linear + scaled(v[f.q] ** 2, cross(c.w, c.v))
    return np.concatenate([angular, linear])


def _behind(c: Column, factor: OneFactor, R: Half, r: Half) -> Column:
    """A twist seen behind a factor with the pose (R, r): [R^T w; R^T (v + w x r)]."""
    if isinstance(factor, (Turn, Slide)) and _along(factor.axis, c.w) and _along(factor.axis, c.v):
        return c  # a motion along and about the same axis
    w, v, aligned = c
    if w is not None and r is not None:
        v, aligned = _sum(v, cross(w, r)), False
    if R is not None:
        w, v = None if w is None else R.T @ w, None if v is None else R.T @ v
    return Column(w, v, aligned)


def _along(axis: Array, x: Half) -> bool:
    return x is None or x is axis or np.array_equal(x, axis)


def _sum(a: Half, b: Half) -> Half:
    return b if a is None else a if b is None else a + b
