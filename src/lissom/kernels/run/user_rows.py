"""Rows of derivatives that users give with their functions, in place of differences (`load_rows`).

With D (S_N x n_v) the derivatives of a signal g by coordinates or by speeds, T(g) the forces or the
wrench that it causes, and U_r the directions of the rows: K_r, C_r = -dT_r/dg D               (1)
"""

from __future__ import annotations

from ..compiling import uncounted
from ..fields import POSITIVE
from ..small import matrix, turn, vector
from . import fields as run
from .calls import call, instant
from .loads import add_force_change, add_node_force
from .signals import signal
from .slots import SLOT_POSE, SLOT_RECORD, SLOT_WRENCH, clear_wrenches
from .views import loop_joints


@uncounted
def add_user_rows(system, arrays, work, of, t, state, first):
    """Add the rows (1) of all loads on hinges, joints of loops and nodes; 0 or a failure.

    After `place_slots` in the same state.  first: the first row of slots.
    """
    plan = arrays.plan
    if plan[run.N_GIVEN] == 0:
        return 0
    for i in range(plan[run.N_FORCE]):
        e = plan[run.FORCES] + i * run.E_ROW
        if not _put_user_derivatives(arrays, work, of, t, state, e):
            return run.CALL_FAILED
        if _has_user_derivatives(arrays, e):
            _add_forces(arrays, work, of, state, e, 0, of.column)
    if plan[run.N_LOOP_FORCE] != 0:
        cut, row = loop_joints(system, arrays, work.loops), first + 6 * plan[run.N_WRENCH]
        for i in range(plan[run.N_LOOP_FORCE]):
            e = plan[run.LOOP_FORCES] + i * run.E_ROW
            if not _put_user_derivatives(arrays, work, of, t, state, e):
                return run.CALL_FAILED
            if _has_user_derivatives(arrays, e):
                _add_forces(arrays, work, of, state, e, row, cut.T)
    for i in range(plan[run.N_NODE_LOAD]):
        e = plan[run.NODE_LOADS] + i * run.E_ROW
        if not _put_user_derivatives(arrays, work, of, t, state, e):
            return run.CALL_FAILED
        if _has_user_derivatives(arrays, e):
            _add_wrenches(arrays, work, of, state, e, first)
    return 0


@uncounted
def _has_user_derivatives(arrays, e):
    """Whether the load in row e acts and has derivatives of the user's."""
    plan = arrays.plan
    return plan[e + run.E_WIDE] == run.GIVEN and arrays.memory[plan[e + run.E_ACTIVE]] != 0.0


@uncounted
def _put_user_derivatives(arrays, work, of, t, state, e):
    """Write signal and derivatives of the load in row e, if they are given; False if that fails."""
    plan, table, memory = arrays
    if not _has_user_derivatives(arrays, e):
        return True
    s, q, v = plan[e + run.E_SIGNAL], state.q, state.v
    if signal(plan, table, memory, s, t, q, v, work.buffer, 0, 0) != 0:
        return False
    now = instant(plan, table, memory, t)
    by, which = plan[s + run.S_BY], plan[s + run.S_BY_WHICH]
    return call(by, which, now, q, v, memory, 0, of.derivatives, 0) == 0


@uncounted
def _take_column(plan, work, of, e, n, part, k, o):
    """Write column k of the derivatives by coordinates (part 0) or speeds to work.buffer[o:]."""
    m = plan[plan[e + run.E_SIGNAL] + run.S_N]
    for j in range(m):
        work.buffer[o + j] = of.derivatives[(part * m + j) * n + k]


@uncounted
def _add_forces(arrays, work, of, state, e, row, T):
    """Add the rows (1) of a load on a joint, whose first is `row`; T: as for its forces."""
    plan, n, m = arrays.plan, len(state.v), arrays.plan[e + run.E_N]
    o_v, c = plan[e + run.E_V] & POSITIVE, plan[e + run.E_TABLE] & POSITIVE
    for part in range(2):
        rows = of.K if part == 0 else of.C
        for k in range(n):
            _take_column(plan, work, of, e, n, part, k, m)
            for j in range(m):
                T[o_v + j] = 0.0
            add_force_change(plan[e + run.E_KIND], arrays.table, c, m, work.buffer, m, T, o_v)
            for j in range(m):
                rows[(row + o_v + j) * n + k] -= T[o_v + j]


@uncounted
def _add_wrenches(arrays, work, of, state, e, first):
    """Add the rows (1) of a load on a node, whose wrench is linear in its signal."""
    plan, n, a = arrays.plan, len(state.v), arrays.plan[e + run.E_A] * SLOT_RECORD
    for part in range(2):
        rows = of.K if part == 0 else of.C
        for k in range(n):
            _take_column(plan, work, of, e, n, part, k, 0)
            add_node_force(
                plan[e + run.E_KIND], arrays.table, plan[e + run.E_TABLE] & POSITIVE,
                plan[e + run.E_AXES], work.buffer, work.slots, a,
                plan[e + run.E_B] * SLOT_RECORD,
            )  # fmt: skip
            take_wrench(plan, work.slots, a, rows, (first + 6 * plan[e + run.E_A]) * n + k, n, -1.0)


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
