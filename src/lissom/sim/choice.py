"""Which integrator "auto" takes, and the first step of an adaptive one."""

from __future__ import annotations

import numpy as np

from ..system import State
from .integrators import DormandPrince8, EulerCromer, GeneralizedAlpha, Integrator, RungeKutta4
from .machine import Machine
from .plan import Plan
from .scales import error_sizes, fastest_rate, stiffness_of
from .settings import Settings

__all__ = ["at_rest", "chosen", "first_step"]

Array = np.ndarray

# Explicit methods as long as step times rate is below this, or without a step, as long as the
# fastest rate [rad/s] lets them take steps that are worth it.
EXPLICIT_STEP, EXPLICIT_RATE = 1.5, 2e4


def chosen(plan: Plan, state: State, step: float | None) -> tuple[Integrator, str]:
    """What "auto" takes, and why."""
    rate = fastest_rate(at_rest(plan, state).solve, *stiffness_of(plan))
    words = f"fastest vibration or decay {rate:.3g} rad/s" if rate else "nothing is stiff"
    if step is None:
        if rate <= EXPLICIT_RATE:
            return DormandPrince8(), f"{DormandPrince8.title} with adaptive steps: {words}"
        return GeneralizedAlpha(), f"{GeneralizedAlpha.title} with adaptive steps: {words}"
    if step * rate <= EXPLICIT_STEP:
        return RungeKutta4(), f"{RungeKutta4.title}: {words}, {step * rate:.2g} rad in a step"
    return (
        GeneralizedAlpha(),
        f"{GeneralizedAlpha.title}: {words}, {step * rate:.2g} rad in a step",
    )


def at_rest(plan: Plan, state: State, time: float = 0.0) -> Machine:
    """A machine that will not run, for questions about the start."""
    machine = Machine(plan, Settings(time, 1.0, EulerCromer(), 1.0, False, 1e-8, None, 1.0))
    machine.begin(state.raw_q, np.zeros(plan.system.n_v), 1.0)
    return machine


def first_step(machine: Machine, row: Array) -> float:
    """A first step for an adaptive method: short beside everything that moves."""
    columns = machine.plan.columns
    acceleration, velocity = (columns.part(row[None], x)[0] for x in ("acceleration", "v"))
    position, _ = error_sizes(machine.system)
    pace = max(
        10 * fastest_rate(machine.solve, *stiffness_of(machine.plan)),
        20 * np.sqrt(np.max(np.abs(acceleration) / position, initial=0.0)),
        20 * np.max(np.abs(velocity) / position, initial=0.0),
        20 / machine.settings.duration,
    )
    return min(1 / pace, machine.settings.duration)
