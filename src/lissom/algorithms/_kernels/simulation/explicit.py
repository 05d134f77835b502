"""Explicit steps: Euler-Cromer and Runge-Kutta methods in local coordinates.

Runge-Kutta, stages i of a tableau (A, b, c), local coordinates s of `coordinates`, s = 0 at t:
  s_i = h sum_j A_ij S_j      v_i = v + h sum_j A_ij V_j                              (1)
  S_i = rates of s at (s_i, v_i)      V_i = accelerations at (t + c_i h, q(s_i), v_i) (2)
  s_1 = h sum b_i S_i         v_1 = v + h sum b_i V_i                                 (3)
This is the method of Munthe-Kaas: the orders of the tableau hold on the groups of the joints.
Source: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Appl. Num. Math. 29, 1999.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..fields import POSITIVE
from . import fields as run
from .coordinates import chart_rates, charted, moved
from .evaluate import evaluate


@jit
def euler_cromer(system, given, room, t, h, q0, v0, x0, s, q1, v1):
    """Speeds by the accelerations at the start, then coordinates by the new speeds."""
    for k in range(system[0][field.N_V]):
        v1[k] = v0[k] + h * x0[k]
        s[k] = h * v1[k]
    if moved(given[0], given[1], q0, s, q1, room[4]) != field.DONE:
        return run.SINGULAR_COORDINATES
    return 0


@jit
def stage(system, given, room, i, width, row, c, t, h, q0, v0, s, q, v, S, V, flags):
    """Stage i: state (1) into s, q, v from the row of weights at table[row:], rates (2) to S, V."""
    n = system[0][field.N_V]
    plan, table = given[0], given[1]
    combine(table, row, width, h, n, S, V, v0, s, v)
    charted(plan, table, q0, s, q)
    o = i * n
    status = evaluate(system, given, room, t + c * h, q, v, V[o : o + n], flags)
    if status != 0:
        return status
    if chart_rates(plan, table, s, q, v, S[o : o + n], room[4]) != field.DONE:
        return run.SINGULAR_COORDINATES
    return 0


@jit
def combine(table, row, width, h, n, S, V, v0, s, v):
    """S = h sum w_j S_j, v = v0 + h sum w_j V_j over `width` stages."""
    fresh = True
    for j in range(width):
        w = h * table[row + j]
        if w == 0.0:
            continue
        o = (j * n) & POSITIVE
        if fresh:
            for k in range(n):
                s[k] = w * S[o + k]
                v[k] = v0[k] + w * V[o + k]
            fresh = False
        else:
            for k in range(n):
                s[k] += w * S[o + k]
                v[k] += w * V[o + k]
    if fresh:
        for k in range(n):
            s[k] = 0.0
            v[k] = v0[k]


# Tableau in table: A rows of `total`, b `total`, c `total`, error weights `total`, second error
# weights `total`, dense output DEGREE rows of `total`; total = N_STAGE + 1 + N_DENSE: the stage
# after the last is the state at the end of the step.


@jit
def runge_kutta(system, given, room, t, h, q0, v0, x0, s, q, v, S, V, flags):
    """Rates S, V of the stages, the first one at the start of the step."""
    n = system[0][field.N_V]
    plan, table = given[0], given[1]
    n_stage, o = plan[run.N_STAGE], plan[run.TABLEAU]
    total = n_stage + 1 + plan[run.N_DENSE]
    c = o + total * total + total
    for k in range(n):
        V[k] = x0[k]
        s[k] = 0.0
    if chart_rates(plan, table, s, q0, v0, S[:n], room[4]) != field.DONE:
        return run.SINGULAR_COORDINATES
    for i in range(1, n_stage):
        status = stage(
            system, given, room, i, i, o + i * total, table[c + i], t, h, q0, v0, s, q, v, S, V,
            flags,
        )  # fmt: skip
        if status != 0:
            return status
    return 0


@jit
def explicit_step(system, given, room, t, h, q0, v0, x0, s, q1, v1, S, V, flags):
    """One step of a method with fixed steps (3), or of Euler and Cromer, into q1, v1."""
    plan, table = given[0], given[1]
    if plan[run.METHOD] == run.EULER_CROMER:
        return euler_cromer(system, given, room, t, h, q0, v0, x0, s, q1, v1)
    status = runge_kutta(system, given, room, t, h, q0, v0, x0, s, q1, v1, S, V, flags)
    if status == 0:
        total = plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
        o, n = plan[run.TABLEAU] + total * total, system[0][field.N_V]
        combine(table, o, plan[run.N_STAGE], h, n, S, V, v0, s, v1)
        charted(plan, table, q0, s, q1)
    return status


@jit
def error_norm(system, given, h, S, V, weights):
    """Largest error in units of what is allowed; after the stage at the end of the step."""
    n = system[0][field.N_V]
    plan, table, memory = given
    total = plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
    first = plan[run.TABLEAU] + total * total + 2 * total
    second = table[plan[run.PARAMETERS] + run.SECOND] != 0.0
    worst = worst_second = 0.0
    for part in range(2):
        K = S if part == 0 else V
        for k in range(n):
            e = f = 0.0
            for i in range(plan[run.N_STAGE] + 1):
                e += table[first + i] * K[i * n + k]
            if second:
                for i in range(plan[run.N_STAGE] + 1):
                    f += table[first + total + i] * K[i * n + k]
            w = weights[part * n + k]
            e, f = abs(h * e) / w, abs(h * f) / w
            if not e <= worst:
                worst = e
                memory[run.WORST] = k
            worst_second = max(worst_second, f)
    if second and worst > 0.0:  # Hairer's combination of two estimates; no square underflows
        part = worst_second / worst
        return worst / math.sqrt(1.0 + 0.01 * part * part)
    return worst


@jit
def dense_stages(system, given, room, t, h, q0, v0, s, q, v, S, V, flags):
    """Further stages that the interpolant needs."""
    plan, table = given[0], given[1]
    total = plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
    o = plan[run.TABLEAU]
    for i in range(plan[run.N_STAGE] + 1, total):
        status = stage(
            system, given, room, i, i, o + i * total, table[o + total * total + total + i], t, h,
            q0, v0, s, q, v, S, V, flags,
        )  # fmt: skip
        if status != 0:
            return status
    return 0


@jit
def interpolate(system, given, theta, h, q0, v0, S, V, weights, s, q, v):
    """State at t + theta h into q, v; `weights` has room for the stages."""
    plan, table = given[0], given[1]
    total = plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
    d = plan[run.TABLEAU] + total * total + 4 * total
    for i in range(total):
        x = 0.0
        for j in range(plan[run.DEGREE] - 1, -1, -1):
            x = x * theta + table[d + j * total + i]
        weights[i] = x * theta
    combine(weights, 0, total, h, system[0][field.N_V], S, V, v0, s, v)
    charted(plan, table, q0, s, q)


@jit
def interpolated_rates(system, given, theta, V, weights, rates):
    """Derivative of the interpolated speeds at t + theta h; `weights` has room for the stages."""
    plan, table, n = given[0], given[1], system[0][field.N_V]
    total = plan[run.N_STAGE] + 1 + plan[run.N_DENSE]
    d = plan[run.TABLEAU] + total * total + 4 * total
    for k in range(n):
        rates[k] = 0.0
    for i in range(total):
        w = 0.0
        for j in range(plan[run.DEGREE] - 1, -1, -1):
            w = w * theta + (j + 1.0) * table[d + j * total + i]
        o = (i * n) & POSITIVE
        for k in range(n):
            rates[k] += w * V[o + k]
