"""Warning about functions of time that change too much within a fixed step."""

from __future__ import annotations

import warnings

import numpy as np

from ...algorithms.tree.escapes import is_interruption
from ...errors import SimulationWarning
from ..run.plan import Plan
from ..run.settings import Settings

LARGE = 0.1  # deviation from a straight line across the step, as a fraction of the largest value
LOOKS, MOST = 4096, 20_000  # least number of samples, as in adaptive runs; most steps


def warn_of_jumps(plan: Plan, settings: Settings, stacklevel: int) -> None:
    """Warn about the first function that jumps, or pulses, within a fixed step.

    Parameters
    ----------
    plan : Plan
        Loads, motions and events of the run.
    settings : Settings
        Settings of the run.
    stacklevel : int
        Stack level of the warning.
    """
    if settings.adaptive or not plan.time_functions:
        return
    n = max(1, min(MOST, round(settings.duration / settings.step)))
    inside = max(2, -(-LOOKS // n))  # samples in a step
    instants = np.linspace(settings.start, settings.end, inside * n + 1)
    along = np.arange(inside)[None, :, None] / inside
    for what, function in plan.time_functions:
        try:
            values = np.array([function(t) for t in instants])
        except Exception as error:
            if is_interruption(error):
                raise
            continue  # the run reports the cause
        ends = values[::inside]
        line = (1 - along) * ends[:-1, None] + along * ends[1:, None]
        bend = np.abs(values[:-1] - line.reshape(len(values) - 1, -1)).max(axis=1)
        k = int(np.argmax(bend))
        if bend[k] > LARGE * np.abs(values).max():
            warnings.warn(
                f"{what} changes too much within a fixed step of {settings.step:g} s near t = "
                f"{instants[k]:.6g} s; let the integrator choose its steps (without step=), "
                "shorten the step, or give a Table",
                SimulationWarning,
                stacklevel,
            )
            return
