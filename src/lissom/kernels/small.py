"""Vectors and matrices of size three as tuples of scalars, which live in registers.

A 3x3 matrix is nine numbers, row by row; a symmetric one is six: xx, xy, xz, yy, yz, zz.
"""

from __future__ import annotations

import math

from .compiling import jit

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)

# 1 / (2k + 1)!, 1 / (2k + 2)!, 1 / (2k + 3)! for k = 0 to 8
SERIES = tuple(1.0 / math.factorial(2 * k + j) for k in range(9) for j in (1, 2, 3))


@jit
def unit(axis):
    """Coordinate axis."""
    if axis == 0:
        return 1.0, 0.0, 0.0
    if axis == 1:
        return 0.0, 1.0, 0.0
    return 0.0, 0.0, 1.0


@jit
def vector(x, o):
    """Three numbers at x[o]."""
    return x[o], x[o + 1], x[o + 2]


@jit
def matrix(x, o):
    """Nine numbers at x[o]."""
    return x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5], x[o + 6], x[o + 7], x[o + 8]


@jit
def symmetric(x, o):
    """Six numbers at x[o]."""
    return x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5]


@jit
def put_vector(x, o, a):
    """Write three numbers at x[o]."""
    x[o], x[o + 1], x[o + 2] = a


@jit
def put_symmetric(x, o, a):
    """Write six numbers at x[o]."""
    x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5] = a


@jit
def put_matrix(x, o, a):
    """Write nine numbers at x[o]."""
    x[o], x[o + 1], x[o + 2], x[o + 3], x[o + 4], x[o + 5], x[o + 6], x[o + 7], x[o + 8] = a


@jit
def add(a, b):
    """Sum of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@jit
def scaled(s, a):
    """Vector times a number."""
    return s * a[0], s * a[1], s * a[2]


@jit
def added(a, s, b):
    """Value of a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@jit
def dot(a, b):
    """Scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit
def cross(a, b):
    """Cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit
def turn(R, a):
    """Product R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@jit
def turn_back(R, a):
    """Product R^T a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@jit
def product(A, B):
    """Product A B."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@jit
def apply(J, a):
    """Product J a of a symmetric matrix."""
    return (
        J[0] * a[0] + J[1] * a[1] + J[2] * a[2],
        J[1] * a[0] + J[3] * a[1] + J[4] * a[2],
        J[2] * a[0] + J[4] * a[1] + J[5] * a[2],
    )


@jit
def turned_symmetric(R, J):
    """Product R J R^T of a symmetric J, 45 multiplications."""
    x = apply(J, (R[0], R[1], R[2]))
    y = apply(J, (R[3], R[4], R[5]))
    z = apply(J, (R[6], R[7], R[8]))
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
        R[3] * y[0] + R[4] * y[1] + R[5] * y[2],
        R[6] * y[0] + R[7] * y[1] + R[8] * y[2],
        R[6] * z[0] + R[7] * z[1] + R[8] * z[2],
    )


@jit
def column(A, axis):
    """Column of a matrix."""
    if axis == 0:
        return A[0], A[3], A[6]
    if axis == 1:
        return A[1], A[4], A[7]
    return A[2], A[5], A[8]


@jit
def transposed(A):
    """Transpose."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@jit
def turned(R, B):
    """Product R B R^T."""
    return product(product(R, B), transposed(R))


@jit
def quaternion_rotation(w, x, y, z):
    """Rotation of the quaternion (w, x, y, z), read as quaternion / |quaternion|."""
    s = 2.0 / (w * w + x * x + y * y + z * z)
    wx, wy, wz = s * w * x, s * w * y, s * w * z
    xx, xy, xz = s * x * x, s * x * y, s * x * z
    yy, yz, zz = s * y * y, s * y * z, s * z * z
    return (
        1.0 - (yy + zz), xy - wz, xz + wy,
        xy + wz, 1.0 - (xx + zz), yz - wx,
        xz - wy, yz + wx, 1.0 - (xx + yy),
    )  # fmt: skip


@jit
def axis_rotation(a, angle):
    """Rotation by an angle about a unit vector."""
    s, c = math.sin(angle), math.cos(angle)
    d = 1.0 - c
    x, y, z = a
    # 1 - d (y y + z z) instead of c + d x x: exact where the axis is a coordinate axis
    return (
        1.0 - d * (y * y + z * z), d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, 1.0 - d * (x * x + z * z), d * y * z - s * x,
        d * x * z - s * y, d * y * z + s * x, 1.0 - d * (x * x + y * y),
    )  # fmt: skip


@jit
def rotation_coefficients(x):
    """Functions a, b, c of `spatial.rotation` and their rates b1, c1, from x = t^2.

    a = sin t / t, b = (1 - cos t) / t^2, c = (t - sin t) / t^3, b1 = (db/dt) / t, c1 = (dc/dt) / t.
    The closed forms lose digits near zero, so below t = 1/2 nine terms of the series are used.
    """
    if x < 0.25:
        a = b = c = b1 = c1 = 0.0
        for k in range(8, -1, -1):
            a = SERIES[3 * k] - x * a
            b = SERIES[3 * k + 1] - x * b
            c = SERIES[3 * k + 2] - x * c
        for k in range(8, 0, -1):
            b1 = -2.0 * k * SERIES[3 * k + 1] - x * b1
            c1 = -2.0 * k * SERIES[3 * k + 2] - x * c1
    else:
        t = math.sqrt(x)
        s, k = math.sin(t), math.cos(t)
        a = s / t
        b = (1.0 - k) / x
        c = (t - s) / (t * x)
        b1 = (t * s - 2.0 * (1.0 - k)) / (x * x)
        c1 = (3.0 * s - 2.0 * t - t * k) / (x * x * t)
    return a, b, c, b1, c1


@jit
def one_plus(b, c, u):
    """Matrix I + b [u]x + c [u]x^2."""
    x, y, z = u
    xx, xy, xz, yy, yz, zz = c * x * x, c * x * y, c * x * z, c * y * y, c * y * z, c * z * z
    return (
        1.0 - (yy + zz), xy - b * z, xz + b * y,
        xy + b * z, 1.0 - (xx + zz), yz - b * x,
        xz - b * y, yz + b * x, 1.0 - (xx + yy),
    )  # fmt: skip


@jit
def six(a, b):
    """Spatial vector from its angular and linear halves."""
    return a[0], a[1], a[2], b[0], b[1], b[2]


@jit
def pose(x, o):
    """Rotation and position at x[o]."""
    return matrix(x, o), vector(x, o + 9)


@jit
def put_pose(x, o, R, r):
    """Write a rotation and a position at x[o]."""
    put_matrix(x, o, R)
    put_vector(x, o + 9, r)
