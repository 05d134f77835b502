"""Checks of contacts: their names, and that a run does not begin with shapes inside each other."""

from __future__ import annotations

import numpy as np

from ...algorithms.tree.coordinates import error_sizes, moved
from ...errors import LoadError
from ...kernels.layout.contact import ContactNumbers, ContactOutput
from .machine import Machine
from .plan import Plan

Array = np.ndarray

RESTS = 0.1  # acceleration of a gap at rest, as a part of what the force of the contact causes
SMALL, BENDING = 1e-7, 1e-4  # spacings of differences, in sizes of speeds


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
    deep: list[tuple[float, str, int]] = []  # depth, name, number of the point
    for name, (load, first, n) in zip(plan.contact_names, plan.contact_parts, strict=True):
        if load.initially == "pressed" or not load.on:
            continue
        for k in range(first, first + n):
            tolerance = ContactNumbers(constants, int(plan.contacts[k].constants)).tolerance
            if (gap := ContactOutput(points[k], 0).gap) < -tolerance:
                deep.append((-float(gap), name, k))
    if not deep or _rest(machine, row, [k for _, _, k in deep]):
        return
    depth, name, _ = max(deep)
    raise LoadError(
        f"contact {name!r}: at the start its shapes overlap by {depth:.3g} m, and its force would "
        "throw them apart; move them apart, start at rest on each other (state = "
        'equilibrium(system, state, loads=loads)), or say initially="pressed" if this is meant'
    )


def _rest(machine: Machine, row: Array, points: list[int]) -> bool:
    """Whether the forces of these points are balanced by others at the start.

    The accelerations of the gaps, from changes of these along v and along dv/dt, are compared with
    what the forces of all contacts alone would cause.
    """
    plan, system = machine.plan, machine.system
    size = error_sizes(system)[0]
    q, v, a = (machine.columns.part(row[None], x)[0].copy() for x in ("q", "v", "acceleration"))
    before = machine.memory.copy()
    for contact in plan.contacts:
        machine.memory[contact.active] = 0.0

    def evaluated(motion: Array) -> Array:
        return machine.accelerations(machine.time, moved(system, q, motion), v)[1][None]

    def gaps(motion: Array) -> Array:
        numbers = machine.columns.part(evaluated(motion), "contact")
        return np.asarray(numbers.reshape(-1, ContactOutput.size)[points, 0])

    def step(motion: Array, part: float) -> float:
        return part / max(float(np.max(np.abs(motion) / size)), 1e-300)

    def along(motion: Array) -> Array:
        h = step(motion, SMALL)
        return np.asarray((gaps(h * motion) - gaps(-h * motion)) / (2 * h))

    try:
        caused = a - machine.columns.part(evaluated(0 * v), "acceleration")[0]
        h = step(v, BENDING)
        turning = (gaps(h * v) - 2 * gaps(0 * v) + gaps(-h * v)) / h**2 if np.any(v) else 0.0
        return bool(np.all(np.abs(along(a) + turning) <= RESTS * np.abs(along(caused))))
    finally:
        machine.memory[:] = before
