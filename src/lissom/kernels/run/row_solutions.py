"""Implicit steps with derivatives of loads that are not diagonal in the speeds.

The matrix of a step is M + A + B, where B = sum_r U_r^T V_r, V = of_damping C + of_stiffness K,
from the rows of `load_rows`.  With X_r the accelerations that forces U_r cause in the step without
B, loops closed, and y the accelerations found without B from the iterate x_0:
  x = x_0 + d - sum_r X_r (Y d)_r      Y = (1 + V X)^-1 V      d = y - x_0                     (1)
(Woodbury).  Only rows whose V is not zero count.
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import uncounted
from ..layout import run
from .evaluate import solve_mass
from .views import slope_rows

LEAST = 1e-12  # pivot of 1 + V X below which it is singular


@uncounted
def select_rows(system, arrays, work, of_damping, of_stiffness):
    """Write V, and move the rows that count to the front; returns their number."""
    of, n, used = slope_rows(arrays, work), system.ints[field.N_V], 0
    for i in range(int(of.count[0])):
        counts = False
        for k in range(n):
            j = i * n + k
            value = of_damping * of.C[j] + of_stiffness * of.K[j]
            of.V[j] = value
            counts = counts or value != 0.0
        if not counts:
            continue
        for k in range(n if used != i else 0):
            to, j = used * n + k, i * n + k
            of.U[to], of.K[to], of.C[to], of.V[to] = of.U[j], of.K[j], of.C[j], of.V[j]
        used += 1
    return used


@uncounted
def solve_rows(system, arrays, work, q, used):
    """Write X and Y of (1) for the first `used` rows; 0 or a failure.

    system: with the stiff scratch, after `prepare_armature`.
    """
    of, n = slope_rows(arrays, work), system.ints[field.N_V]
    for i in range(used):
        for k in range(n):
            of.column[k], of.solution[k] = of.U[i * n + k], 0.0
        status = solve_mass(system, arrays, q, of.column, of.zero, of.solution)
        if status != 0:
            return status
        for k in range(n):
            of.X[i * n + k] = of.solution[k]
    for i in range(used):
        for j in range(used):
            x = 1.0 if i == j else 0.0
            for k in range(n):
                x += of.V[i * n + k] * of.X[j * n + k]
            of.small[i * used + j] = x
    for i in range(used * n):
        of.C[i] = of.V[i]
    return _divide(of.small, used, of.C, n)


@uncounted
def _divide(G, m, Y, n):
    """Replace the m rows of Y, n numbers each, by G^-1 Y; pivots rows; 0 or SINGULAR_."""
    for k in range(m):
        best = k
        for i in range(k + 1, m):
            if abs(G[i * m + k]) > abs(G[best * m + k]):
                best = i
        if not abs(G[best * m + k]) > LEAST:
            return run.SINGULAR_
        if best != k:
            for j in range(m):
                G[k * m + j], G[best * m + j] = G[best * m + j], G[k * m + j]
            for j in range(n):
                Y[k * n + j], Y[best * n + j] = Y[best * n + j], Y[k * n + j]
        for i in range(k + 1, m):
            f = G[i * m + k] / G[k * m + k]
            if f != 0.0:
                for j in range(k, m):
                    G[i * m + j] -= f * G[k * m + j]
                for j in range(n):
                    Y[i * n + j] -= f * Y[k * n + j]
    for k in range(m - 1, -1, -1):
        for i in range(k + 1, m):
            f = G[k * m + i]
            for j in range(n if f != 0.0 else 0):
                Y[k * n + j] -= f * Y[i * n + j]
        for j in range(n):
            Y[k * n + j] /= G[k * m + k]
    return 0


@uncounted
def soften_by_rows(system, arrays, work, used, x0, x):
    """Replace accelerations x, found without the rows, by (1)."""
    of, n = slope_rows(arrays, work), system.ints[field.N_V]
    for i in range(used):
        y = 0.0
        for k in range(n):
            y += of.C[i * n + k] * (x[k] - x0[k])
        of.small[i] = y
    for i in range(used):
        for k in range(n):
            x[k] -= of.X[i * n + k] * of.small[i]


@uncounted
def add_row_forces(system, arrays, work, used, rows, factor, x, out):
    """Add factor sum_r U_r^T (rows_r x) to `out`; rows: those of K or V."""
    of, n = slope_rows(arrays, work), system.ints[field.N_V]
    for i in range(used):
        y = 0.0
        for k in range(n):
            y += rows[i * n + k] * x[k]
        for k in range(n):
            out[k] += factor * y * of.U[i * n + k]
