"""Quantities whose zero crossings are events."""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..layout import run
from .calls import call, instant


@uncounted
def event_values(arrays, t, state, values):
    """Write the values of all events; returns 0, or the status of a function."""
    head = run.PlanHeader(arrays.plan, 0)
    plan, table, memory = arrays
    q, v, now = state.q, state.v, instant(plan, table, memory, t)
    for k in range(head.events.count):
        event = run.EventRow(plan, head.events.first, k)
        kind, c = event.kind, event.value
        if kind == run.COORDINATE:
            values[k] = q[event.q] - table[c]
        elif kind == run.SPEED:
            values[k] = v[event.v] - table[c]
        else:
            status = call(event.address, event.which, now, q, v, memory, 0, values, k)
            if status != 0:
                return status
            values[k] -= table[c]
    return 0


@uncounted
def keep_values(plan, memory, values):
    """Store the values at the new time; a zero belongs to the side that was reached."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.events.count):
        m = run.EventRow(plan, head.events.first, k).memory
        if values[k] != 0.0 or memory[run.KNOWN] == 0.0:
            memory[m] = values[k]
        elif memory[m] != 0.0:
            memory[m] = math.copysign(1e-300, -memory[m])
    memory[run.KNOWN] = 1.0


@uncounted
def crossed(plan, memory, values):
    """Whether an event crossed zero in its direction."""
    head = run.PlanHeader(plan, 0)
    for k in range(head.events.count):
        event = run.EventRow(plan, head.events.first, k)
        before, after, way = memory[event.memory], values[k], event.way
        if memory[event.memory + run.ARMED] == 0.0:
            continue  # switched off
        if way >= 0 and before < 0.0 and after >= 0.0:
            return True
        if way <= 0 and before > 0.0 and after <= 0.0:
            return True
    return False


@uncounted
def signs_changed(plan, memory, values):
    """Whether an active event has changed its sign, in any direction.

    A value that was zero at the start of the step belongs to the side to which it leaves.
    """
    head = run.PlanHeader(plan, 0)
    for k in range(head.events.count):
        m = run.EventRow(plan, head.events.first, k).memory
        if memory[m] == 0.0 and values[k] != 0.0:
            memory[m] = math.copysign(1e-300, values[k])
        if memory[m + run.ARMED] != 0.0 and (
            (memory[m] < 0.0 and values[k] > 0.0) or (memory[m] > 0.0 and values[k] < 0.0)
        ):
            return True
    return False
