"""Warnings of runs that are less accurate than asked for."""

from __future__ import annotations

import warnings

from ...errors import SimulationWarning
from ...kernels.layout import run
from ..run.machine import Machine

LARGE = 0.3  # error of fixed steps that causes a warning even if the user chose the integrator
FIXED_STEPS = (
    "shorten the step, let the integrator choose it (without step=), or give the error that you "
    "accept as rtol="
)
BENDING = " where forces bend or jump within steps (stops, friction, limits, functions), "
BEYOND = 10.0  # tolerances that a run may err without a warning
SINGULAR = 1e-4  # independent fraction of a constraint below which a position is nearly singular
FINEST = 1e-10  # smallest rtol that is attained when passing such a position


def warn_of_singular(machine: Machine, stacklevel: int) -> None:
    """Warn that a run passed a singular position in a way that leaves errors.

    Explicit fixed steps have no error control; adaptive steps cannot meet a very small tolerance.
    """
    settings, nearest = machine.settings, machine.memory[run.NEAREST]
    if settings.integrator.implicit or nearest > SINGULAR:
        return
    if not settings.adaptive:
        effect = (
            "a fixed step may be inaccurate there: check the energy, or let the integrator choose "
            "its steps"
        )
    elif settings.rtol < FINEST:
        effect = (
            "rounding errors are amplified there, and an error of the order of 1e-8 may remain, "
            f"which rtol = {settings.rtol:.0e} does not reduce: rtol = {FINEST:.0e} takes fewer "
            "steps"
        )
    else:
        return
    time = machine.settings.start + machine.memory[run.NEAREST_TIME]
    warnings.warn(
        f"near t = {time:.6g} s the loops were close to a singular "
        f"position ({nearest:.2g} of a constraint was independent); {effect}",
        SimulationWarning,
        stacklevel=stacklevel + 1,
    )


def warn_of_long_steps(machine: Machine, *, asked: bool, stacklevel: int) -> None:
    """Warn if the error exceeds the tolerance; of fixed steps that the user chose, if it is large.

    The error is the sum of the estimates of all steps, relative to coordinate and speed sizes.
    What kinks of forces add to fixed steps is held against the tolerance whoever chose the method:
    no order of a method covers it.
    """
    settings, statistics = machine.settings, machine.statistics
    allowed = BEYOND * settings.rtol
    error, at_kinks = statistics.get("estimated_error", 0.0), statistics.get("error_at_kinks", 0.0)
    large = error > (max(LARGE, allowed) if asked and not settings.adaptive else allowed)
    if not large and not at_kinks > allowed:
        return
    speed, size, where = run.ERROR_WORST, error, ""
    left, advice = "adaptive steps leave", "give a smaller rtol="
    if not settings.adaptive:
        left = f"a fixed step of {settings.step:g} s leaves"
        advice = FIXED_STEPS
    if at_kinks > error or not large:
        speed, size = run.BENT_WORST, max(error, at_kinks)
        where = f"{BENDING}most near t = {machine.memory[run.BENT_TIME]:.4g} s"
    worst = machine.system.layout.owner_v(int(machine.memory[speed]))
    warnings.warn(
        f"{left} an error of about {size:.1g} with {settings.integrator.title}{where} (1 is the "
        f"size of a body, or 1 rad; rtol is {settings.rtol:g}), worst: {worst}; {advice}",
        SimulationWarning,
        stacklevel=stacklevel + 1,
    )
