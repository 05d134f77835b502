"""Rows of results: when one is due, those within a step, and what is in one."""

from __future__ import annotations

from ..compiling import jit
from ..couplings import coupling_force
from ..layout import LOOPS, N_COUPLING, N_LOOP, N_Q, N_V
from ..loop_forces import loop_force
from .evaluate import evaluate, needed_forces
from .explicit import dense_stages, interpolate
from .layout import (
    ADAPTIVE,
    END,
    EVERY,
    GRID,
    N_MOTION,
    N_ROWS,
    N_WRENCH,
    NEXT_OUTPUT,
    ON_GRID,
    OUTPUT_STEP,
    PARAMETERS,
    PROJECT,
    ROWS_FULL,
    START,
    SUB,
    TICK,
    WIDTH,
)
from .loads import SLOT_RECORD, SLOT_WRENCH
from .projection import settle


@jit
def row_due(plan, table, memory, t):
    """Whether a row belongs to this instant and is not written yet."""
    p = plan[PARAMETERS]
    if memory[SUB] != 0.0:
        return False
    if memory[NEXT_OUTPUT] == 0.0 or t >= table[p + END] - table[p + TICK]:
        return True
    if plan[ADAPTIVE] == 0:
        return memory[ON_GRID] != 0.0 and memory[GRID] % plan[EVERY] == 0.0
    if table[p + OUTPUT_STEP] == 0.0:
        return True
    due = table[p + START] + memory[NEXT_OUTPUT] * table[p + OUTPUT_STEP]
    return t >= due - table[p + TICK]


@jit
def rows_within(
    system, given, room, t, h, t1, q0, v0, s, q, v, S, V, out, rows, capacity, ready, flags
):
    """Rows of the instants inside the step, by the interpolant; 0, ROWS_FULL or a failure.

    ready: whether the dense stages are there already.
    """
    plan, table, memory = given
    p = plan[PARAMETERS]
    period, tick = table[p + OUTPUT_STEP], table[p + TICK]
    while True:
        if period > 0.0:
            instant = table[p + START] + memory[NEXT_OUTPUT] * period
        else:
            instant = t + h * (max(memory[SUB], 1.0)) / plan[EVERY]
            if memory[SUB] >= plan[EVERY]:
                return 0
        if instant >= t1 - tick:
            return 0
        if memory[N_ROWS] >= capacity:
            return ROWS_FULL
        if not ready:
            status = dense_stages(system, given, room, t, h, q0, v0, s, q, v, S, V, flags)
            if status != 0:
                return status
            ready = True
        interpolate(system, given, (instant - t) / h, h, q0, v0, S, V, room[4], s, q, v)
        if plan[PROJECT] != 0:
            status = settle(system, given, room, instant, q, v, s, out, flags)
            if status != 0:
                return status
        status = evaluate(system, given, room, instant, q, v, out, flags)
        if status != 0:
            return status
        write_row(system, given, room, instant, q, v, out, rows, flags)
        if period > 0.0:
            memory[NEXT_OUTPUT] += 1.0
        else:
            memory[SUB] = max(memory[SUB], 1.0) + 1.0


@jit
def write_row(system, given, room, t, q, v, x, rows, flags):
    """One row: time, q, v, accelerations, forces, wrenches, forces of loops and of couplings.

    After `evaluate`.
    """
    plan, _table, memory = given
    ints, floats, scratch = system
    T, slots = room[0], room[3]
    n_q, n = system[0][N_Q], system[0][N_V]
    if plan[N_MOTION] != 0:
        needed_forces(system, given, room, q, v, x, flags)
    o = int(memory[N_ROWS]) * plan[WIDTH]
    rows[o] = t
    o += 1
    for k in range(n_q):
        rows[o + k] = q[k]
    o += n_q
    for k in range(n):
        rows[o + k] = v[k]
        rows[o + n + k] = x[k]
        rows[o + 2 * n + k] = T[k]
    o += 3 * n
    for k in range(plan[N_WRENCH]):
        for j in range(6):
            rows[o + 6 * k + j] = slots[k * SLOT_RECORD + SLOT_WRENCH + j]
    if ints[LOOPS] != 0:
        o += 6 * plan[N_WRENCH]
        n_loop = ints[ints[LOOPS] + N_LOOP]
        for k in range(n_loop):
            loop_force(ints, scratch, k, rows, o + 6 * k)
        for k in range(ints[ints[LOOPS] + N_COUPLING]):
            rows[o + 6 * n_loop + k] = coupling_force(ints, floats, scratch, k)
    memory[N_ROWS] += 1.0
