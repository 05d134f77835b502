"""Warning about functions of time that change too much within a fixed step.

Forces that are functions of time are followed along fixed steps, at INTERVALS + 1 instants of each
(`kernels.run.kinks`): what is seen there divides the step, or is told after the run.  Here remain
what lies wholly between these instants, and other functions, those of motions and targets.
"""

from __future__ import annotations

import warnings

import numpy as np

from ...algorithms.tree.escapes import is_interruption
from ...errors import SimulationWarning
from ...kernels.run.kinks import INTERVALS
from ..run.plan import Plan
from ..run.settings import Settings

LARGE = 0.1  # deviation from a straight line across the step, as a fraction of the largest value
SEEN = 0.1  # part of a deviation that is enough for the run to notice it
LOOKS, MOST = 4096, 20_000  # least number of samples, as in adaptive runs; most steps


def warn_of_jumps(plan: Plan, settings: Settings, stacklevel: int) -> None:
    """Warn about the first function that jumps, or pulses, within a fixed step."""
    if settings.adaptive or not plan.time_functions:
        return
    n = max(1, min(MOST, round(settings.duration / settings.step)))
    followed = plan.followed_functions
    for number, (what, function) in enumerate(plan.time_functions):
        inside = max(2, -(-LOOKS // n))  # samples in a step
        if number in followed:
            inside = INTERVALS * -(-inside // INTERVALS)
            if inside == INTERVALS:
                continue  # the run looks as closely
        instants = np.linspace(settings.start, settings.end, inside * n + 1)
        try:
            values = np.array([function(t) for t in instants])
        except Exception as error:
            if is_interruption(error):
                raise
            continue  # the run reports the cause
        along = np.arange(inside)[None, :, None] / inside
        ends = values[::inside, None]
        line = (1 - along) * ends[:-1] + along * ends[1:]
        bend = np.abs(values[:-1].reshape(n, inside, -1) - line).max(axis=2)
        if number in followed:
            seen = bend[:, :: inside // INTERVALS].max(axis=1)
            bend[seen > SEEN * bend.max(axis=1)] = 0.0
        k = int(np.argmax(bend))
        if bend.flat[k] > LARGE * np.abs(values).max():
            warnings.warn(
                f"{what} changes too much within a fixed step of {settings.step:g} s near t = "
                f"{instants[k]:.6g} s; let the integrator choose its steps (without step=), "
                "shorten the step, or give a Table",
                SimulationWarning,
                stacklevel,
            )
            return
