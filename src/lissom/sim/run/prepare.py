"""Preparation of a run from the arguments of `simulate` or of a `Stepper`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...algorithms.tree.arguments import as_state, check_system
from ...errors import StateError
from ...system import State, StateLike, System
from ..integrators import as_integrator
from ..warnings.overshoot import warn_of_overshoot
from .checks import positive
from .choice import alternative, chosen
from .drive_checks import check_drives
from .machine import Machine
from .settings import (
    TIME,
    Settings,
    checked_rate_linear,
    checked_settings,
    start_time,
    tolerance,
)
from .start import initial_state, planned, row_at_start, with_motions

Array = np.ndarray


@dataclass(frozen=True)
class Prepared:
    """A run that can be set off."""

    machine: Machine  # the run in compiled code
    start: State  # initial state
    user_state: State | None  # state that the user gave
    motions: str  # argument that contains the given motions, for the remedy in errors
    reason: str  # why the integrator was chosen
    asked: bool  # whether the user chose it

    @property
    def settings(self) -> Settings:
        """Settings of the run."""
        return self.machine.settings


def prepared(
    system: System,
    state: StateLike | None,
    *,
    duration: float,
    start: Any,
    step: Any,
    integrator: Any,
    rtol: Any,
    forces: Any,
    loads: Any,
    events: Any,
    drift: Any,
    method: Any,
    atol: Any = None,
    output_step: Any = None,
    max_step: Any = None,
    iterations: int | None = None,
    rate_linear: Any = False,
    what: str = "simulate",
) -> Prepared:
    """Machine, initial state and integrator of a run; nothing has been evaluated yet.

    `duration`: duration of the run [s], checked; `iterations`: as in `Settings`.
    """
    user_state = checked_state(system, state, what)
    if step is not None:
        step = positive(step, "step", TIME)
    begin, relative = start_time(start), tolerance(rtol)
    plan = planned(system, forces, loads, events)
    plan.rate_linear = checked_rate_linear(system, rate_linear)
    check_drives(plan)
    warn_of_overshoot(plan, stacklevel=4)
    motions = with_motions(forces, loads)
    first = initial_state(plan, user_state, begin, motions)
    kind = as_integrator(integrator)
    asked = kind is not None
    reason = f"{kind.title}, as requested" if kind is not None else ""
    if kind is None:
        kind, reason = chosen(plan, first, begin, step, relative)
    settings = checked_settings(
        system,
        kind,
        duration=duration,
        start=begin,
        step=step,
        rtol=relative,
        atol=atol,
        output_step=output_step,
        max_step=max_step,
        drift=drift,
        method=method,
        iterations=iterations,
        rate_linear=plan.rate_linear,
    )
    second = None if asked or not settings.adaptive else alternative(kind)
    other = None if second is None else replace(settings, integrator=second)
    machine = Machine(plan, settings, other=other)
    return Prepared(machine, first, user_state, motions, reason, asked)


def prepared_from(ready: Prepared, state: State | None) -> Prepared:
    """The same run from another state; both share one machine.

    `state`: as for `prepared`.
    """
    plan, user_state = (
        ready.machine.plan,
        checked_state(ready.machine.system, state, "simulate_batch"),
    )
    first = initial_state(plan, user_state, ready.settings.start, ready.motions)
    return replace(ready, start=first, user_state=user_state)


def checked_state(system: System, state: StateLike | None, what: str) -> State | None:
    """State of real numbers that the user gave, or None."""
    check_system(system)
    if state is None:
        return None
    user_state = as_state(system, state)
    if not user_state.real:
        raise StateError(f"{what} needs a state of real numbers")
    return user_state


def put_at_start(machine: Machine, start: State, user_state: State | None, motions: str) -> Array:
    """Put the run at its start; returns the row there."""
    machine.begin(start.raw_q, start.raw_v, machine.settings.step)
    return row_at_start(machine, user_state, motions)
