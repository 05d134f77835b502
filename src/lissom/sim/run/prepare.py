"""Preparation of a run from the arguments of `simulate` or of a `Stepper`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...algorithms.tree.arguments import as_state, check_system
from ...errors import StateError
from ...options import RunOptions
from ...system import State, StateLike, System
from ..warnings.overshoot import warn_of_overshoot
from .choice import alternative, chosen
from .drive_checks import check_drives
from .machine import Machine
from .settings import Settings, check_rate_linear, settled
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
    system: System, state: StateLike | None, options: RunOptions, what: str = "simulate"
) -> Prepared:
    """Machine, initial state and integrator of a run; nothing has been evaluated yet."""
    user_state = checked_state(system, state, what)
    plan = planned(system, options.forces, options.loads, options.events)
    check_rate_linear(system, rate_linear=options.rate_linear)
    plan.rate_linear = options.rate_linear
    check_drives(plan)
    warn_of_overshoot(plan, stacklevel=4)
    motions = with_motions(options)
    first = initial_state(plan, user_state, options.start, motions)
    kind = options.integrator
    asked = kind != "auto"
    reason = f"{kind.title}, as requested" if asked else ""
    if not asked:
        kind, reason = chosen(plan, first, options)
    settings = settled(system, options, kind)
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
