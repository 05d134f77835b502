"""Times of a run: samples of controllers, corners of tables, ends of fixed steps."""

from __future__ import annotations

from ..compiling import uncounted
from ..layout import run
from .calls import call


@uncounted
def sample(plan, table, memory, t, q, v):
    """Call the controllers whose sample is due."""
    head = run.PlanHeader(plan, 0)
    p = run.RunParameters(table, head.parameters)
    origin, tick = p.origin, p.tick
    for k in range(head.controllers.count):
        controller = run.ControllerRow(plan, head.controllers.first, k)
        number, held = controller.period, controller.forces
        m = controller.samples  # memory: number of the next sample, then user memory
        if t >= memory[m] * table[number] - tick:
            address, which = controller.address, controller.which
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
    head = run.PlanHeader(plan, 0)
    p = run.RunParameters(table, head.parameters)
    tick, limit = p.tick, p.end
    if head.adaptive == 0:
        limit = min(limit, (memory[run.GRID] + 1.0) * p.step)
    elif head.traits & run.INTERPOLATES == 0 and p.output_step > 0.0:
        limit = min(limit, memory[run.NEXT_OUTPUT] * p.output_step)
    for k in range(head.controllers.count):
        controller = run.ControllerRow(plan, head.controllers.first, k)
        instant = memory[controller.samples] * table[controller.period]
        if instant < limit - tick:
            limit = instant
    if memory[run.NEXT_STOP] < head.n_stop:
        instant = table[head.stops + int(memory[run.NEXT_STOP])]
        if instant < limit - tick:
            limit = instant
    return limit


@uncounted
def pass_instants(plan, table, memory, t):
    """Update for the new time: end of a whole step, corner of a given function."""
    head = run.PlanHeader(plan, 0)
    p = run.RunParameters(table, head.parameters)
    tick = p.tick
    memory[run.ON_GRID] = 0.0
    if head.adaptive == 0 and t >= (memory[run.GRID] + 1.0) * p.step - tick:
        memory[run.GRID] += 1.0
        memory[run.ON_GRID] = 1.0
        memory[run.BENT_STEP] = 0.0
    while memory[run.NEXT_STOP] < head.n_stop:
        if t < table[head.stops + int(memory[run.NEXT_STOP])] - tick:
            break
        memory[run.NEXT_STOP] += 1.0
        memory[run.FRESH] = 0.0
