"""Functions of time that change within a fixed step more than the step can follow."""

from __future__ import annotations

import warnings

import numpy as np

from ..errors import LissomError, SimulationWarning
from .plan import Plan
from .settings import Settings

__all__ = ["warn_of_jumps"]

LARGE = 0.1  # change that no straight line across the step has, as a part of the largest value
LOOKS, MOST = 4096, 20_000  # looks at least, as adaptive runs have, and steps at most


def warn_of_jumps(plan: Plan, settings: Settings, stacklevel: int) -> None:
    """Name the first function that jumps, or comes and goes, within a fixed step.

    Parameters
    ----------
    plan : Plan
        What acts.
    settings : Settings
        What the run shall do.
    stacklevel : int
        Of the warning.
    """
    if settings.adaptive or not plan.time_functions:
        return
    n = max(1, min(MOST, round(settings.duration / settings.step)))
    inside = max(2, -(-LOOKS // n))  # looks in a step
    instants = np.linspace(settings.start, settings.end, inside * n + 1)
    along = np.arange(inside)[None, :, None] / inside
    for what, function in plan.time_functions:
        try:
            values = np.array([function(t) for t in instants])
        except (LissomError, ArithmeticError, ValueError, TypeError):  # the run will say why
            continue
        ends = values[::inside]
        line = (1 - along) * ends[:-1, None] + along * ends[1:, None]
        bend = np.abs(values[:-1] - line.reshape(len(values) - 1, -1)).max(axis=1)
        k = int(np.argmax(bend))
        if bend[k] > LARGE * np.abs(values).max():
            warnings.warn(
                f"{what} changes within a fixed step of {settings.step:g} s, near t = "
                f"{instants[k]:.6g} s, more than the step can follow; let the integrator "
                "choose its steps (without step=), shorten the step, or give a Table",
                SimulationWarning,
                stacklevel,
            )
            return
