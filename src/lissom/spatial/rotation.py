"""Rotations: cross products, exponential map and its Jacobian, quaternions.

Rotation matrices map components in the rotated axes to components in the original axes
(child to parent).  Quaternions are (w, x, y, z).
"""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from .scalar import array, cos, scaled, select, sin, sqrt

Array = np.ndarray

# Squared angle below which the closed forms lose digits and the series are used.
_SMALL = 0.25
_TERMS = 9
_SKEWED = 1e-6  # allowed deviation of the column lengths from 1
_EXACT = 1e-14  # deviation of a rotation matrix that counts as rounding


def rotation_fault(R: Array) -> str:
    """Reason why a matrix (3x3, numbers) is not a rotation, or "" if it is."""
    if not np.all(np.isfinite(R)):
        return "it contains entries that are not finite"
    if np.abs(R.T @ R - np.eye(3)).max() > _SKEWED:
        stretch = np.linalg.svd(R, compute_uv=False)
        if np.abs(stretch - 1).max() > _SKEWED:
            return (
                f"its columns are not orthonormal: it stretches by {stretch.min():.6g} to "
                f"{stretch.max():.6g}"
            )
    if np.linalg.det(R) < 0:
        return "its determinant is -1: it is a reflection"
    return ""


def exact_rotation(R: Array) -> Array:
    """Nearest rotation to a matrix without a `rotation_fault`; unchanged if exact to rounding."""
    if np.abs(R.T @ R - np.eye(3)).max() < _EXACT:
        return R  # to the last bit
    U, _, Vt = np.linalg.svd(R)
    return U @ Vt


def skew(a: Array) -> Array:
    """Matrix [a]x with skew(a) @ b = a x b."""
    x, y, z = a
    zero = 0.0 * x
    return np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])


def cross(a: Array, b: Array) -> Array:
    """Cross product of two 3-vectors of any scalar type."""
    return np.array(
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    )


def axis_rotation(axis: Array, angle: Any) -> Array:
    """Rotation by `angle` [rad] about the unit vector `axis`."""
    K = skew(axis)
    return np.eye(3) + scaled(sin(angle), K) + scaled(1 - cos(angle), K @ K)


def _series(first: int, x: Any) -> Any:
    """Sum over k of (-x)^k / (2k + first)!, by Horner's rule."""
    total: Any = 0.0
    for k in reversed(range(_TERMS)):
        total = (-1) ** k / factorial(2 * k + first) + x * total
    return total


def _series_rate(first: int, x: Any) -> Any:
    """Sum over k >= 1 of (-1)^k 2k x^(k-1) / (2k + first)!: the derivative by t, over t."""
    total: Any = 0.0
    for k in reversed(range(1, _TERMS)):
        total = (-1) ** k * 2 * k / factorial(2 * k + first) + x * total
    return total


def _coefficients(x: Any) -> tuple[Any, Any, Any]:
    """Values of sin t / t, (1 - cos t) / t^2 and (t - sin t) / t^3 from x = t^2."""
    y = select(x, _SMALL, 1.0, x)
    t = sqrt(y)
    closed = (sin(t) / t, (1 - cos(t)) / y, (t - sin(t)) / (t * y))
    a, b, c = (select(x, _SMALL, _series(k + 1, x), f) for k, f in enumerate(closed))
    return a, b, c


def _coefficient_rates(x: Any) -> tuple[Any, Any]:
    """Rates (db/dt)/t and (dc/dt)/t of the last two of `_coefficients`, from x = t^2."""
    y = select(x, _SMALL, 1.0, x)
    t = sqrt(y)
    s, k = sin(t), cos(t)
    b1 = (t * s - 2 * (1 - k)) / (y * y)
    c1 = (3 * s - 2 * t - t * k) / (y * y * t)
    return (
        select(x, _SMALL, _series_rate(2, x), b1),
        select(x, _SMALL, _series_rate(3, x), c1),
    )


def rotation_exp(theta: Array) -> Array:
    """Rotation exp([theta]x) by the rotation vector theta [rad]."""
    K = skew(theta)
    a, b, _ = _coefficients(theta @ theta)
    return np.eye(3) + scaled(a, K) + scaled(b, K @ K)


def left_jacobian(theta: Array) -> Array:
    """Left Jacobian J_l: angular velocity = J_l(theta) theta_dot, in the axes of theta.

    J_l = I + b [theta]x + c [theta]x^2,  b = (1 - cos t)/t^2,  c = (t - sin t)/t^3,  t = |theta|.
    """
    K = skew(theta)
    _, b, c = _coefficients(theta @ theta)
    return np.eye(3) + scaled(b, K) + scaled(c, K @ K)


def left_jacobian_rate(theta: Array, theta_dot: Array) -> Array:
    """Product (d/dt J_l(theta)) theta_dot = b1 s x + c1 s theta x x + c theta_dot x x.

    Here x = theta x theta_dot, s = theta . theta_dot, b1 = (db/dt)/t and c1 = (dc/dt)/t.
    """
    x = cross(theta, theta_dot)
    s = theta @ theta_dot
    _, _, c = _coefficients(theta @ theta)
    b1, c1 = _coefficient_rates(theta @ theta)
    return scaled(b1 * s, x) + scaled(c1 * s, cross(theta, x)) + scaled(c, cross(theta_dot, x))


def quaternion_rotation(quaternion: Array) -> Array:
    """Rotation matrix of the quaternion (w, x, y, z), which is normalised first."""
    w, u = quaternion[0], quaternion[1:]
    K = skew(u)
    return np.eye(3) + scaled(2 / (quaternion @ quaternion), scaled(w, K) + K @ K)


def quaternion_product_map(quaternion: Array) -> Array:
    """Matrix Q (4x3) with quaternion_dot = Q @ omega / 2, omega in the rotated axes."""
    w, x, y, z = quaternion
    return np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def shortest_rotation(direction: Array) -> Array:
    """Smallest rotation that takes z to the unit vector `direction`; for -z, about x."""
    x, y, z = direction
    if (x, y) == (0, 0):
        sign = 1.0 if z > 0 else -1.0
        return np.diag([1.0, sign, sign])
    K = skew(array([-y, x, 0 * x]))
    return np.eye(3) + K + (K @ K) / (1 + z)
