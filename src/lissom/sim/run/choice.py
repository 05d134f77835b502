"""Choice of the integrator for "auto", and the first step of an adaptive one."""

from __future__ import annotations

import copy

import numpy as np

from ...algorithms.tree.coordinates import error_sizes, hinge_speeds
from ...kernels.layout import run
from ...system import State
from ..integrators import (
    DormandPrince8,
    EulerCromer,
    GeneralizedAlpha,
    Integrator,
    Rosenbrock3,
    RungeKutta4,
)
from .machine import Machine
from .plan import Plan
from .scales import fastest_motions, stiffness_of
from .settings import Settings

Array = np.ndarray

# With a step: RK4 where the fastest motion stays within the tolerance, the method of order eight
# up to this many radians per step.
EXPLICIT_STEP = 1.0
MANY = 1000  # steps over which RK4 must stay within it; a resumed run may be longer
VIBRATION = 0.01  # expected amplitude of vibrations, as a fraction of the size of a body


def chosen(
    plan: Plan, state: State, start: float, step: float | None, rtol: float
) -> tuple[Integrator, str]:
    """Integrator for "auto", and the reason in words.

    Adaptive runs begin with an explicit method; what its steps show decides about the rest, see
    `kernels.run.switching` and `alternative`.
    """
    machine = at_rest(_undisturbed(plan), state, start)
    fastest = fastest_motions(machine.solve, *stiffness_of(plan, state.raw_q))
    rate = fastest.rate
    words = f"fastest vibration or decay {rate:.3g} rad/s" if rate else "nothing is stiff"
    if step is None:
        return DormandPrince8(), f"{DormandPrince8.title} with adaptive steps: {words}"
    words = f"{words}, {step * rate:.2g} rad in a step"
    kind: Integrator = GeneralizedAlpha()
    if step * rate <= EXPLICIT_STEP:
        pace = _pace(machine, state, start)
        error = VIBRATION * (step * rate) ** 5 + (step * pace) ** 5
        keeps = MANY * error / 120 <= rtol  # phase error of RK4
        kind = RungeKutta4() if keeps else DormandPrince8()
    return kind, f"{kind.title}: {words}"


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


def at_rest(plan: Plan, state: State, time: float = 0.0, *, exact: bool = False) -> Machine:
    """Machine for evaluations at the start; it takes no steps."""
    settings = Settings(time, 1.0, EulerCromer(), 1.0, False, 1e-8, None, 1.0)
    machine = Machine(plan, settings, exact=exact)
    machine.begin(state.raw_q, np.zeros(plan.system.n_v), 1.0)
    return machine


def first_step(machine: Machine, row: Array) -> float:
    """A first step for an adaptive method: short compared with every time scale."""
    columns = machine.columns
    acceleration, velocity = (columns.part(row[None], x)[0] for x in ("acceleration", "v"))
    position, _ = error_sizes(machine.system)
    pace = max(
        10 * fastest_motions(machine.solve, *stiffness_of(machine.plan, machine.q)).rate,
        20 * np.sqrt(np.max(np.abs(acceleration) / position, initial=0.0)),
        20 * np.max(np.abs(velocity) / position, initial=0.0),
        20 / machine.settings.duration,
    )
    return min(1 / pace, machine.longest_step)
