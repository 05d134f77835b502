"""Quantities whose passing of zero is an event."""

from __future__ import annotations

import math

from ..compiling import jit
from .calls import call
from .layout import (
    COORDINATE,
    E_ADDRESS,
    E_KIND,
    E_MEMORY,
    E_N,
    E_Q,
    E_ROW,
    E_TABLE,
    E_V,
    E_WHICH,
    EVENTS,
    KNOWN,
    N_EVENT,
    SPEED,
)


@jit
def event_values(plan, table, memory, t, q, v, values):
    """Values of all events; 0, or the status of a function."""
    for k in range(plan[N_EVENT]):
        e = plan[EVENTS] + k * E_ROW
        kind, c = plan[e + E_KIND], plan[e + E_TABLE]
        if kind == COORDINATE:
            values[k] = q[plan[e + E_Q]] - table[c]
        elif kind == SPEED:
            values[k] = v[plan[e + E_V]] - table[c]
        else:
            status = call(plan[e + E_ADDRESS], plan[e + E_WHICH], t, q, v, memory, 0, values, k)
            if status != 0:
                return status
            values[k] -= table[c]
    return 0


@jit
def keep_values(plan, memory, values):
    """Values at the new instant; a zero belongs to the side that was reached."""
    for k in range(plan[N_EVENT]):
        m = plan[plan[EVENTS] + k * E_ROW + E_MEMORY]
        if values[k] != 0.0 or memory[KNOWN] == 0.0:
            memory[m] = values[k]
        elif memory[m] != 0.0:
            memory[m] = math.copysign(1e-300, -memory[m])
    memory[KNOWN] = 1.0


@jit
def crossed(plan, memory, values):
    """Whether an event passed zero in its direction."""
    for k in range(plan[N_EVENT]):
        e = plan[EVENTS] + k * E_ROW
        before, after, way = memory[plan[e + E_MEMORY]], values[k], plan[e + E_N]
        if memory[plan[e + E_MEMORY] + 1] == 0.0:
            continue  # switched off
        if way >= 0 and before < 0.0 and after >= 0.0:
            return True
        if way <= 0 and before > 0.0 and after <= 0.0:
            return True
    return False


@jit
def signs_changed(plan, memory, values):
    """Whether an event that is switched on has changed its sign, in any direction.

    One that was zero at the start of the step is on the side to which it leaves.
    """
    for k in range(plan[N_EVENT]):
        m = plan[plan[EVENTS] + k * E_ROW + E_MEMORY]
        if memory[m] == 0.0 and values[k] != 0.0:
            memory[m] = math.copysign(1e-300, values[k])
        if memory[m + 1] != 0.0 and (
            (memory[m] < 0.0 and values[k] > 0.0) or (memory[m] > 0.0 and values[k] < 0.0)
        ):
            return True
    return False
