"""Warnings about contacts: depths beyond their laws, steps, modes, creep."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from ...errors import SimulationWarning
from ...kernels.layout import run
from ...kernels.layout.contact import TouchRecord
from ...system import System
from ..loads.contact import Hertz
from ..run.machine import Machine

DEEP = 0.5  # depth, in radii of a ball about the smaller shape
CURVED = 0.1  # depth, in relative radii of curvature, beyond which Hertz's theory does not hold
WIDE = 0.3  # the same for the radius of the patch
OFTEN, MANY = 1000.0, 100  # touch-downs a second, and how many there must be
CUT, FEW = 0.1, 5  # part of the fixed steps that contacts may divide, and number in any case
CREEP = 100.0  # way slid by regularised friction that is at rest, in tolerances of lengths
FINEST = 1e-6  # smallest of these tolerances, in sizes of the system: a body that stops creeps too
SLOW = 0.5  # period of the highest mode, in times of contact


class _Contact(NamedTuple):
    """A contact of a run."""

    name: str
    load: Any
    touches: list[TouchRecord]  # of its points
    radii: list[float]
    sizes: list[float]


def warn_of_contacts(machine: Machine, stacklevel: int) -> None:
    """Warn of contacts for which the laws or the steps of a run are not made."""
    plan = machine.plan
    if not plan.contacts:
        return
    touches, texts = machine.touches, list[str]()
    for name, (load, first, n) in zip(plan.contact_names, plan.contact_parts, strict=True):
        part = slice(first, first + n)
        if not any(x.count or x.deepest for x in touches[part]):
            continue
        lists = touches[part], plan.contact_radii[part], plan.contact_sizes[part]
        contact = _Contact(name, load, *lists)
        texts += [_depth(contact), _often(machine, contact), _creep(machine, contact)]
        texts.append(_modes(machine.system, contact))
    for text in filter(None, [*texts, _cut(machine)]):
        warnings.warn(text, SimulationWarning, stacklevel=stacklevel + 1)


def _depth(contact: _Contact) -> str:
    """Words about a depth beyond the shapes or the theory of Hertz."""
    depth, size = max(
        ((float(x.deepest), size) for x, size in zip(contact.touches, contact.sizes, strict=True)),
        key=lambda pair: pair[0] / pair[1],
    )
    if depth > DEEP * size:
        return (
            f"contact {contact.name!r} was {depth:.3g} m deep, more than half of the smaller shape "
            f"({size:.3g} m in radius): it may slip through; give a stiffer law or smaller loads"
        )
    if not isinstance(contact.load.law, Hertz):
        return ""
    depth, radius = max(
        ((float(x.deepest), R) for x, R in zip(contact.touches, contact.radii, strict=True)),
        key=lambda pair: pair[0] / pair[1],
    )
    patch = np.sqrt(depth / radius)  # in radii
    if not (depth > CURVED * radius or patch > WIDE):
        return ""
    return (
        f"contact {contact.name!r} was {depth:.3g} m deep, with a patch of {patch:.2g} of its "
        f"radius of curvature ({radius:.3g} m): Hertz's law holds for small patches, up to about "
        f"{WIDE:g}; give a measured law (TableContact)"
    )


def _often(machine: Machine, contact: _Contact) -> str:
    """Words about a contact that closes too often."""
    count, time = sum(float(x.count) for x in contact.touches), machine.elapsed
    if not count > max(MANY, OFTEN * time):
        return ""
    return (
        f"contact {contact.name!r} closed {count:.0f} times in {time:.3g} s: it rattles, and each "
        "time ends a step; more restitution loss (a smaller restitution) or a softer law lets it "
        "come to rest"
    )


def _creep(machine: Machine, contact: _Contact) -> str:
    """Words about the creep of friction that is regularised."""
    creep = max(float(x.creep) for x in contact.touches)
    tolerance = max(machine.settings.rtol, FINEST) * machine.system.length
    if not creep > CREEP * tolerance:
        return ""
    return (
        f"contact {contact.name!r} has slid {creep:.3g} m in all at speeds at which it ought to "
        "stick, by its regularised friction; a smaller speed= creeps less"
    )


def _modes(system: System, contact: _Contact) -> str:
    """Words about flexible bodies whose shapes are too slow for the time of contact."""
    times = [float(x.shortest) for x in contact.touches if 0.0 < x.shortest < np.inf]
    for name in contact.load.carriers(system) if times else ():
        i = system.place(name).body if name else -1
        if i < 0 or not system.bodies[i].n_mode:
            continue
        highest = float(np.max(system.bodies[i].frequencies))
        if highest > 0.0 and 1.0 / highest > SLOW * min(times):
            return (
                f"contact {contact.name!r} lasts about {min(times):.3g} s, and the highest mode of "
                f"{system.names[i]!r} that is kept has a period of {1.0 / highest:.3g} s: its peak "
                "force depends on the modes that are not; keep modes up to "
                f"{1.0 / (SLOW * min(times)):.3g} Hz, or give a softer law"
            )
    return ""


def _cut(machine: Machine) -> str:
    """Words about fixed steps that contacts divide."""
    memory, settings = machine.memory, machine.settings
    cut, whole = float(memory[run.N_CUT]), float(memory[run.GRID])
    if settings.adaptive or not cut > max(CUT * whole, FEW):
        return ""
    return (
        f"contacts divided {cut:.0f} of {whole:.0f} fixed steps of {settings.step:g} s into "
        "shorter ones: a shorter step, or adaptive ones (without step=), suit this motion better"
    )
