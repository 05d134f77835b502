"""Contacts that close and open: what a run records of them, and the events that watch them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...kernels.layout import contact
from ...kernels.layout.contact import TouchRecord
from ...results.event_records import EventRecord, Touch
from ..run.machine import Machine


def take_touches(machine: Machine) -> Iterator[tuple[str, EventRecord]]:
    """Contacts that have closed or opened as a whole at the end of the last step, by name.

    One of several points closes with the first of them, and opens with the last.
    """
    plan, memory = machine.plan, machine.memory
    for name, (_, first, n) in zip(plan.contact_names, plan.contact_parts, strict=True):
        points = [TouchRecord(memory, row.touch) for row in plan.contacts[first : first + n]]
        was_closed = any(_was_closed(x) for x in points)
        is_closed = any(x.state != contact.OPEN for x in points)
        changed = [x for x in points if x.happened]
        for point in changed:
            point.happened = 0.0
        if changed and is_closed != was_closed:
            touch = _begun(machine, name, points, changed) if is_closed else None
            touch = touch or _ended(machine, name, points)
            words = "touches" if touch.touches else "leaves"
            yield name, EventRecord(machine.time, f"{name} {words}", touch=touch)


def _was_closed(point: TouchRecord) -> bool:
    """Whether a point was closed before what happened in the last step."""
    if point.happened:
        return bool(point.happened == contact.LEFT)
    return bool(point.state != contact.OPEN)


def _begun(
    machine: Machine, name: str, points: list[TouchRecord], changed: list[TouchRecord]
) -> Touch:
    """The touch of a contact that has closed; what it will have done is counted from now on."""
    for point in points:
        point.impulse = point.total = point.peak = 0.0
    points[0].begun, points[0].approach = machine.elapsed, max(x.entry for x in changed)
    return Touch(name, True, float(points[0].approach), min(float(x.duration) for x in changed))


def _ended(machine: Machine, name: str, points: list[TouchRecord]) -> Touch:
    """What a contact that has opened has done."""
    first, impulse = points[0], sum(float(x.impulse) for x in points)
    lasted = machine.elapsed - float(first.begun)
    duration = min((float(x.duration) for x in points if x.count), default=math.inf)
    return Touch(name, False, float(first.approach), duration, lasted, impulse, float(first.peak))
