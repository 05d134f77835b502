"""Derivatives of forward dynamics from those of inverse dynamics.

With T(q, v, x) = M x + bias and the accelerations x under forces T:
  dx/dq = -M^-1 dT/dq    dx/dv = -M^-1 dT/dv    dx/dT = M^-1                                  (1)
M = L^T L, from the tips to the base: the factor has the zeros of M between branches.  Rows of the
right-hand sides are combined as a whole, so that vector instructions are used.
Source: R. Featherstone, Int. J. Robotics Research 24, 2005, for the factor.
"""

from __future__ import annotations

import math

from ... import fields as field
from ...compiling import jit
from ..articulated import accelerate_base_to_tip, all_finite, articulate_tip_to_base
from ..external import apply_external
from ..motion import motion_base_to_tip
from .sweep import inverse_derivatives


@jit
def forward_derivatives(
    ints, floats, scratch, plan, work, index, q, v, forces, x, T, D_q, D_v, M, flags
):
    """Accelerations x under forces, and their derivatives D_q, D_v and M^-1 (1) in M."""
    n = ints[field.N_V]
    motion_base_to_tip(ints, floats, scratch, q, v, forces, flags)
    if scratch[field.N_EXTERNAL] != 0.0:
        apply_external(ints, scratch, q, v)
    if articulate_tip_to_base(ints, scratch, forces) != field.DONE:
        return field.SINGULAR
    if accelerate_base_to_tip(ints, scratch, x) != field.DONE:
        return field.NOT_FINITE
    inverse_derivatives(
        ints, floats, scratch, plan, work, index, q, v, x, T, D_q, D_v, M, flags | field.ACCELERATED
    )
    return solve_derivatives(D_q, D_v, M, n, work)


@jit
def solve_derivatives(D_q, D_v, M, n, work):
    """Replace D_q and D_v by -M^-1 times them, and M by its inverse; work: n^2 numbers."""
    if not factor(M, n):
        return field.SINGULAR
    for i in range(n):
        for k in range(n):
            work[i * n + k] = M[i, k]
    for i in range(n):
        for k in range(n):
            D_q[i, k], D_v[i, k], M[i, k] = -D_q[i, k], -D_v[i, k], 0.0
        M[i, i] = 1.0
    for k in range(n - 1, -1, -1):  # L^T y = b
        d = 1.0 / work[k * n + k]
        for c in range(n):
            D_q[k, c] *= d
            D_v[k, c] *= d
        for c in range(k, n):
            M[k, c] *= d
        for i in range(k):
            l = work[k * n + i]
            if l != 0.0:
                for c in range(n):
                    D_q[i, c] -= l * D_q[k, c]
                    D_v[i, c] -= l * D_v[k, c]
                for c in range(k, n):
                    M[i, c] -= l * M[k, c]
    for k in range(n):  # L x = y
        for i in range(k):
            l = work[k * n + i]
            if l != 0.0:
                for c in range(n):
                    D_q[k, c] -= l * D_q[i, c]
                    D_v[k, c] -= l * D_v[i, c]
                    M[k, c] -= l * M[i, c]
        d = 1.0 / work[k * n + k]
        for c in range(n):
            D_q[k, c] *= d
            D_v[k, c] *= d
            M[k, c] *= d
    status = field.DONE
    for k in range(n):
        status = max(status, all_finite(D_q[k], n), all_finite(D_v[k], n))
    return status


@jit
def factor(M, n):
    """Lower triangle of L, M = L^T L, in place; False if M is not definite."""
    for k in range(n - 1, -1, -1):
        d = M[k, k]
        if not d > 0.0:
            return False
        root = math.sqrt(d)
        M[k, k] = root
        root = 1.0 / root
        for i in range(k):
            M[k, i] *= root
        for i in range(k):
            l = M[k, i]
            if l != 0.0:
                for j in range(i + 1):
                    M[i, j] -= l * M[k, j]
    return True
