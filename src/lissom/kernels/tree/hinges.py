"""Passage of inertia and force through a hinge, and the motion that the hinge adds.

Inward, P = (A, B, D) and z at the body, T the hinge force:
  D_h = H P H* + a_h = L d L^T      U = P H*      Y = U L^-T      e = L^-1 (T - H z)     (1)
  P+ = P - Y d^-1 Y^T               z+ = z + Y d^-1 e                                    (2)
Outward, alpha+ the acceleration on the inboard side of the hinge:
  beta_dot = L^-T d^-1 (e - Y^T alpha+)      alpha = alpha+ + H* beta_dot                (3)
These are (15), (16), (21)-(23) of `reference` with the motions of the hinge eliminated one by one,
each step symmetric.  A pivot d within the rounding noise of the inertia P ends the sweep.

Revolute and prismatic hinges are written out separately: a common function is not inlined and takes
a tenth of the time of a chain of revolute joints.

Offsets in the workspace: `records.hinge_record`.  Aligned joints use only the first three or six
numbers of H*; ball joints without armature store other numbers, below; free joints their
acceleration.
"""

from __future__ import annotations

from ..compiling import jit
from ..records import hinge_record
from ..small import (
    ZERO,
    add,
    added,
    apply,
    dot,
    matrix,
    put_matrix,
    put_vector,
    scaled,
    turn,
    turn_back,
    vector,
)
from .rigid import without

# A hinge inertia below this fraction of its scale is noise (`reference.check_hinge_inertia`).
BLIND = 50 * 2.0**-52

# Hinge of a ball joint: A^-1 B, then A^-1 (T - z_w).
BALL_GAIN, BALL_RATE = 0, 9


@jit
def revolute_inward(scratch, o, A, B, D, z_w, z_v, force):
    """Pass a revolute hinge."""
    hinge = hinge_record(o, 1)
    h = vector(scratch, o)
    u, y = apply(A, h), turn_back(B, h)
    d = dot(h, u) + scratch[hinge.armature]
    blind = not d > BLIND * (A[0] + A[3] + A[5])
    d = 1.0 / d
    e = force - dot(h, z_w)
    put_vector(scratch, hinge.gain, u)
    put_vector(scratch, hinge.gain + 3, y)
    scratch[hinge.factor] = d
    scratch[hinge.innovation] = e
    A, B, D = without(A, B, D, u, y, d)
    return A, B, D, added(z_w, e * d, u), added(z_v, e * d, y), blind


@jit
def prismatic_inward(scratch, o, A, B, D, z_w, z_v, force):
    """Pass a prismatic hinge."""
    hinge = hinge_record(o, 1)
    h = vector(scratch, o + 3)
    u, y = turn(B, h), apply(D, h)
    d = dot(h, y) + scratch[hinge.armature]
    blind = not d > BLIND * (D[0] + D[3] + D[5])
    d = 1.0 / d
    e = force - dot(h, z_v)
    put_vector(scratch, hinge.gain, u)
    put_vector(scratch, hinge.gain + 3, y)
    scratch[hinge.factor] = d
    scratch[hinge.innovation] = e
    A, B, D = without(A, B, D, u, y, d)
    return A, B, D, added(z_w, e * d, u), added(z_v, e * d, y), blind


@jit
def inverse_symmetric(A):
    """Inverse of a positive definite 3x3 matrix by L d L^T, and its smallest pivot over trace."""
    trace = A[0] + A[3] + A[5]
    d0 = A[0]
    l1, l2 = A[1] / d0, A[2] / d0
    d1 = A[3] - l1 * A[1]
    t = A[4] - l1 * A[2]
    l3 = t / d1
    d2 = A[5] - l2 * A[2] - l3 * t
    pivot = min(d0, min(d1, d2)) / abs(trace)
    k0, k1, k2 = 1.0 / d0, 1.0 / d1, 1.0 / d2
    m2 = l1 * l3 - l2  # last row of L^-1: m2, -l3, 1
    return (
        k0 + l1 * l1 * k1 + m2 * m2 * k2,
        -l1 * k1 - m2 * l3 * k2,
        m2 * k2,
        k1 + l3 * l3 * k2,
        -l3 * k2,
        k2,
    ), pivot


