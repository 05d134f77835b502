"""Before a run: all that acts, put together and evaluated once."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms._kernels.simulation import layout as at
from ..errors import LoadError
from ..system import System
from .checks import shown
from .controllers import enter_forces
from .events import Event
from .loads import Load
from .machine import Machine
from .plan import Plan
from .reasons import explained
from .settings import Settings

__all__ = ["check_ends", "check_start", "close_start", "planned"]

Array = np.ndarray


def planned(system: System, forces: Any, loads: Any, events: Any) -> Plan:
    """All that acts, resolved against a system."""
    plan = Plan(system)
    plan.given = forces, _listed(loads, Load, "loads"), _listed(events, Event, "events")
    _, given_loads, given_events = plan.given
    for load in given_loads:
        load.enter(plan)
    enter_forces(plan, forces)
    for event in given_events:
        event.enter(plan)
    return plan


def _listed(given: Any, kind: type, what: str) -> list[Any]:
    if isinstance(given, kind):
        return [given]
    try:
        items = list(given)
    except TypeError:
        raise LoadError(
            f"{what} is {shown(given)}; expected a list of {kind.__name__} objects"
        ) from None
    for item in items:
        if not isinstance(item, kind):
            raise LoadError(f"{what} contains {shown(item)}; expected {kind.__name__} objects")
    return items


def check_start(machine: Machine, *, keep_samples: bool = False) -> Array:
    """Row at the start; a mistake in a load shows here, not after hours.

    Parameters
    ----------
    machine : Machine
        At the start of its run.
    keep_samples : bool
        Whether the controllers count as called: one that remembers must not be called twice.
    """
    memory, plan = machine.memory, machine.plan
    functions = plan.functions
    kept = memory.copy()
    memory[at.FORCED] = 1.0
    status = machine.advance(0)
    rows = machine.rows()
    if keep_samples:
        for controller, e in zip(plan.controllers, plan.rows["controllers"], strict=True):
            forces = slice(e[at.E_MEMORY], e[at.E_MEMORY] + machine.system.n_v)
            own = slice(e[at.E_B], e[at.E_B] + 1 + len(controller.memory))
            kept[forces], kept[own] = memory[forces], memory[own]
    memory[:] = kept
    if status == at.CALL_FAILED:
        error, functions.error = functions.error, None
        if isinstance(error, (LoadError, KeyboardInterrupt)):
            raise error
        raise LoadError(
            f"{functions.failed} raised {type(error).__name__} at the start: {error}"
        ) from error
    if status not in (at.MORE, at.FINISHED):
        raise LoadError(f"the run cannot start: {explained(machine, status).message}")
    return rows[0]


def close_start(machine: Machine) -> None:
    """Let the whole mechanism follow given motions at the start; refuse those loops do not let.

    A function that fails is left to `check_start`.
    """
    if not machine.system.constraints:
        return
    status = machine.settle()
    if status not in (0, at.CALL_FAILED):
        raise LoadError(f"the run cannot start: {explained(machine, status).message}")


def check_ends(plan: Plan, settings: Settings) -> None:
    """Refuse a table of positions that stops while its joint moves: that would be an impact."""
    for what, table in plan.ends:
        sizes = np.abs(np.diff(table.values, axis=0)).max() / np.diff(table.times).min()
        for slope, t, inside in zip(
            table.end_slopes(),
            table.times[[0, -1]],
            (settings.start >= table.times[0], settings.end <= table.times[-1]),
            strict=True,
        ):
            if not inside and np.abs(slope).max() > 1e-6 * sizes:
                raise LoadError(
                    f"{what}: the table {'starts' if t == table.times[0] else 'ends'} at "
                    f"t = {t:g} s with a rate of {slope[np.argmax(np.abs(slope))]:.3g}, and the "
                    "run goes beyond; let the table cover the run, or use clamped=True for a "
                    "motion from rest to rest"
                )
