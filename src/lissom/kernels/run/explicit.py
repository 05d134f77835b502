"""Explicit steps: Euler-Cromer and Runge-Kutta methods in local coordinates.

Runge-Kutta, stages i of a tableau (A, b, c), local coordinates s of `coordinates`, s = 0 at t:
  s_i = h sum_j A_ij S_j      v_i = v + h sum_j A_ij V_j                              (1)
  S_i = rates of s at (s_i, v_i)      V_i = accelerations at (t + c_i h, q(s_i), v_i) (2)
  s_1 = h sum b_i S_i         v_1 = v + h sum b_i V_i                                 (3)
This is the method of Munthe-Kaas: it keeps the order of the tableau on the groups of the joints.
Source: H. Munthe-Kaas, High order Runge-Kutta methods on manifolds, Appl. Num. Math. 29, 1999.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import uncounted
from ..fields import POSITIVE
from ..layout import run
from .coordinates import chart_rates, charted, moved
from .evaluate import evaluate
from .states import end_states, state_rates, take_rates


@uncounted
def euler_cromer(system, arrays, work, t, h, start, x0, end):
    """Speeds from the accelerations at the start, then coordinates from the new speeds.

    States of loads follow from the coordinates at the end.
    """
    head = run.PlanHeader(arrays.plan, 0)
    s = work.s
    for k in range(system.ints[field.N_V]):
        end.v[k] = start.v[k] + h * x0[k]
        s[k] = h * end.v[k]
    if moved(arrays.plan, arrays.table, start.q, s, end.q, work.buffer) != field.DONE:
        return run.SINGULAR_COORDINATES
    for k in range(head.n_state):
        end.z[k] = start.z[k]
    return run.CALL_FAILED if end_states(arrays, work, t + h, end, h) != 0 else 0


@uncounted
def stage(system, arrays, work, i, c, t, h, start, at, stages):
    """Write stage i at t + c h: the state (1) to `at`, its rates (2) to `stages`."""
    head = run.PlanHeader(arrays.plan, 0)
    n, n_z = system.ints[field.N_V], head.n_state
    plan, table = arrays.plan, arrays.table
    combine(table, head.tableau + i * head.n_rates, i, h, start, stages, work.s, at)
    charted(plan, start.q, work.s, at.q)
    status = evaluate(system, arrays, work, t + c * h, at, 0.0, stages.V[i * n : (i + 1) * n])
    if status != 0:
        return status
    take_rates(plan, work.states, stages.Z[i * n_z : (i + 1) * n_z])
    o = i * len(work.s)
    rates = stages.S[o : o + len(work.s)]
    if chart_rates(plan, table, work.s, at.q, at.v, rates, work.buffer) != field.DONE:
        return run.SINGULAR_COORDINATES
    return 0


@uncounted
def combine(table, row, width, h, start, stages, s, at):
    """Write s = h sum w_j S_j and v = v0 + h sum w_j V_j over `width` stages; z like v."""
    n, n_s, n_z = len(start.v), len(s), len(at.z)
    S, V, v0, v = stages.S, stages.V, start.v, at.v
    fresh = True
    for j in range(width):
        w = h * table[row + j]
        if w == 0.0:
            continue
        o, o_s = (j * n) & POSITIVE, (j * n_s) & POSITIVE
        if fresh:
            for k in range(n):
                s[k] = w * S[o_s + k]
                v[k] = v0[k] + w * V[o + k]
            fresh = False
        else:
            for k in range(n):
                s[k] += w * S[o_s + k]
                v[k] += w * V[o + k]
    if fresh:
        for k in range(n):
            s[k] = 0.0
            v[k] = v0[k]
    if n_s != n:
        _combine_further(table, row, width, h, S, n, s)
    for k in range(n_z):
        at.z[k] = start.z[k]
    for j in range(width if n_z else 0):
        for k in range(n_z):
            at.z[k] += h * table[row + j] * stages.Z[j * n_z + k]


@uncounted
def _combine_further(table, row, width, h, S, n, s):
    """Local coordinates beyond the n of the speeds, those of own joints."""
    for k in range(n, len(s)):
        s[k] = 0.0
        for j in range(width):
            s[k] += h * table[row + j] * S[j * len(s) + k]


# Tableau in table, total = N_STAGE + 1 + N_DENSE numbers per row: A, one row per stage, where the
# stage after the last is the state at the end of the step; then the rows b, c, error weights,
# second error weights, and DEGREE rows of dense output.
B_ROW, C_ROW, ERROR_ROW, SECOND_ROW, DENSE_ROWS = range(5)


@uncounted
def runge_kutta(system, arrays, work, t, h, start, x0, at, stages):
    """Write the rates of the stages, the first one at the start of the step."""
    head = run.PlanHeader(arrays.plan, 0)
    n, n_z = system.ints[field.N_V], head.n_state
    plan, table, s = arrays.plan, arrays.table, work.s
    for k in range(n):
        stages.V[k] = x0[k]
    for k in range(len(s)):
        s[k] = 0.0
    rates = stages.S[: len(s)]
    if chart_rates(plan, table, s, start.q, start.v, rates, work.buffer) != field.DONE:
        return run.SINGULAR_COORDINATES
    if n_z != 0:
        if state_rates(arrays, work, t, start, 0.0) != 0:
            return run.CALL_FAILED
        take_rates(plan, work.states, stages.Z[:n_z])
    total = head.n_rates
    c = head.tableau + total * (total + C_ROW)
    for i in range(1, head.n_stage):
        status = stage(system, arrays, work, i, table[c + i], t, h, start, at, stages)
        if status != 0:
            return status
    return 0


@uncounted
def explicit_step(system, arrays, work, t, h, start, x0, end, stages):
    """Take one step of a method with fixed steps (3), or of Euler-Cromer, into `end`."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, table = arrays.plan, arrays.table
    if head.traits & run.SPEEDS_FIRST != 0:
        return euler_cromer(system, arrays, work, t, h, start, x0, end)
    status = runge_kutta(system, arrays, work, t, h, start, x0, end, stages)
    if status == 0:
        total = head.n_rates
        b = head.tableau + total * (total + B_ROW)
        combine(table, b, head.n_stage, h, start, stages, work.s, end)
        charted(plan, start.q, work.s, end.q)
    return status


