"""Spatial inertia of a rigid body, (J, p, m) about a point, and the articulated inertia (A, B, D).

(J, p, m) stands for [[J, [p]x], [-[p]x, m I]]; J is symmetric, six numbers.  (A, B, D) stands for
[[A, B], [B^T, D]]; A and D are symmetric, six numbers each, so the matrix is always symmetric to
the last bit.
"""

from __future__ import annotations

from ..compiling import jit
from ..small import (
    add,
    added,
    apply,
    cross,
    dot,
    matrix,
    put_matrix,
    put_symmetric,
    scaled,
    symmetric,
    turned,
    turned_symmetric,
)


@jit
def rigid_force(J, p, m, w, alpha, a):
    """Moment and force that produce the acceleration [alpha; a] of a body at rate w."""
    moment = add(add(apply(J, alpha), cross(p, a)), cross(w, apply(J, w)))
    return moment, add(add(scaled(m, a), cross(alpha, p)), cross(w, cross(w, p)))


@jit
def shifted_inertia(J, p, m, l):
    """Inertia J and moment p about a new point; l: from the new point to the old one."""
    d = 2.0 * dot(l, p) + m * dot(l, l)
    x, y, z = l
    u, v, w = p
    return (
        J[0] + d - (2.0 * x * u + m * x * x),
        J[1] - (x * v + u * y + m * x * y),
        J[2] - (x * w + u * z + m * x * z),
        J[3] + d - (2.0 * y * v + m * y * y),
        J[4] - (y * w + v * z + m * y * z),
        J[5] + d - (2.0 * z * w + m * z * z),
    ), added(p, m, l)


@jit
def plus_rigid(A, B, D, J, p, m):
    """Sum of an articulated inertia and a rigid body's."""
    x, y, z = p
    return (
        (A[0] + J[0], A[1] + J[1], A[2] + J[2], A[3] + J[3], A[4] + J[4], A[5] + J[5]),
        (B[0], B[1] - z, B[2] + y, B[3] + z, B[4], B[5] - x, B[6] - y, B[7] + x, B[8]),
        (D[0] + m, D[1], D[2], D[3] + m, D[4], D[5] + m),
    )


@jit
def rigid_as_articulated(J, p, m):
    """Inertia of a rigid body as (A, B, D)."""
    x, y, z = p
    return J, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0), (m, 0.0, 0.0, m, 0.0, m)


@jit
def without(A, B, D, u, y, scale):
    """Inertia minus scale [u; y] [u; y]^T."""
    f, g = scaled(scale, u), scaled(scale, y)
    return (
        (A[0] - u[0] * f[0], A[1] - u[0] * f[1], A[2] - u[0] * f[2],
         A[3] - u[1] * f[1], A[4] - u[1] * f[2], A[5] - u[2] * f[2]),
        (B[0] - u[0] * g[0], B[1] - u[0] * g[1], B[2] - u[0] * g[2],
         B[3] - u[1] * g[0], B[4] - u[1] * g[1], B[5] - u[1] * g[2],
         B[6] - u[2] * g[0], B[7] - u[2] * g[1], B[8] - u[2] * g[2]),
        (D[0] - y[0] * g[0], D[1] - y[0] * g[1], D[2] - y[0] * g[2],
         D[3] - y[1] * g[1], D[4] - y[1] * g[2], D[5] - y[2] * g[2]),
    )  # fmt: skip


@jit
def turned_articulated(R, A, B, D):
    """Inertia in axes rotated by R."""
    return turned_symmetric(R, A), turned(R, B), turned_symmetric(R, D)


@jit
def shifted_articulated(r, A, B, D):
    """Inertia about a new point; r: from the new point to the old one.

    B' = B + [r]x D,   A' = A + [r]x B^T + B' [r]x^T
    """
    x = cross(r, (D[0], D[1], D[2]))
    y = cross(r, (D[1], D[3], D[4]))
    z = cross(r, (D[2], D[4], D[5]))
    B_0 = (B[0] + x[0], B[1] + y[0], B[2] + z[0])
    B_1 = (B[3] + x[1], B[4] + y[1], B[5] + z[1])
    B_2 = (B[6] + x[2], B[7] + y[2], B[8] + z[2])
    e, f, g = cross(r, B_0), cross(r, B_1), cross(r, B_2)
    x, y = cross(r, (B[0], B[1], B[2])), cross(r, (B[3], B[4], B[5]))
    z = cross(r, (B[6], B[7], B[8]))
    return (
        (A[0] + e[0] + x[0], A[1] + e[1] + y[0], A[2] + e[2] + z[0],
         A[3] + f[1] + y[1], A[4] + f[2] + z[1], A[5] + g[2] + z[2]),
        (B_0[0], B_0[1], B_0[2], B_1[0], B_1[1], B_1[2], B_2[0], B_2[1], B_2[2]),
        D,
    )  # fmt: skip


@jit
def articulated(x, o):
    """Articulated inertia (A, B, D) at x[o]."""
    return symmetric(x, o), matrix(x, o + 6), symmetric(x, o + 15)


@jit
def put_articulated(x, o, A, B, D):
    """Write an articulated inertia at x[o]."""
    put_symmetric(x, o, A)
    put_matrix(x, o + 6, B)
    put_symmetric(x, o + 15, D)


@jit
def plus_articulated(A, B, D, A_n, B_n, D_n):
    """Sum of two articulated inertias."""
    return (
        (A[0] + A_n[0], A[1] + A_n[1], A[2] + A_n[2],
         A[3] + A_n[3], A[4] + A_n[4], A[5] + A_n[5]),
        (B[0] + B_n[0], B[1] + B_n[1], B[2] + B_n[2], B[3] + B_n[3], B[4] + B_n[4],
         B[5] + B_n[5], B[6] + B_n[6], B[7] + B_n[7], B[8] + B_n[8]),
        (D[0] + D_n[0], D[1] + D_n[1], D[2] + D_n[2],
         D[3] + D_n[3], D[4] + D_n[4], D[5] + D_n[5]),
    )  # fmt: skip
