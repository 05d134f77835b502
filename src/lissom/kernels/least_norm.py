"""Least-norm solution of a symmetric system that may be singular or nearly singular.

  Lambda = L L^T, rows ordered by the remainder of their diagonal entry relative to their size   (1)
The size of a row is the largest diagonal entry of its loop.  A row with almost no remainder depends
on those before it.  With the r others:
  L_r L_r^T x = rhs by substitution                                                              (2)
  or in runs close to singular positions, for a part of the right-hand side:
                x += (Lambda_r + eps sizes)^-1 (rhs - Lambda_r x), ten times from zero           (3)
                equal to (2) except for parts of Lambda_r below eps/10, and smooth near these
  lambda = L (L^T L)^-1 L^T x: the smallest of all solutions                                     (4)
Source of (3): the augmented Lagrangian method, E. Bayo et al., Comput. Methods Appl. Mech. Eng. 71,
1988.
"""

from __future__ import annotations

import math

from .compiling import jit
from .dense import factor_spd, solve_spd
from .tree.modal import modal_dot

# Remainder of a row relative to its size: below the first value the row depends on others, below
# the second the position is close to singular; the last is eps (3).
DEPENDENT, CLOSE, SOFTENING = 1e-12, 1e-5, 4e-7
TIMES = 10


@jit
def factor_semidefinite(x, o, n, o_l, o_order, o_left, o_size):
    """Write L (1) of the n x n matrix at x[o] to x[o_l], and the order of rows to x[o_order].

    Sizes of rows are at x[o_size].  Returns the number of independent rows and their smallest
    remainder.
    """
    smallest = 1.0
    for i in range(n):
        x[o_left + i] = x[o + i * n + i]
        x[o_order + i] = float(i)
    for s in range(n):
        best, part = -1, DEPENDENT
        for t in range(s, n):
            i = int(x[o_order + t])
            if x[o_left + i] > part * x[o_size + i]:
                best, part = t, x[o_left + i] / x[o_size + i]
        if best < 0:
            return s, smallest
        smallest = min(smallest, part)
        x[o_order + s], x[o_order + best] = x[o_order + best], x[o_order + s]
        p = int(x[o_order + s])
        d = math.sqrt(x[o_left + p])
        x[o_l + p * n + s] = d
        for t in range(s + 1, n):
            i = int(x[o_order + t])
            e = (x[o + i * n + p] - modal_dot(x, o_l + i * n, s, x, o_l + p * n)) / d
            x[o_l + i * n + s] = e
            x[o_left + i] -= e * e
    return n, smallest


@jit
def solve_least_norm(x, solution, n, rank, soft):
    """Replace the right-hand side at x[solution.force] by the least-norm solution.

    soft: the part at x[solution.asked] is solved by (3), the rest by (2).
    """
    if soft:
        for i in range(n):
            x[solution.force + i] -= x[solution.asked + i]
    _substitute(x, solution, n, rank)
    if soft:
        _soften(x, solution, n, rank)
        for i in range(n):
            x[solution.force + i] += x[solution.asked + i]
    if rank < n:
        _shorten(x, solution, n, rank)


@jit
def _substitute(x, solution, n, rank):
    """Solution (2); zero in the rows that depend on others."""
    o_l, o_order, o_work, o_y = solution.factor, solution.order, solution.work, solution.force
    for s in range(rank):
        p = int(x[o_order + s])
        e = x[o_y + p] - modal_dot(x, o_l + p * n, s, x, o_work)
        x[o_work + s] = e / x[o_l + p * n + s]
    for s in range(rank - 1, -1, -1):
        p = int(x[o_order + s])
        e = x[o_work + s] / x[o_l + p * n + s]
        for t in range(s):
            x[o_work + t] -= x[o_l + p * n + t] * e
        x[o_work + s] = e
    for s in range(n):
        x[o_y + int(x[o_order + s])] = x[o_work + s] if s < rank else 0.0


@jit
def _soften(x, solution, n, rank):
    """Solution (3); zero in the rows that depend on others."""
    o, o_order, o_size = solution.Lambda, solution.order, solution.size
    o_gram, o_work, o_y = solution.gram, solution.work, solution.asked
    for s in range(rank):
        i = int(x[o_order + s])
        for t in range(s + 1):
            x[o_gram + s * rank + t] = x[o + i * n + int(x[o_order + t])]
        x[o_gram + s * rank + s] += SOFTENING * x[o_size + i]
        x[o_work + s] = 0.0
    factor_spd(x, o_gram, rank, 0.0)
    for _ in range(TIMES):
        for s in range(rank):
            i = int(x[o_order + s])
            e = x[o_y + i]
            for t in range(rank):
                e -= x[o + i * n + int(x[o_order + t])] * x[o_work + t]
            x[o_work + n + s] = e
        solve_spd(x, o_gram, rank, x, o_work + n)
        for s in range(rank):
            x[o_work + s] += x[o_work + n + s]
    for s in range(n):
        x[o_y + int(x[o_order + s])] = x[o_work + s] if s < rank else 0.0


@jit
def _shorten(x, solution, n, rank):
    """Remove the null-space component from a solution (4)."""
    o_l, o_order, o_gram = solution.factor, solution.order, solution.gram
    o_work, o_y = solution.work, solution.force
    for s in range(n):  # beyond the independent rows, L is nonzero above its diagonal
        p = int(x[o_order + s])
        for t in range(s + 1, rank):
            x[o_l + p * n + t] = 0.0
    for s in range(rank):
        e = 0.0
        for i in range(n):
            e += x[o_l + i * n + s] * x[o_y + i]
        x[o_work + s] = e
        for t in range(s + 1):
            e = 0.0
            for i in range(n):
                e += x[o_l + i * n + s] * x[o_l + i * n + t]
            x[o_gram + s * rank + t] = e
    factor_spd(x, o_gram, rank, 0.0)
    solve_spd(x, o_gram, rank, x, o_work)
    for i in range(n):
        e = 0.0
        for s in range(rank):
            e += x[o_l + i * n + s] * x[o_work + s]
        x[o_y + i] = e