@uncounted
def error_norm(system, arrays, h, stages, weights):
    """Largest error in units of the tolerance; after the stage at the end of the step."""
    head = run.PlanHeader(arrays.plan, 0)
    n = system.ints[field.N_V]
    table, memory = arrays.table, arrays.memory
    total = head.n_rates
    first = head.tableau + total * (total + ERROR_ROW)
    second = run.RunParameters(table, head.parameters).second != 0.0
    worst = worst_second = 0.0
    for part in range(2):
        K = stages.S if part == 0 else stages.V
        width = n + head.n_mapped if part == 0 else n
        for k in range(width):
            e = f = 0.0
            for i in range(head.n_stage + 1):
                e += table[first + i] * K[i * width + k]
            if second:
                for i in range(head.n_stage + 1):
                    f += table[first + total + i] * K[i * width + k]
            # Those of further local coordinates follow the weights of speeds in the table.
            w = weights[part * n + k] if k < n else table[head.weights + n + k]
            e, f = abs(h * e) / w, abs(h * f) / w
            if not e <= worst:
                worst = e
                of = float(k) if k < n else table[head.weights + width + k]
                memory[run.WORST] = of
            worst_second = max(worst_second, f)
    n_z, o = head.n_state, head.state_weights
    for k in range(n_z):
        e = f = 0.0
        for i in range(head.n_stage + 1):
            e += table[first + i] * stages.Z[i * n_z + k]
            f += table[first + total + i] * stages.Z[i * n_z + k]
        e, f = abs(h * e) / table[o + k], abs(h * f) / table[o + k]
        if not e <= worst:
            worst = e
            memory[run.WORST] = table[o + n_z + k]
        worst_second = max(worst_second, f)
    if second and memory[run.TIME] < memory[run.ROUGH_UNTIL]:
        return max(worst, 0.02 * worst_second)
    if second and worst > 0.0:  # Hairer's combination of two estimates; no square underflows
        part = worst_second / worst
        return worst / math.sqrt(1.0 + 0.01 * part * part)
    return worst


@uncounted
def dense_stages(system, arrays, work, t, h, start, at, stages):
    """Write the further stages that the interpolant needs."""
    head = run.PlanHeader(arrays.plan, 0)
    total = head.n_rates
    c = head.tableau + total * (total + C_ROW)
    for i in range(head.n_stage + 1, total):
        status = stage(system, arrays, work, i, arrays.table[c + i], t, h, start, at, stages)
        if status != 0:
            return status
    return 0


@uncounted
def interpolate(arrays, work, theta, h, start, stages, at):
    """Write the state at t + theta h to `at`."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, weights = arrays.plan, arrays.table, work.buffer
    total = head.n_rates
    d = head.tableau + total * (total + DENSE_ROWS)
    for i in range(total):
        x = 0.0
        for j in range(head.degree - 1, -1, -1):
            x = x * theta + table[d + j * total + i]
        weights[i] = x * theta
    combine(weights, 0, total, h, start, stages, work.s, at)
    charted(plan, start.q, work.s, at.q)


@uncounted
def interpolated_rates(system, arrays, theta, stages, rates):
    """Write the derivative of the interpolated speeds at t + theta h."""
    head = run.PlanHeader(arrays.plan, 0)
    table, n = arrays.table, system.ints[field.N_V]
    total, V = head.n_rates, stages.V
    d = head.tableau + total * (total + DENSE_ROWS)
    for k in range(n):
        rates[k] = 0.0
    for i in range(total):
        w = 0.0
        for j in range(head.degree - 1, -1, -1):
            w = w * theta + (j + 1.0) * table[d + j * total + i]
        o = (i * n) & POSITIVE
        for k in range(n):
            rates[k] += w * V[o + k]
