"""Factors: elementary motions whose product, from the inboard frame outwards, is a joint.

Notation
  F_k(q_k)   pose of factor k, (R_k, r_k);  the joint's pose is F_1 F_2 ... F_n
  h_k        its twist, [angular; linear] per unit of its coordinate
  c_k        the same twist in the joint's outboard frame, behind the factors k+1 ... n

  c_k = Ad((F_(k+1) ... F_n)^-1) h_k                                                  (1)
  bias = sum_(j<k) v_j v_k [c_jw x c_kw; 2 c_jw x c_kv] + sum_k v_k^2 [0; c_kw x c_kv]  (2)

(2) is the derivative of (1), dc_j/dt = -ad(sum_(k>j) v_k c_k) c_j, with w x (H_v v) added.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..printing import summary
from ..spatial import axis_rotation, cross, left_jacobian, rotation_exp, skew
from ..spatial.scalar import as_numbers, cos, is_numeric, scaled, sin, sqrt, zeros

Array = np.ndarray
Pose = tuple[Array, Array]
Half = Array | None  # a rotation or a vector; None for the identity or zero

# Below this rotation rate the closed form of `twist_exp` loses precision; the series is used.
_SLOW = 0.05


class Turn(NamedTuple):
    """Rotation about an axis, with an advance along it.

    Attributes
    ----------
    q : int
        Index of its coordinate, the angle [rad].
    axis : array (3,)
        Unit vector.
    pitch : float or symbol
        Advance per radian [m/rad].
    """

    q: int
    axis: Array
    pitch: Any = 0.0

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


class Slide(NamedTuple):
    """Translation along an axis.

    Attributes
    ----------
    q : int
        Index of its coordinate, the distance [m].
    axis : array (3,)
        Unit vector.
    """

    q: int
    axis: Array

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


class Twist(NamedTuple):
    """Arbitrary constant twist.

    Attributes
    ----------
    q : int
        Index of its coordinate.
    motion : array (6,)
        [angular; linear] per unit of the coordinate.
    """

    q: int
    motion: Array

    def __repr__(self) -> str:
        """Fields, large arrays by their size."""
        return summary(self)


class Quaternion(NamedTuple):
    """Arbitrary rotation by a unit quaternion (w, x, y, z)."""

    q: int  # index of the first of its four coordinates


OneFactor = Turn | Slide | Twist  # one coordinate each
Factor = OneFactor | Quaternion


def is_pure(turn: Turn) -> bool:
    """Whether a turn has no advance."""
    return isinstance(turn.pitch, (int, float)) and turn.pitch == 0


def halves(factor: OneFactor) -> tuple[Half, Half]:
    """Angular and linear parts of a factor's twist."""
    match factor:
        case Turn(axis=axis, pitch=pitch):
            return axis, None if is_pure(factor) else scaled(pitch, axis)
        case Slide(axis=axis):
            return None, axis
        case Twist(motion=motion):
            return motion[:3], motion[3:]


def factor_pose(factor: OneFactor, q: Array) -> tuple[Half, Half]:
    """Rotation and position of a factor at the coordinates q of the joint."""
    match factor:
        case Turn(axis=axis, pitch=pitch):
            advance = None if is_pure(factor) else scaled(pitch * q[factor.q], axis)
            return axis_rotation(axis, q[factor.q]), advance
        case Slide(axis=axis):
            return None, scaled(q[factor.q], axis)
        case Twist(motion=motion):
            return twist_exp(motion, q[factor.q])


def turned(factor: OneFactor, R: Array) -> OneFactor:
    """Factor with its directions rotated by R; its inverse if R = -I."""
    if isinstance(factor, Twist):
        w, v = factor.motion[:3], factor.motion[3:]
        return Twist(factor.q, np.concatenate([R @ w, R @ v]))
    return factor._replace(axis=R @ factor.axis)


def twist_of(factor: OneFactor) -> Array:
    """Twist [angular; linear] (6,) of a factor."""
    return np.concatenate([zeros(3) if x is None else x for x in halves(factor)])


def twist_exp(h: Array, eps: Any) -> Pose:
    """Pose exp(h eps) of the constant twist h (E 12a), (E 12b).

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
        R_k, r_k = factor_pose(factor, q)
        r = _sum(r, r_k if R is None or r_k is None else R @ r_k)
        R = R_k if R is None else R if R_k is None else R @ R_k
    return np.eye(3) if R is None else R, zeros(3) if r is None else r


class Column(NamedTuple):
    """Twist of a factor in outboard axes."""

    # w, v: (3,) angular and linear parts
    w: Half
    v: Half
    # whether they are known to be parallel: no outer factor moves the axis off itself
    aligned: bool


def columns(factors: tuple[OneFactor, ...], q: Array) -> list[Column]:
    """Twists c_k in outboard axes (1), in the order of the factors."""
    twists: list[Column] = []
    for factor in factors:
        R, r = factor_pose(factor, q)
        twists = [_behind(column, factor, R, r) for column in twists]
        twists.append(Column(*halves(factor), aligned=not isinstance(factor, Twist)))
    return twists


def product_map(factors: tuple[OneFactor, ...], q: Array) -> Array:
    """Motion map H* (6, n), one column for each coordinate."""
    twists = columns(factors, q)
    in_order = sorted(range(len(factors)), key=lambda k: factors[k].q)
    full = [[zeros(3) if x is None else x for x in twists[k][:2]] for k in in_order]
    return np.stack([np.concatenate(x) for x in full], axis=1) if full else zeros(6, 0)


def product_bias(factors: tuple[OneFactor, ...], q: Array, v: Array) -> Array:
    """Relative acceleration (6,) at zero speed rates (2)."""
    twists = columns(factors, q)
    angular, linear = zeros(3), zeros(3)
    for (f, c), (g, d) in combinations(zip(factors, twists, strict=True), 2):
        if c.w is None:
            continue
        speeds = v[f.q] * v[g.q]
        if d.w is not None:
            angular = angular + scaled(speeds, cross(c.w, d.w))
        if d.v is not None:
            linear = linear + scaled(2 * speeds, cross(c.w, d.v))
    for f, c in zip(factors, twists, strict=True):
        if c.w is not None and c.v is not None and not c.aligned:
            linear = linear + scaled(v[f.q] ** 2, cross(c.w, c.v))
    return np.concatenate([angular, linear])


def _behind(c: Column, factor: OneFactor, R: Half, r: Half) -> Column:
    """Twist in the frame behind a factor with the pose (R, r): [R^T w; R^T (v + w x r)]."""
    if isinstance(factor, (Turn, Slide)) and _along(factor.axis, c.w) and _along(factor.axis, c.v):
        return c  # both motions along or about the same axis
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
