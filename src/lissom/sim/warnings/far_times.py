"""Warning of functions of time in runs far from time zero, where instants are far apart."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...errors import LissomError, SimulationWarning
from ..run.machine import Machine
from ..run.plan import Plan
from ..run.settings import Settings

Array = np.ndarray

LOOKS = 8  # instants at which a function is looked at
NEAR = 1e-12  # distance of numbers [s] below which nothing is looked at
LEAST = 1e-7  # relative error of derivatives below which nothing is said


def warn_of_far_times(machine: Machine, stacklevel: int) -> None:
    """Warn of the first function of time that cannot be as accurate as the tolerance.

    Its argument is a number that carries the time to half a unit in its last place; differences of
    such a function may carry its rates far less.  Said before the run, which may take long.
    """
    settings, plan = machine.settings, machine.plan
    latest = max(abs(settings.start), abs(settings.end))
    apart = float(np.spacing(latest))
    if apart < NEAR:
        return
    words = f"floating-point numbers near t = {latest:.6g} s are {apart:.2g} s apart"
    for what, part in _rough_rates(plan, settings):
        if part > max(10 * settings.rtol, LEAST):
            warnings.warn(
                f"{what}: its rates by differences are uncertain by {part:.1g} of their largest "
                f"value because {words}, which also shortens the steps; give the derivatives too, "
                "or let the time of the functions begin at zero (start=0)",
                SimulationWarning,
                stacklevel + 1,
            )
            return
    for what, function in _functions(plan):
        part = 0.5 * apart * _pace(function, settings)
        if part > settings.rtol:
            warnings.warn(
                f"{what}: {words}, so that a function of time may be uncertain by {part:.1g} of "
                f"its largest value, more than rtol = {settings.rtol:.0e}, which also shortens "
                "the steps; let the time of the functions begin at zero (start=0), give a Table, "
                "or a larger rtol",
                SimulationWarning,
                stacklevel + 1,
            )
            return


def _instants(settings: Settings) -> Array:
    return settings.start + settings.duration * (np.arange(LOOKS) + 0.5) / LOOKS


def _rough_rates(plan: Plan, settings: Settings) -> Iterator[tuple[str, float]]:
    """Relative errors of rates by differences, where the rounding of times is their cause."""
    for what, precision_at in plan.differences:
        try:
            precisions = [precision_at(t) for t in _instants(settings).tolist()]
        except (LissomError, ArithmeticError, ValueError, TypeError):  # the run reports the cause
            continue
        worst, size = max(precisions), max(x.size for x in precisions)
        if worst.of_time:
            yield what, worst.error / max(size, 1e-300)


def _functions(plan: Plan) -> Iterator[tuple[str, Callable[[float], Array]]]:
    """Plain and compiled functions of time alone."""
    yield from plan.time_functions
    for one in plan.functions.compiled.values():
        if one.form == "time" and hasattr(one.function, "py_func"):
            yield one.what, _of_compiled(one.function, one.sizes[-1])


def _of_compiled(function: Any, n: int) -> Callable[[float], Array]:
    def value(t: float) -> Array:
        out = np.zeros(n)
        function(t, out)
        return out

    return value


def _pace(function: Callable[[float], Array], settings: Settings) -> float:
    """Typical rate of change of a function, relative to its largest value [1/s]."""
    apart = 2.0 ** np.floor(np.log2(settings.duration / 4096))
    rates, largest = [], 0.0
    for t in _instants(settings).tolist():
        try:
            a, b = function(t), function(t + apart)
        except (LissomError, ArithmeticError, ValueError, TypeError):
            return 0.0
        rates.append(float(np.abs(b - a).max(initial=0.0)) / apart)
        largest = max(largest, float(np.abs(a).max(initial=0.0)))
    return float(np.median(rates)) / largest if largest else 0.0
