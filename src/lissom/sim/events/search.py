"""Location of an event: the step is repeated with other lengths until it ends just after it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...kernels.layout import run
from ..run.machine import Machine

Array = np.ndarray


def go_to_event(machine: Machine, keep: Callable[[Array], None]) -> list[int] | int:
    """Take the step that ends just after the first event; return the numbers of the events there.

    If a step fails, return its status; if the event does not occur again, no numbers.  The run is
    then back at the start of the step.
    """
    plan = machine.plan
    memory, start = machine.memory, machine.memory.copy()
    low, high = 0.0, float(memory[run.TRIED])
    places = [place for _, place in plan.events]
    before = start[places]

    def trial(h: float, mode: int) -> Array | int:
        memory[:] = start
        memory[run.NEXT_STEP] = h
        status = machine.advance(0, mode)
        if status == run.ROWS_FULL:
            keep(machine.rows())
            start[[run.NEXT_OUTPUT, run.SUB]] = memory[[run.NEXT_OUTPUT, run.SUB]]
            return trial(h, mode)
        if status == run.MORE:
            return memory[places].copy()
        memory[:] = start
        return status

    after = trial(high, run.ONE_STEP)
    if isinstance(after, int):
        return after
    if not _crossed(machine, before, after):
        memory[:] = start
        return []
    ulp = np.spacing(max(abs(start[run.TIME]), high))
    tick, least = 4 * ulp, 128 * ulp  # the shortest step that certainly advances time
    f_low, weight = before, 1.0
    while high - low > max(tick, 1e-13 * high) and high > least:
        k = _crossed(machine, before, after)[0]
        span = after[k] - weight * f_low[k]
        guess = high - after[k] * (high - low) / span if span != 0 else 0.5 * (low + high)
        if not low + 0.01 * (high - low) < guess < high - 0.01 * (high - low):
            near = guess <= low + 0.01 * (high - low)
            guess = low + (0.01 if near else 0.99) * (high - low)
            if weight < 0.1:
                guess = 0.5 * (low + high)
        guess = max(guess, least)
        values = trial(guess, run.ONE_STEP)
        if isinstance(values, int):
            return values
        if _crossed(machine, before, values):
            high, after = guess, values
            weight *= 0.5  # the Illinois rule: move the other end too
        else:
            low, f_low, weight = guess, values, 1.0
    values = trial(high, run.ONE_STEP_WITH_ROWS)
    if isinstance(values, int):
        return values
    keep(machine.rows())
    return _crossed(machine, before, values) or _crossed(machine, before, after)


def _crossed(machine: Machine, before: Array, after: Array) -> list[int]:
    """Numbers of the armed events that crossed zero in their direction."""
    passed = []
    for k, (event, place) in enumerate(machine.plan.events):
        up = event.direction >= 0 and before[k] < 0 <= after[k]
        down = event.direction <= 0 and before[k] > 0 >= after[k]
        if (up or down) and machine.memory[place + run.ARMED] != 0:
            passed.append(k)
    return passed
