"""Preparation of a run: what was asked becomes a machine at its start, with an integrator."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace

import numpy as np

from ...algorithms.tree.arguments import as_state, check_system
from ...algorithms.tree.coordinates import error_sizes, hinge_speeds
from ...errors import StateError
from ...kernels.layout import run
from ...options import RunOptions
from ...system import State, StateLike, System
from ..events.impacts import check_gaps_at_start
from ..integrators import (
    DormandPrince8,
    GeneralizedAlpha,
    Integrator,
    Rosenbrock3,
    RungeKutta4,
)
from ..warnings.functions_of_time import warn_of_overshoot
from .drive_checks import check_drives
from .machine import Machine
from .plan import Plan
from .scales import fastest_motions, stiffness_of
from .settings import Settings, check_rate_linear, settled
from .start import at_rest, check_ends, initial_state, planned, row_at_start, with_motions

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
    # rate of the fastest motion at `start` [rad/s], if it was looked at
    rate: float | None = None

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
    rate = None
    if not asked:
        kind, reason, rate = chosen(plan, first, options)
    settings = settled(system, options, kind)
    second = None if asked or not settings.adaptive else alternative(kind)
    other = None if second is None else replace(settings, integrator=second)
    machine = Machine(plan, settings, other=other)
    return Prepared(machine, first, user_state, motions, reason, asked, rate)


def prepared_from(ready: Prepared, state: State | None) -> Prepared:
    """The same run from another state; both share one machine.

    `state`: as for `prepared`.
    """
    plan, user_state = (
        ready.machine.plan,
        checked_state(ready.machine.system, state, "simulate_batch"),
    )
    first = initial_state(plan, user_state, ready.settings.start, ready.motions)
    return replace(ready, start=first, user_state=user_state, rate=None)


def checked_state(system: System, state: StateLike | None, what: str) -> State | None:
    """State of real numbers that the user gave, or None."""
    check_system(system)
    if state is None:
        return None
    user_state = as_state(system, state)
    if not user_state.real:
        raise StateError(f"{what} needs a state of real numbers")
    return user_state


def begun_run(ready: Prepared) -> Array:
    """Put a prepared run at its start; returns the row there."""
    machine = ready.machine
    check_ends(machine.plan, ready.settings)
    row = put_at_start(machine, ready.start, ready.user_state, ready.motions)
    if ready.settings.adaptive:
        machine.memory[run.NEXT_STEP] = first_step(machine, row, _rate_at_start(ready))
    return row


def _rate_at_start(ready: Prepared) -> float:
    """Rate of the fastest motion where the machine is [rad/s]."""
    machine, plan = ready.machine, ready.machine.plan
    # Elsewhere the last bits of the solutions differ, or joints are held.
    alike = not (ready.settings.dense or plan.system.constraints or plan.driven or plan.locks)
    if ready.rate is not None and alike and np.array_equal(machine.q, ready.start.raw_q):
        return ready.rate
    return fastest_motions(machine.solve, *stiffness_of(plan, machine.q)).rate


def put_at_start(machine: Machine, start: State, user_state: State | None, motions: str) -> Array:
    """Put the run at its start; returns the row there."""
    machine.begin(start.raw_q, start.raw_v, machine.settings.step)
    row = row_at_start(machine, user_state, motions)
    check_gaps_at_start(machine)
    return row


# With a step: RK4 where the fastest motion stays within the tolerance, the method of order eight
# up to this many radians per step.
EXPLICIT_STEP = 1.0
MANY = 1000  # steps over which RK4 must stay within it; a resumed run may be longer
VIBRATION = 0.01  # expected amplitude of vibrations, as a fraction of the size of a body


def chosen(plan: Plan, state: State, options: RunOptions) -> tuple[Integrator, str, float]:
    """Integrator for "auto", the reason in words, and the rate of the fastest motion [rad/s].

    Adaptive runs begin with an explicit method; what its steps show decides about the rest, see
    `kernels.run.switching` and `alternative`.
    """
    start, step = options.start, options.step
    machine = at_rest(_undisturbed(plan), state, start)
    fastest = fastest_motions(machine.solve, *stiffness_of(plan, state.raw_q))
    rate = fastest.rate
    words = f"fastest vibration or decay {rate:.3g} rad/s" if rate else "nothing is stiff"
    if step == np.inf:
        return DormandPrince8(), f"{DormandPrince8.title} with adaptive steps: {words}", rate
    words = f"{words}, {step * rate:.2g} rad in a step"
    kind: Integrator = GeneralizedAlpha()
    if step * rate <= EXPLICIT_STEP:
        pace = _pace(machine, state, start)
        error = VIBRATION * (step * rate) ** 5 + (step * pace) ** 5
        keeps = MANY * error / 120 <= options.rtol  # phase error of RK4
        kind = RungeKutta4() if keeps else DormandPrince8()
    return kind, f"{kind.title}: {words}", rate


def alternative(kind: Integrator) -> Integrator | None:
    """Method to which "auto" switches if an adaptive one is limited by stability."""
    return Rosenbrock3() if kind.stiff_at else None


def _undisturbed(plan: Plan) -> Plan:
    """Copy without events and controllers; these may remember that they were called."""
    other = copy.copy(plan)
    other.rows = {**plan.rows, "controllers": [], "events": []}
    other.controllers, other.events = [], []
    return other


def _accelerations(machine: Machine, t: float, q: Array, v: Array) -> Array | None:
    """Accelerations at a time; None if they cannot be evaluated: the start reports the cause."""
    functions = machine.plan.functions
    status, row = machine.accelerations(t, q, v)
    functions.taken()
    if status not in (run.MORE, run.FINISHED):
        return None
    return machine.columns.part(row[None], "acceleration")[0]


def _pace(machine: Machine, state: State, start: float) -> float:
    """Rate of the slow motion at the start [rad/s]."""
    accelerations = _accelerations(machine, start, state.raw_q, state.raw_v)
    acceleration = np.zeros(machine.system.n_v) if accelerations is None else accelerations
    size, _ = error_sizes(machine.system)
    rates = np.maximum(np.sqrt(np.abs(acceleration) / size), np.abs(state.raw_v) / size)
    return float(np.max(rates[hinge_speeds(machine.system)], initial=0.0))


def first_step(machine: Machine, row: Array, rate: float) -> float:
    """A first step for an adaptive method: short compared with every time scale.

    `rate`: of the fastest motion [rad/s].
    """
    columns = machine.columns
    acceleration, velocity = (columns.part(row[None], x)[0] for x in ("acceleration", "v"))
    position, _ = error_sizes(machine.system)
    pace = max(
        10 * rate,
        20 * np.sqrt(np.max(np.abs(acceleration) / position, initial=0.0)),
        20 * np.max(np.abs(velocity) / position, initial=0.0),
        20 / machine.settings.duration,
    )
    return min(1 / pace, machine.longest_step)
