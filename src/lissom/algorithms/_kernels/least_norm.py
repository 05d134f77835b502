"""Smallest solution of a symmetric system that may be singular.

Lambda = L L^T, rows in the order of their largest remaining part of the diagonal          (1)
all rows independent: by substitution; else  lambda = L (L^T L)^-2 L^T rhs                 (2)
"""

from __future__ import annotations

import math

from .compiling import jit
from .dense import factor_spd, solve_spd
from .modal import modal_dot

# A row whose diagonal entry is below this part of the largest moves nothing.
IMMOVABLE = 1e-14


@jit
def factor_semidefinite(x, o, n, o_l, o_order, o_left, tolerance):
    """L (1) of the n x n matrix at x[o] into x[o_l], the order of rows into x[o_order].

    Returns the number of independent rows: those with more than `tolerance` of their diagonal
    entry left when their turn comes.
    """
    largest = 0.0
    for i in range(n):
        x[o_left + i] = x[o + i * n + i]
        x[o_order + i] = float(i)
        largest = max(largest, x[o + i * n + i])
    for s in range(n):
        best, part = -1, tolerance
        for t in range(s, n):
            i = int(x[o_order + t])
            d = x[o + i * n + i]
            if d > IMMOVABLE * largest and x[o_left + i] > part * d:
                best, part = t, x[o_left + i] / d
        if best < 0:
            return s
        x[o_order + s], x[o_order + best] = x[o_order + best], x[o_order + s]
        p = int(x[o_order + s])
        d = math.sqrt(x[o_left + p])
        x[o_l + p * n + s] = d
        for t in range(s + 1, n):
            i = int(x[o_order + t])
            e = (x[o + i * n + p] - modal_dot(x, o_l + i * n, s, x, o_l + p * n)) / d
            x[o_l + i * n + s] = e
            x[o_left + i] -= e * e
    return n


@jit
def solve_least_norm(x, o_l, o_order, n, rank, o_gram, o_room, o_y):
    """Replace the right-hand side at x[o_y] by the smallest solution."""
    for s in range(n):
        x[o_room + s] = x[o_y + s]
    if rank == n:
        for s in range(n):
            p = int(x[o_order + s])
            e = x[o_room + p] - modal_dot(x, o_l + p * n, s, x, o_y)
            x[o_y + s] = e / x[o_l + p * n + s]
        for s in range(n):
            x[o_room + s] = x[o_y + s]
        for s in range(n - 1, -1, -1):
            p = int(x[o_order + s])
            e = x[o_room + s] / x[o_l + p * n + s]
            for t in range(s):
                x[o_room + t] -= x[o_l + p * n + t] * e
            x[o_room + s] = e
        for s in range(n):
            x[o_y + int(x[o_order + s])] = x[o_room + s]
        return
    for s in range(n):  # what lies beyond the independent rows of L is above its diagonal
        p = int(x[o_order + s])
        for t in range(s + 1, rank):
            x[o_l + p * n + t] = 0.0
    for s in range(rank):  # (2)
        e = 0.0
        for i in range(n):
            e += x[o_l + i * n + s] * x[o_room + i]
        x[o_y + s] = e
        for t in range(s + 1):
            e = 0.0
            for i in range(n):
                e += x[o_l + i * n + s] * x[o_l + i * n + t]
            x[o_gram + s * rank + t] = e
    for s in range(rank):
        x[o_room + s] = x[o_y + s]
    factor_spd(x, o_gram, rank, 0.0)
    solve_spd(x, o_gram, rank, x, o_room)
    solve_spd(x, o_gram, rank, x, o_room)
    for i in range(n):
        e = 0.0
        for s in range(rank):
            e += x[o_l + i * n + s] * x[o_room + s]
        x[o_y + i] = e