@jit
def spherical_inward(scratch, o, A, B, D, z_w, z_v, force):
    """Pass a spherical hinge, `force` in working axes; stores A^-1 B and A^-1 (T - z_w).

    P+ = [[0, 0], [0, D - B^T A^-1 B]]
    """
    A_inverse, pivot = inverse_symmetric(A)
    x = apply(A_inverse, (B[0], B[3], B[6]))
    y = apply(A_inverse, (B[1], B[4], B[7]))
    z = apply(A_inverse, (B[2], B[5], B[8]))
    nu = apply(A_inverse, added(force, -1.0, z_w))
    put_matrix(scratch, o + BALL_GAIN, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))
    put_vector(scratch, o + BALL_RATE, nu)
    b_x, b_y, b_z = (B[0], B[3], B[6]), (B[1], B[4], B[7]), (B[2], B[5], B[8])
    D = (
        D[0] - dot(b_x, x),
        D[1] - dot(b_x, y),
        D[2] - dot(b_x, z),
        D[3] - dot(b_y, y),
        D[4] - dot(b_y, z),
        D[5] - dot(b_z, z),
    )
    nothing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return nothing, none, D, force, add(z_v, turn_back(B, nu)), not pivot > BLIND


@jit
def free_inward(scratch, o, A, B, D, z_w, z_v, moment, force):
    """Pass a free hinge, which transmits only the applied force; stores P^-1 (T - z).

    Linear motions are eliminated first: their inertia D is well conditioned.
    """
    D_inverse, pivot_v = inverse_symmetric(D)
    x = apply(D_inverse, (B[0], B[1], B[2]))
    y = apply(D_inverse, (B[3], B[4], B[5]))
    z = apply(D_inverse, (B[6], B[7], B[8]))
    b_x, b_y, b_z = (B[0], B[1], B[2]), (B[3], B[4], B[5]), (B[6], B[7], B[8])
    A_bar = (
        A[0] - dot(b_x, x),
        A[1] - dot(b_x, y),
        A[2] - dot(b_x, z),
        A[3] - dot(b_y, y),
        A[4] - dot(b_y, z),
        A[5] - dot(b_z, z),
    )
    A_inverse, pivot_w = inverse_symmetric(A_bar)
    n, f = added(moment, -1.0, z_w), apply(D_inverse, added(force, -1.0, z_v))
    w = apply(A_inverse, added(n, -1.0, turn(B, f)))
    v = added(f, -1.0, add(add(scaled(w[0], x), scaled(w[1], y)), scaled(w[2], z)))
    put_vector(scratch, o, w)
    put_vector(scratch, o + 3, v)
    size = abs((A_bar[0] + A_bar[3] + A_bar[5]) / (A[0] + A[3] + A[5]))
    return not (pivot_v > BLIND and pivot_w * size > BLIND)


