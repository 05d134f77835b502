"""Adaptive runs whose steps have become too small to reach the end."""

from __future__ import annotations

import numpy as np

from ...kernels.layout import run
from .machine import Machine
from .reasons import Outcome, bent_hint

FAR = 1e-10  # [s]
STIFF = ', or if it is stiff use integrator="generalized_alpha"'
STALL_STEPS = 20_000  # steps between two checks
# Steps needed for the whole duration that end a run: if the step has shrunk by this factor, or in
# any case.
MANY_STEPS, TOO_MANY_STEPS, SHRUNK = 2e8, 1e10, 1e-3


class Stall:
    """Monitor of the progress of a run.

    `steps`, `t`: steps so far, and time since the start that they have reached [s].
    """

    def __init__(self, steps: float, t: float) -> None:
        self._steps, self._time = float(steps), float(t)

    def outcome(self, machine: Machine) -> Outcome | None:
        """Outcome of an adaptive run whose steps are too small to reach the end, else None."""
        steps, t = float(machine.memory[run.N_STEPS]), machine.elapsed
        settings = machine.settings
        n = steps - self._steps
        if not settings.adaptive or n <= STALL_STEPS:
            return None
        span = t - self._time
        self._steps, self._time = steps, t
        needed = settings.duration * n / max(span, 1e-300)
        shrunk = span / n < SHRUNK * float(machine.memory[run.LARGEST])
        if needed < (MANY_STEPS if shrunk else TOO_MANY_STEPS):
            return None
        stiff = "" if settings.integrator.iterates else STIFF
        worst = machine.system.layout.owner_v(int(machine.memory[run.WORST]))
        reason = (
            f"at t = {machine.time:.9g} s the steps are too small to reach the end: {n:.0f} of "
            f"them cover {span:.3g} s, the last one {machine.memory[run.LAST_STEP]:.3g} s; worst: "
            f"{worst}; something is singular or very stiff there: check the last rows, or increase "
            f"rtol{stiff}{bent_hint(machine)}"
        )
        if machine.plan.timed and (apart := float(np.spacing(abs(t + settings.start)))) > FAR:
            reason += (
                f"; floating-point numbers there are {apart:.2g} s apart, which functions of time "
                "may show: let their time begin at zero (start=0)"
            )
        return Outcome("stalled", reason)
