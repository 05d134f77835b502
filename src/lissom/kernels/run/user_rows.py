"""Rows of derivatives that users give with their functions, in place of differences (`load_rows`).

With D (S_N x n_v) the derivatives of a signal g by coordinates or by speeds, T(g) the forces or the
wrench that it causes, and U_r the directions of the rows: K_r, C_r = -dT_r/dg D               (1)
"""

from __future__ import annotations

from ..compiling import uncounted
from ..layout import run
from ..small import matrix, turn, vector
from .calls import call, instant
from .loads import add_force_change, add_node_force, output_place
from .signals import signal
from .slots import SLOT_POSE, SLOT_RECORD, SLOT_WRENCH, clear_wrenches
from .views import loop_joints


@uncounted
def add_user_rows(arrays, work, of, t, state, first):
    """Add the rows (1) of all loads on hinges, joints of loops and nodes; 0 or a failure.

    After `place_slots` in the same state.  first: the first row of slots.
    """
    head = run.PlanHeader(arrays.plan, 0)
    plan = arrays.plan
    if head.gives_derivatives == 0:
        return 0
    for i in range(head.forces.count):
        load = run.LoadRow(plan, head.forces.first, i)
        if not _put_user_derivatives(arrays, work, of, t, state, load):
            return run.CALL_FAILED
        if _has_user_derivatives(arrays, load):
            _add_forces(arrays, work, of, state, load, 0, of.column)
    if head.loop_forces.count != 0:
        cut, row = loop_joints(arrays, work), first + head.slot_rows
        for i in range(head.loop_forces.count):
            load = run.LoadRow(plan, head.loop_forces.first, i)
            if not _put_user_derivatives(arrays, work, of, t, state, load):
                return run.CALL_FAILED
            if _has_user_derivatives(arrays, load):
                _add_forces(arrays, work, of, state, load, row, cut.T)
    for i in range(head.node_loads.count):
        load = run.LoadRow(plan, head.node_loads.first, i)
        if not _put_user_derivatives(arrays, work, of, t, state, load):
            return run.CALL_FAILED
        if _has_user_derivatives(arrays, load):
            _add_wrenches(arrays, work, of, state, load, first)
    return 0


@uncounted
def _has_user_derivatives(arrays, load):
    """Whether a load acts and has derivatives of the user's."""
    return load.wide == run.GIVEN and arrays.memory[load.active] != 0.0


@uncounted
def _put_user_derivatives(arrays, work, of, t, state, load):
    """Write signal and derivatives of a load, if they are given; False if that fails."""
    plan, table, memory = arrays
    if not _has_user_derivatives(arrays, load):
        return True
    s, q, v = load.signal, state.q, state.v
    if signal(plan, table, memory, s, t, q, v, work.buffer, 0, 0) != 0:
        return False
    now = instant(plan, table, memory, t)
    row = run.SignalRow(plan, s, 0)
    return call(row.by_address, row.by_which, now, q, v, memory, 0, of.derivatives, 0) == 0


@uncounted
def _take_column(plan, work, of, load, n, part, k, o):
    """Write column k of the derivatives by coordinates (part 0) or speeds to work.buffer[o:]."""
    m = run.SignalRow(plan, load.signal, 0).n
    for j in range(m):
        work.buffer[o + j] = of.derivatives[(part * m + j) * n + k]


@uncounted
def _add_forces(arrays, work, of, state, load, row, T):
    """Add the rows (1) of a load on a joint, whose first is `row`; T: as for its forces."""
    plan, n, m = arrays.plan, len(state.v), load.n
    o_v, c = load.v, load.constants
    for part in range(2):
        rows = of.K if part == 0 else of.C
        for k in range(n):
            _take_column(plan, work, of, load, n, part, k, m)
            for j in range(m):
                T[o_v + j] = 0.0
            add_force_change(load.kind, arrays.table, c, m, work.buffer, m, T, o_v)
            for j in range(m):
                rows[(row + o_v + j) * n + k] -= T[o_v + j]


@uncounted
def _add_wrenches(arrays, work, of, state, load, first):
    """Add the rows (1) of a load on a node, whose wrench is linear in its signal."""
    plan, n, a = arrays.plan, len(state.v), load.slot_a * SLOT_RECORD
    for part in range(2):
        rows = of.K if part == 0 else of.C
        for k in range(n):
            _take_column(plan, work, of, load, n, part, k, 0)
            add_node_force(
                load.kind, load, arrays.table, arrays.memory, work.buffer,
                work.slots, a, load.slot_b * SLOT_RECORD, work.states, output_place(plan, load),
            )  # fmt: skip
            take_wrench(plan, work.slots, a, rows, (first + 6 * load.slot_a) * n + k, n, -1.0)


@uncounted
def take_wrench(plan, slots, a, rows, o, n, factor):
    """Add the wrench of the slot at slots[a:], in world axes, to rows[o], rows[o + n], ...

    The wrenches of all slots are cleared.
    """
    R, w = matrix(slots, a + SLOT_POSE), a + SLOT_WRENCH
    for half in range(2):
        x, y, z = turn(R, vector(slots, w + 3 * half))
        rows[o + 3 * half * n] += factor * x
        rows[o + (3 * half + 1) * n] += factor * y
        rows[o + (3 * half + 2) * n] += factor * z
    clear_wrenches(plan, slots, 0)
