"""Vectorised quaternions (n, 4) and rotation vectors (n, 3).

J_r(s) maps the rate of a rotation vector s to the angular velocity in rotated axes.
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

Array = np.ndarray

_NEXT, _LAST = [1, 2, 0], [2, 0, 1]

# Squared angle below which the closed forms lose digits and the series are used.
_SMALL = 0.25
_C = [(-1) ** k / factorial(2 * k + 3) for k in range(9)]
_B1 = [(-1) ** k * 2 * k / factorial(2 * k + 2) for k in range(1, 10)]
_C1 = [(-1) ** k * 2 * k / factorial(2 * k + 3) for k in range(1, 10)]


def cross(a: Array, b: Array) -> Array:
    """Cross products (n, 3); NumPy's function takes ten times as long for a single one."""
    return a[:, _NEXT] * b[:, _LAST] - a[:, _LAST] * b[:, _NEXT]


def unit(q: Array) -> Array:
    """Normalised quaternions."""
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def product(a: Array, b: Array) -> Array:
    """Products of quaternions (n, 4)."""
    w = a[:, :1] * b[:, :1] - np.sum(a[:, 1:] * b[:, 1:], axis=1, keepdims=True)
    u = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + cross(a[:, 1:], b[:, 1:])
    return np.hstack([w, u])


def quaternions(R: Array) -> Array:
    """Unit quaternions (n, 4) of rotation matrices (n, 3, 3), of either sign."""
    # The row of 4 q q^T with the largest diagonal entry, which is at least one
    x, y, z = (R[:, k, k] for k in range(3))
    squares = np.stack([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z], axis=1)
    outer = np.empty((len(R), 4, 4))
    outer[:, range(4), range(4)] = squares
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        outer[:, 0, k + 1] = outer[:, k + 1, 0] = R[:, j, i] - R[:, i, j]
        outer[:, i + 1, j + 1] = outer[:, j + 1, i + 1] = R[:, i, j] + R[:, j, i]
    return unit(outer[np.arange(len(R)), np.argmax(squares, axis=1)])


def rotated(q: Array, x: Array) -> Array:
    """Vectors rotated by unit quaternions: child axes to inboard axes."""
    twice = 2 * cross(q[:, 1:], x)
    return x + q[:, :1] * twice + cross(q[:, 1:], twice)


def continuous(q: Array) -> Array:
    """Quaternions without sign changes from row to row; w >= 0 in the first."""
    follows = np.where(np.sum(q[1:] * q[:-1], axis=1) < 0, -1.0, 1.0)
    first = np.where(q[:1, 0] < 0, -1.0, 1.0)
    return q * np.cumprod(np.concatenate([first, follows]))[:, None]


def exponential(s: Array) -> Array:
    """Quaternions of rotation vectors."""
    half = np.linalg.norm(s, axis=1, keepdims=True) / 2
    return np.hstack([np.cos(half), np.sinc(half / np.pi) * s / 2])


def rotation_vector(q: Array, expected: Array) -> Array:
    """Logarithm of unit quaternions of either sign, the one of two nearest to the expected vector.

    Above one radian the speeds determine the direction of rotation.
    """
    q = np.where(q[:, :1] < 0, -q, q)
    sine = np.linalg.norm(q[:, 1:], axis=1, keepdims=True)
    angle = 2 * np.arctan2(sine, q[:, :1])
    axis = q[:, 1:] / np.where(sine == 0, 1.0, sine)
    short, long = angle * axis, (angle - 2 * np.pi) * axis

    def miss(s: Array) -> Array:
        return np.linalg.norm(s - expected, axis=1, keepdims=True)

    return np.where((angle > 1) & (miss(long) < miss(short)), long, short)


def _series_or(x: Array, series: list[float], closed: Any) -> Array:
    y = np.where(x < _SMALL, 1.0, x)
    total = np.zeros_like(x)
    for coefficient in reversed(series):
        total = coefficient + x * total
    return np.where(x < _SMALL, total, closed(np.sqrt(y)))


