"""Checks of contacts: their names, and that a run does not begin with shapes inside each other."""

from __future__ import annotations

import numpy as np

from ...algorithms.tree.coordinates import error_sizes
from ...errors import LoadError
from ...kernels.layout.contact import ContactNumbers, ContactOutput
from .machine import Machine
from .plan import Plan

Array = np.ndarray

RESTS = 0.01  # acceleration of a contact at rest, as a part of what its force causes alone


def check_contact_names(plan: Plan) -> None:
    """Refuse contacts whose channels could not be told from others."""
    system = plan.system
    groups = {"body": system.names, "loop": [x.name for x in system.loops]}
    groups |= {"coupling": [x.name for x in system.couplings]}
    groups |= {"frame": [x.name for x in system.frames]}
    taken = {name: f"a {group}" for group, names in groups.items() for name in names}
    for load, *_ in plan.contact_parts:
        name = load.name
        if not name:
            continue
        first = name.partition(".")[0]
        if first in taken:
            raise LoadError(
                f"contact {name!r}: {first!r} is {taken[first]} of the system, so that its results "
                "could not be told apart; give the contact another name"
            )
        taken[name] = "a contact"


def check_contacts_apart(machine: Machine, row: Array) -> None:
    """Refuse a start, whose row this is, in which shapes overlap and would be thrown apart.

    They may where they rest on each other.
    """
    plan = machine.plan
    if not plan.contacts:
        return
    points = machine.columns.part(row[None], "contact")[0].reshape(-1, ContactOutput.size)
    constants = plan.constants()
    deep: list[tuple[float, str]] = []
    for name, (load, first, n) in zip(plan.contact_names, plan.contact_parts, strict=True):
        if load.initially == "pressed" or not load.on:
            continue
        gaps = [ContactOutput(x, 0).gap for x in points[first : first + n]]
        tolerance = ContactNumbers(constants, int(plan.contacts[first].constants)).tolerance
        if min(gaps) < -tolerance:
            deep.append((-min(gaps), name))
    if not deep or _rests(machine, row):
        return
    depth, name = max(deep)
    raise LoadError(
        f"contact {name!r}: at the start its shapes overlap by {depth:.3g} m, and its force would "
        "throw them apart; move them apart, start at rest on each other (state = "
        'equilibrium(system, state, loads=loads)), or say initially="pressed" if this is meant'
    )


def _rests(machine: Machine, row: Array) -> bool:
    """Whether the forces of the contacts are balanced by others at the start."""
    plan, size = machine.plan, error_sizes(machine.system)[0]
    q, v, a = (machine.columns.part(row[None], x)[0] for x in ("q", "v", "acceleration"))
    before = machine.memory.copy()
    for contact in plan.contacts:
        machine.memory[contact.active] = 0.0
    _status, without = machine.accelerations(machine.time, q.copy(), v.copy())
    machine.memory[:] = before
    free = machine.columns.part(without[None], "acceleration")[0]
    caused = np.max(np.abs((a - free) / size), initial=0.0)
    return bool(np.max(np.abs(a / size), initial=0.0) <= RESTS * caused)
