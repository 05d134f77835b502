"""Rows of results: when one is due, rows within a step, and their contents."""

from __future__ import annotations

from .. import fields as field
from ..compiling import inlined, uncounted
from ..layout import run
from ..layout.loops import LoopsHeader
from ..loops.couplings import coupling_force
from ..loops.forces import loop_force
from .contact_forces import put_open_contact
from .evaluate import evaluate, needed_forces
from .explicit import dense_stages, interpolate
from .loads import output_place
from .projection import settle
from .slots import SLOT_RECORD, SLOT_WRENCH
from .views import loop_joints


@uncounted
def row_due(plan, table, memory, t):
    """Whether a row is due at this time and not yet written."""
    head = run.PlanHeader(plan, 0)
    p = run.RunParameters(table, head.parameters)
    if memory[run.SUB] != 0.0:
        return False
    if memory[run.NEXT_OUTPUT] == 0.0 or t >= p.end - p.tick:
        return True
    if head.adaptive == 0:
        if head.every == 0:  # also after the parts of steps
            return True
        return memory[run.ON_GRID] != 0.0 and memory[run.GRID] % head.every == 0.0
    if p.output_step == 0.0:
        return True
    due = memory[run.NEXT_OUTPUT] * p.output_step
    return t >= due - p.tick


@inlined
def rows_within(r, t, h, t1, rows, capacity, ready):
    """Write the rows inside the step by the interpolant; 0, ROWS_FULL or a failure.

    ready: whether the dense stages are already available.
    """
    head = run.PlanHeader(r.arrays.plan, 0)
    system, arrays, work, inside = r.system, r.arrays, r.work, r.inside
    table, memory = arrays.table, arrays.memory
    p = run.RunParameters(table, head.parameters)
    period, tick = p.output_step, p.tick
    while True:
        if period > 0.0:
            instant = memory[run.NEXT_OUTPUT] * period
        else:
            instant = t + h * (max(memory[run.SUB], 1.0)) / head.every
            if memory[run.SUB] >= head.every:
                return 0
        if instant >= t1 - tick:
            return 0
        if memory[run.N_ROWS] >= capacity:
            return run.ROWS_FULL
        if not ready:
            status = dense_stages(system, arrays, work, t, h, r.start, inside, r.stages)
            if status != 0:
                return status
            ready = True
        before = memory[run.N_EVALUATIONS]
        interpolate(arrays, work, (instant - t) / h, h, r.start, r.stages, inside)
        if head.project != 0:
            status = settle(system, arrays, work, instant, inside)
            if status != 0:
                return status
        status = evaluate(system, arrays, work, instant, inside, 0.0, work.out)
        if status != 0:
            return status
        write_row(system, arrays, work, instant, inside, rows)
        # counted even if the step is repeated for the rows that have no room
        r.saved[run.N_EVALUATIONS] += memory[run.N_EVALUATIONS] - before
        if period > 0.0:
            memory[run.NEXT_OUTPUT] += 1.0
        else:
            memory[run.SUB] = max(memory[run.SUB], 1.0) + 1.0


@uncounted
def write_row(system, arrays, work, t, state, rows):
    """Write one row: time, q, v, accelerations, forces, wrenches, forces of loops and couplings.

    The outputs of loads follow, then the forces of loads on joints of loops.  After `evaluate` at
    the same state.
    """
    head = run.PlanHeader(arrays.plan, 0)
    table, memory = arrays.table, arrays.memory
    ints, floats, scratch = system
    q, v, x, T, slots = state.q, state.v, work.out, work.forces, work.slots
    n_q, n = ints[field.N_Q], ints[field.N_V]
    if head.motions.count != 0:
        needed_forces(system, arrays, work, state, x)
    if head.contacts.count != 0:
        _put_open_contacts(arrays, work)
    o = int(memory[run.N_ROWS]) * head.width
    rows[o] = run.RunParameters(table, head.parameters).origin + t
    o += 1
    for k in range(n_q):
        rows[o + k] = q[k]
    o += n_q
    for k in range(n):
        rows[o + k] = v[k]
        rows[o + n + k] = x[k]
        rows[o + 2 * n + k] = T[k]
    o += 3 * n
    for k in range(head.n_wrench):
        for j in range(6):
            rows[o + 6 * k + j] = slots[k * SLOT_RECORD + SLOT_WRENCH + j]
    o += 6 * head.n_wrench
    if ints[field.LOOPS] != 0:
        n_loop = LoopsHeader(ints, ints[field.LOOPS]).n_loop
        for k in range(n_loop):
            loop_force(ints, scratch, k, rows, o + 6 * k)
        for k in range(LoopsHeader(ints, ints[field.LOOPS]).n_coupling):
            rows[o + 6 * n_loop + k] = coupling_force(ints, floats, scratch, k)
        o += 6 * n_loop + LoopsHeader(ints, ints[field.LOOPS]).n_coupling
    first = run.LOAD_STATES + 2 * head.n_state
    for k in range(head.n_output):
        rows[o + k] = work.states[first + k]
    o += head.n_output
    joints = loop_joints(arrays, work)
    for k in range(head.n_loop_v):
        rows[o + k] = joints.T[k]
    memory[run.N_ROWS] += 1.0


@uncounted
def _put_open_contacts(arrays, work):
    """Write the channels of the contacts that have no force."""
    plan, table = arrays.plan, arrays.table
    contacts = run.PlanHeader(plan, 0).contacts
    for k in range(contacts.count):
        load = run.LoadRow(plan, plan[contacts.first + k])
        a, b = load.slot_a * SLOT_RECORD, load.slot_b * SLOT_RECORD
        put_open_contact(load, table, work.slots, a, b, work.states, output_place(plan, load))
