"""Rows of results: when one is due, those within a step, and what is in one."""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..couplings import coupling_force
from ..loop_forces import loop_force
from . import fields as run
from .evaluate import evaluate, needed_forces
from .explicit import dense_stages, interpolate
from .loads import SLOT_RECORD, SLOT_WRENCH
from .projection import settle


@jit
def row_due(plan, table, memory, t):
    """Whether a row belongs to this instant and is not written yet."""
    p = plan[run.PARAMETERS]
    if memory[run.SUB] != 0.0:
        return False
    if memory[run.NEXT_OUTPUT] == 0.0 or t >= table[p + run.END] - table[p + run.TICK]:
        return True
    if plan[run.ADAPTIVE] == 0:
        return memory[run.ON_GRID] != 0.0 and memory[run.GRID] % plan[run.EVERY] == 0.0
    if table[p + run.OUTPUT_STEP] == 0.0:
        return True
    due = table[p + run.START] + memory[run.NEXT_OUTPUT] * table[p + run.OUTPUT_STEP]
    return t >= due - table[p + run.TICK]


@jit
def rows_within(
    system, given, room, t, h, t1, q0, v0, s, q, v, S, V, out, rows, capacity, ready, flags
):
    """Rows of the instants inside the step, by the interpolant; 0, ROWS_FULL or a failure.

    ready: whether the dense stages are there already.
    """
    plan, table, memory = given
    p = plan[run.PARAMETERS]
    period, tick = table[p + run.OUTPUT_STEP], table[p + run.TICK]
    while True:
        if period > 0.0:
            instant = table[p + run.START] + memory[run.NEXT_OUTPUT] * period
        else:
            instant = t + h * (max(memory[run.SUB], 1.0)) / plan[run.EVERY]
            if memory[run.SUB] >= plan[run.EVERY]:
                return 0
        if instant >= t1 - tick:
            return 0
        if memory[run.N_ROWS] >= capacity:
            return run.ROWS_FULL
        if not ready:
            status = dense_stages(system, given, room, t, h, q0, v0, s, q, v, S, V, flags)
            if status != 0:
                return status
            ready = True
        interpolate(system, given, (instant - t) / h, h, q0, v0, S, V, room[4], s, q, v)
        if plan[run.PROJECT] != 0:
            status = settle(system, given, room, instant, q, v, s, out, flags)
            if status != 0:
                return status
        status = evaluate(system, given, room, instant, q, v, out, flags)
        if status != 0:
            return status
        write_row(system, given, room, instant, q, v, out, rows, flags)
        if period > 0.0:
            memory[run.NEXT_OUTPUT] += 1.0
        else:
            memory[run.SUB] = max(memory[run.SUB], 1.0) + 1.0


@jit
def write_row(system, given, room, t, q, v, x, rows, flags):
    """One row: time, q, v, accelerations, forces, wrenches, forces of loops and of couplings.

    After `evaluate`.
    """
    plan, _table, memory = given
    ints, floats, scratch = system
    T, slots = room[0], room[3]
    n_q, n = system[0][field.N_Q], system[0][field.N_V]
    if plan[run.N_MOTION] != 0:
        needed_forces(system, given, room, q, v, x, flags)
    o = int(memory[run.N_ROWS]) * plan[run.WIDTH]
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
    for k in range(plan[run.N_WRENCH]):
        for j in range(6):
            rows[o + 6 * k + j] = slots[k * SLOT_RECORD + SLOT_WRENCH + j]
    if ints[field.LOOPS] != 0:
        o += 6 * plan[run.N_WRENCH]
        n_loop = ints[ints[field.LOOPS] + field.N_LOOP]
        for k in range(n_loop):
            loop_force(ints, scratch, k, rows, o + 6 * k)
        for k in range(ints[ints[field.LOOPS] + field.N_COUPLING]):
            rows[o + 6 * n_loop + k] = coupling_force(ints, floats, scratch, k)
    memory[run.N_ROWS] += 1.0
