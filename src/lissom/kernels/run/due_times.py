"""Times of a run: samples of controllers, corners of tables, ends of fixed steps."""

from __future__ import annotations

from ..compiling import uncounted
from ..fields import POSITIVE
from . import fields as run
from .calls import call


@uncounted
def sample(plan, table, memory, t, q, v):
    """Call the controllers whose sample is due."""
    origin, tick = table[plan[run.PARAMETERS] + run.ORIGIN], table[plan[run.PARAMETERS] + run.TICK]
    for k in range(plan[run.N_CONTROLLER]):
        e = plan[run.CONTROLLERS] + k * run.E_ROW
        number, held = plan[e + run.E_TABLE] & POSITIVE, plan[e + run.E_MEMORY] & POSITIVE
        m = plan[e + run.E_B] & POSITIVE  # memory: number of the next sample, then user memory
        if t >= memory[m] * table[number] - tick:
            address, which = plan[e + run.E_ADDRESS], plan[e + run.E_WHICH]
            memory[run.LATE] = 0.0  # a controller is called once
            status = call(address, which, origin + t, q, v, memory, m + 1, memory, held)
            if status != 0:
                return status
            memory[m] += 1.0
            memory[run.EPOCH] += 1.0
            memory[run.FRESH] = 0.0
    return 0


@uncounted
def next_instant(plan, table, memory):
    """Next time that a step must not cross."""
    p = plan[run.PARAMETERS]
    tick, limit = table[p + run.TICK], table[p + run.END]
    if plan[run.ADAPTIVE] == 0:
        limit = min(limit, (memory[run.GRID] + 1.0) * table[p + run.STEP])
    elif plan[run.TRAITS] & run.INTERPOLATES == 0 and table[p + run.OUTPUT_STEP] > 0.0:
        limit = min(limit, memory[run.NEXT_OUTPUT] * table[p + run.OUTPUT_STEP])
    for k in range(plan[run.N_CONTROLLER]):
        e = plan[run.CONTROLLERS] + k * run.E_ROW
        instant = memory[plan[e + run.E_B]] * table[plan[e + run.E_TABLE]]
        if instant < limit - tick:
            limit = instant
    if memory[run.NEXT_STOP] < plan[run.N_STOP]:
        instant = table[plan[run.STOPS] + int(memory[run.NEXT_STOP])]
        if instant < limit - tick:
            limit = instant
    return limit


@uncounted
def pass_instants(plan, table, memory, t):
    """Update for the new time: end of a whole step, corner of a given function."""
    p = plan[run.PARAMETERS]
    tick = table[p + run.TICK]
    memory[run.ON_GRID] = 0.0
    if plan[run.ADAPTIVE] == 0 and t >= (memory[run.GRID] + 1.0) * table[p + run.STEP] - tick:
        memory[run.GRID] += 1.0
        memory[run.ON_GRID] = 1.0
        memory[run.BENT_STEP] = 0.0
    while memory[run.NEXT_STOP] < plan[run.N_STOP]:
        if t < table[plan[run.STOPS] + int(memory[run.NEXT_STOP])] - tick:
            break
        memory[run.NEXT_STOP] += 1.0
        memory[run.FRESH] = 0.0
