"""Symmetric positive definite matrices of any size: A = L d L^T in place, and solutions."""

from __future__ import annotations

from .compiling import jit
from .tree.modal import modal_dot


@jit
def factor_spd(x, o, n, floor):
    """Replace the lower triangle of the n x n matrix at x[o] by L, with 1/d on the diagonal.

    Returns the first row whose pivot is not above `floor` times its diagonal entry, or -1.
    """
    for i in range(n):
        row = o + i * n
        for j in range(i):
            x[row + j] -= modal_dot(x, o + j * n, j, x, row)  # entries hold L d here
        d = x[row + i]
        least = floor * d
        for j in range(i):
            held = x[row + j]
            x[row + j] = held * x[o + j * n + j]
            d -= held * x[row + j]
        if not d > least:
            return i
        x[row + i] = 1.0 / d
    return -1


@jit
def forward_spd(x, o, n, y, o_y):
    """Replace y[o_y] by L^-1 y with the factor that `factor_spd` left at x[o]."""
    for i in range(n):
        y[o_y + i] -= modal_dot(x, o + i * n, i, y, o_y)


@jit
def backward_spd(x, o, n, y, o_y):
    """Replace y[o_y] by L^-T d^-1 y."""
    for i in range(n):
        y[o_y + i] *= x[o + i * n + i]
    for i in range(n - 1, -1, -1):
        e = y[o_y + i]
        row = o + i * n
        for j in range(i):
            y[o_y + j] -= x[row + j] * e


@jit
def solve_spd(x, o, n, y, o_y):
    """Replace y[o_y] by the solution with the factor that `factor_spd` left at x[o]."""
    forward_spd(x, o, n, y, o_y)
    backward_spd(x, o, n, y, o_y)
