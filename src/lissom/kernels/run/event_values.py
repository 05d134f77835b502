"""Quantities whose zero crossings are events."""

from __future__ import annotations

import math

from ..compiling import uncounted
from ..layout import run
from ..layout.contact import ContactNumbers, GapNumbers
from ..small import IDENTITY, ZERO
from ..tree.path import pose_along_path
from .calls import call, instant
from .contact_forces import gap_between

PATHS_SIZE = GapNumbers.size
GAP_SIZE = PATHS_SIZE + ContactNumbers.size


@uncounted
def event_values(system, arrays, t, state, values):
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
        elif kind == run.GAP:
            values[k] = _smallest_gap(system, table, event, q)
            values[k] -= table[c] + memory[event.memory + run.LEVEL]
        else:
            status = call(event.address, event.which, now, q, v, memory, 0, values, k)
            if status != 0:
                return status
            values[k] -= table[c]
    return 0


@uncounted
def _smallest_gap(system, table, event, q):
    """Smallest gap of the points of an event."""
    smallest = math.inf
    for j in range(event.n_gap):
        o = event.gaps + j * GAP_SIZE
        gap, numbers = GapNumbers(table, o), ContactNumbers(table, o + PATHS_SIZE)
        slot_a = _carrier(system, table, gap.path_a, q)
        slot_b = _carrier(system, table, gap.path_b, q)
        smallest = min(smallest, gap_between(numbers, table, slot_a, slot_b))
    return smallest


@uncounted
def _carrier(system, table, path, q):
    """Attitude and position of the carrier of a shape."""
    if path < 0.0:
        return IDENTITY, ZERO
    ints, floats, scratch = system
    R, x, _arm = pose_along_path(ints, floats, scratch, table[int(path) :], q)
    return R, x


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