@jit
def general_inward(scratch, o, r, A, B, D, z_w, z_v, force, o_v):
    """Pass a hinge of r motions with the map H*."""
    _H, o_y, o_l, o_e, o_a, _child = hinge_record(o, r)
    size_w, size_v = A[0] + A[3] + A[5], D[0] + D[3] + D[5]
    blind = False
    for c in range(r):
        h_w, h_v = vector(scratch, o + 6 * c), vector(scratch, o + 6 * c + 3)
        u, y = add(apply(A, h_w), turn(B, h_v)), add(turn_back(B, h_w), apply(D, h_v))
        e = force[o_v + c] - dot(h_w, z_w) - dot(h_v, z_v)
        d = dot(h_w, u) + dot(h_v, y) + scratch[o_a + c * r + c]
        scale = max(size_w * dot(h_w, h_w) + size_v * dot(h_v, h_v), abs(d))
        for k in range(c):  # (1)
            g_w, g_v = vector(scratch, o + 6 * k), vector(scratch, o + 6 * k + 3)
            l = dot(g_w, u) + dot(g_v, y) + scratch[o_a + c * r + k]
            for j in range(k):
                l -= scratch[o_l + c * r + j] * scratch[o_l + k * r + j] / scratch[o_l + j * r + j]
            l *= scratch[o_l + k * r + k]
            scratch[o_l + c * r + k] = l
            d -= l * l / scratch[o_l + k * r + k]
            e -= l * scratch[o_e + k]
        for k in range(c):
            l = -scratch[o_l + c * r + k]
            u = added(u, l, vector(scratch, o_y + 6 * k))
            y = added(y, l, vector(scratch, o_y + 6 * k + 3))
        blind = blind or not d > BLIND * scale
        scratch[o_l + c * r + c] = 1.0 / d
        scratch[o_e + c] = e
        put_vector(scratch, o_y + 6 * c, u)
        put_vector(scratch, o_y + 6 * c + 3, y)
    for c in range(r):  # (2)
        u, y = vector(scratch, o_y + 6 * c), vector(scratch, o_y + 6 * c + 3)
        d = scratch[o_l + c * r + c]
        A, B, D = without(A, B, D, u, y, d)
        z_w, z_v = added(z_w, d * scratch[o_e + c], u), added(z_v, d * scratch[o_e + c], y)
    return A, B, D, z_w, z_v, blind


@jit
def _only_acceleration(scratch, o, alpha, a):
    """Acceleration of the one motion of a hinge (3)."""
    hinge = hinge_record(o, 1)
    u, y = vector(scratch, hinge.gain), vector(scratch, hinge.gain + 3)
    return (scratch[hinge.innovation] - dot(u, alpha) - dot(y, a)) * scratch[hinge.factor]


@jit
def revolute_outward(scratch, o, alpha, a, out, o_v):
    """Motion that a revolute hinge adds (3)."""
    beta_dot = _only_acceleration(scratch, o, alpha, a)
    out[o_v] = beta_dot
    return added(alpha, beta_dot, vector(scratch, o)), a


@jit
def prismatic_outward(scratch, o, alpha, a, out, o_v):
    """Motion that a prismatic hinge adds (3)."""
    beta_dot = _only_acceleration(scratch, o, alpha, a)
    out[o_v] = beta_dot
    return alpha, added(a, beta_dot, vector(scratch, o + 3))


@jit
def spherical_outward(scratch, o, R, alpha, a, out, o_v):
    """Motion that a spherical hinge adds: alpha = A^-1 (T - z_w) - A^-1 B a; R to child axes."""
    gain = matrix(scratch, o + BALL_GAIN)
    new = added(vector(scratch, o + BALL_RATE), -1.0, turn(gain, a))
    put_vector(out, o_v, turn_back(R, added(new, -1.0, alpha)))
    return new, a


@jit
def free_outward(scratch, o, R, alpha, a, out, o_v):
    """Motion that a free hinge adds."""
    w, v = vector(scratch, o), vector(scratch, o + 3)
    put_vector(out, o_v, turn_back(R, added(w, -1.0, alpha)))
    put_vector(out, o_v + 3, turn_back(R, added(v, -1.0, a)))
    return w, v


@jit
def general_outward(scratch, o, r, alpha, a, out, o_v):
    """Motion that a hinge of r motions adds (3)."""
    _H, o_y, o_l, o_e, _a, _child = hinge_record(o, r)
    h_w, h_v = ZERO, ZERO
    for c in range(r - 1, -1, -1):
        u, y = vector(scratch, o_y + 6 * c), vector(scratch, o_y + 6 * c + 3)
        s = (scratch[o_e + c] - dot(u, alpha) - dot(y, a)) * scratch[o_l + c * r + c]
        for k in range(c + 1, r):
            s -= scratch[o_l + k * r + c] * out[o_v + k]
        out[o_v + c] = s
        h_w = added(h_w, s, vector(scratch, o + 6 * c))
        h_v = added(h_v, s, vector(scratch, o + 6 * c + 3))
    return add(alpha, h_w), add(a, h_v)