def _square(s: Array) -> Array:
    return np.sum(s * s, axis=1, keepdims=True)


def jacobian(s: Array, x: Array) -> Array:
    """Product J_r(s) x = x - b s x x + c s x (s x x)."""
    t2, turned = _square(s), cross(s, x)
    b = np.sinc(np.sqrt(t2) / (2 * np.pi)) ** 2 / 2
    c = _series_or(t2, _C, lambda t: (t - np.sin(t)) / t**3)
    return x - b * turned + c * cross(s, turned)


def over_jacobian(s: Array, x: Array) -> Array:
    """Solution J_r(s)^-1 x = x + s x x / 2 + d s x (s x x),  d = (1 - (t/2) cot(t/2)) / t^2."""
    t2, turned = _square(s), cross(s, x)
    y = np.where(t2 < 1e-4, 1.0, t2)
    half = np.sqrt(y) / 2
    # Below this angle the product with s^2 compensates for the digits lost in the closed form.
    d = np.where(t2 < 1e-4, 1 / 12 + t2 / 720, (1 - half / np.tan(half)) / y)
    return x + turned / 2 + d * cross(s, turned)


def jacobian_rate(s: Array, s_dot: Array) -> Array:
    """Product (dJ_r/dt) s' = -b1 p x + c1 p s x x + c s' x x  with x = s x s', p = s . s'."""
    t2, x = _square(s), cross(s, s_dot)
    p = np.sum(s * s_dot, axis=1, keepdims=True)
    c = _series_or(t2, _C, lambda t: (t - np.sin(t)) / t**3)
    b1 = _series_or(t2, _B1, lambda t: (t * np.sin(t) - 2 * (1 - np.cos(t))) / t**4)
    c1 = _series_or(t2, _C1, lambda t: (3 * np.sin(t) - 2 * t - t * np.cos(t)) / t**5)
    return p * (c1 * cross(s, x) - b1 * x) + c * cross(s_dot, x)


def roll_pitch_yaw(q: Array) -> Array:
    """Roll, pitch and yaw (n, 3) of rotations R = R_z(yaw) R_y(pitch) R_x(roll), without jumps.

    Two triples stand for each rotation, and where the pitch is a quarter turn infinitely many do:
    each row takes the one nearest to the row before.

    `q` (n, 4): unit quaternions, in the order of a motion.
    """
    w, x, y, z = np.moveaxis(q[:, :4], -1, 0)
    xx, xy, xz = 1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)
    zy, zz = 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    level = np.hypot(xx, xy)  # cosine of the pitch
    angles = np.stack([np.arctan2(zy, zz), np.arctan2(-xz, level), np.arctan2(xy, xx)], axis=-1)
    for k in np.flatnonzero(level < _UPRIGHT):  # only the difference or sum of the others is known
        up = 1.0 if angles[k, 1] > 0 else -1.0
        angles[k, 0] = angles[k - 1, 0] if k else 0.0
        together = np.arctan2(2 * (x[k] * y[k] - w[k] * z[k]), 1 - 2 * (x[k] ** 2 + z[k] ** 2))
        angles[k, 2] = up * (angles[k, 0] - up * together)
    other = np.stack([angles[:, 0] + np.pi, np.pi - angles[:, 1], angles[:, 2] + np.pi], axis=-1)
    near, far = (np.abs(_wrapped(a[1:] - angles[:-1])).sum(axis=1) for a in (angles, other))
    changed = np.cumsum(np.concatenate([[False], far < near])[: len(angles)]) % 2 == 1
    return np.unwrap(np.where(changed[:, None], other, angles), axis=0)


_UPRIGHT = 1e-9  # cosine of a pitch that is taken for a quarter turn


def _wrapped(angles: Array) -> Array:
    return (angles + np.pi) % (2 * np.pi) - np.pi
