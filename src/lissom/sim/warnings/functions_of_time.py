"""Warnings of functions of time: jumps within steps, runs far from time zero, curves of tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...algorithms.tree.escapes import is_interruption
from ...errors import LissomError, SimulationWarning
from ...kernels.run.kinks import INTERVALS
from ..run.machine import Machine
from ..run.plan import Plan
from ..run.settings import Settings
from ..signals.signal import Table

Array = np.ndarray


# Warning about functions of time that change too much within a fixed step.
#
# Forces that are functions of time are followed along fixed steps, at INTERVALS + 1 instants of
# each (`kernels.run.kinks`): what is seen there divides the step, or is told after the run.  Here
# remain what lies wholly between these instants, and other functions, those of motions and targets.

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


# Warning of functions of time in runs far from time zero, where instants are far apart.

FEW_LOOKS = 8  # instants at which a function is looked at
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
    return settings.start + settings.duration * (np.arange(FEW_LOOKS) + 0.5) / FEW_LOOKS


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


# Warning of smooth tables that leave the range of their points.

FAR = 0.1  # of the range of the points


def warn_of_overshoot(plan: Plan, stacklevel: int) -> None:
    """Warn of the first table whose curve swings far beyond its points."""
    for what, table in plan.tables:
        if table.kind != "smooth":
            continue
        time, value, low, high = _farthest(table)
        if max(low - value, value - high) > FAR * (high - low) + 1e-9 * max(abs(low), abs(high)):
            warnings.warn(
                f"{what}: the smooth curve through the points of the table reaches {value:.4g} at "
                f"t = {time:.6g} s, but its points lie between {low:.4g} and {high:.4g}; use "
                'kind="monotone", which stays between them, or give more points there',
                SimulationWarning,
                stacklevel,
            )
            return


def _farthest(table: Table) -> tuple[float, float, float, float]:
    """Time and value of a curve where it is farthest beyond its points, and their range there."""
    coefficients = table.pieces()
    y = table.values.reshape(len(table.times), -1)
    low, high = y.min(axis=0), y.max(axis=0)
    a, b, c, _ = (coefficients[:, :, k] for k in range(4))
    with np.errstate(all="ignore"):  # straight pieces have no turning points
        root = np.sqrt(b * b - 3 * a * c)
        turns = np.stack([(-b + root) / (3 * a), (-b - root) / (3 * a), -c / (2 * b)])
    widths = np.diff(table.times)[:, None]
    inside = np.isfinite(turns) & (turns > 0) & (turns < widths)
    x = np.where(inside, turns, 0.0)
    value = np.zeros_like(x)
    for k in range(4):
        value = value * x + coefficients[:, :, k]
    beyond = np.maximum(low - value, value - high) / np.maximum(high - low, 1e-300)
    worst = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    _, piece, column = worst
    time = float(table.times[piece] + x[worst])
    return time, float(value[worst]), float(low[column]), float(high[column])
