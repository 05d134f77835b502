"""Validated run settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import LoadError, name_list, shown
from ...fields import as_numbers
from ...system import System
from ..drift import PROJECTION, Baumgarte, Drift, as_drift
from ..integrators import Integrator
from .checks import number, positive

Array = np.ndarray

METHODS = ("auto", "articulated", "composite")
TIME = "a positive time [s]"  # expectation, in errors


@dataclass(frozen=True)
class Settings:
    """Settings of a run."""

    # start, duration: start time and duration [s]
    start: float
    duration: float
    integrator: Integrator
    step: float  # fixed step [s]; infinite if steps are adaptive
    adaptive: bool  # whether steps are adaptive
    rtol: float  # relative tolerance
    # (2, n_v) absolute tolerances of positions and speeds; by default `rtol` times their sizes
    atol: Array | None
    output_step: float  # time between rows [s]; zero: every step
    max_step: float = np.inf  # user's limit of adaptive steps [s]; infinite: not given
    drift: Drift = PROJECTION  # method that keeps loops closed
    # whether accelerations come from the mass matrix, not from articulated bodies
    dense: bool = False
    # most iterations of an implicit step, which is then not divided where they do not converge;
    # None: as many as the method allows
    iterations: int | None = None
    rate_linear: bool = False  # whether terms of second order in the speeds are omitted

    @property
    def end(self) -> float:
        """[s]."""
        return self.start + self.duration


def start_time(start: Any) -> float:
    """Time at the start [s], checked."""
    return number(start, "start", "a finite time [s]")


def tolerance(rtol: Any) -> float:
    """Relative tolerance, checked."""
    return number(rtol, "rtol", "a number from 1e-15 to below 1", lambda x: 1e-15 <= x < 1)


def checked_settings(
    system: System,
    integrator: Integrator,
    *,
    duration: float,
    start: Any,
    step: float | None,
    rtol: Any,
    atol: Any,
    output_step: Any,
    max_step: Any = None,
    drift: Any,
    method: Any,
    iterations: int | None = None,
    rate_linear: bool = False,
) -> Settings:
    """Validated settings from the user's arguments."""
    begin, fixed = start_time(start), step
    period = 0.0 if output_step is None else positive(output_step, "output_step", TIME)
    longest = np.inf if max_step is None else positive(max_step, "max_step", TIME)
    if max_step is not None and fixed is not None:
        raise LoadError(
            f"max_step is {longest:g} s and step is {fixed:g} s; max_step limits adaptive steps "
            "and has no meaning with a fixed step, so leave one of them out"
        )
    relative = tolerance(rtol)
    if fixed is None and not integrator.adaptive:
        raise LoadError(f"{integrator.title} needs a fixed step; give step= in seconds")
    if fixed is not None and fixed > duration:
        fixed = duration
    latest = abs(begin) + duration
    shortest = shortest_step(latest)
    if (fixed or min(duration, longest)) < shortest:
        what = f"duration of {duration:g} s" if fixed is None else f"step of {fixed:g} s"
        what = f"max_step of {longest:g} s" if longest < shortest <= duration else what
        raise LoadError(
            f"a {what} is below floating-point resolution at t = {latest:g} s; start "
            f"nearer to zero, end earlier, or use more than {shortest:.2g} s"
        )
    if fixed is not None and period:
        ratio = period / fixed
        if ratio < 1 - 1e-9 or abs(ratio - round(ratio)) > 1e-6 * ratio:
            raise LoadError(
                f"output_step is {period:g} s; with a fixed step of {fixed:g} s it must be a "
                f"multiple of that, such as {max(1, round(ratio)) * fixed:g}"
            )
    return Settings(
        start=begin,
        duration=duration,
        integrator=integrator,
        step=np.inf if fixed is None else fixed,
        adaptive=fixed is None,
        rtol=relative,
        atol=_tolerances(system, atol),
        output_step=period or (0.0 if fixed is None else fixed),
        max_step=longest,
        drift=_drift(system, drift),
        dense=_is_dense(method),
        iterations=iterations,
        rate_linear=rate_linear,
    )


def checked_rate_linear(system: System, rate_linear: Any) -> bool:
    """Whether terms of second order in the speeds are omitted; refused for systems with loops."""
    if not isinstance(rate_linear, (bool, np.bool_)):
        raise LoadError(f"rate_linear is {shown(rate_linear)}; expected True or False")
    if rate_linear and system.constraints:
        names = name_list([x.name for x in system.loops] + [x.name for x in system.couplings])
        raise LoadError(
            f"rate_linear is True, but {system.name or 'the system'} has loops or couplings "
            f"({names}): without the terms of second order their speeds would not stay closed; "
            "leave rate_linear out, or open them"
        )
    return bool(rate_linear)


def shortest_step(latest: float) -> float:
    """Shortest step that floating-point numbers resolve up to a time [s]."""
    return float(200 * np.spacing(latest))


def check_resolution(step: float, latest: float) -> None:
    """Refuse a step that is too short to be resolved at a time.

    `step`: fixed step [s]; `latest`: time [s], its size.
    """
    if step < shortest_step(latest):
        raise LoadError(
            f"a step of {step:g} s is below floating-point resolution at t = {latest:g} s; start "
            "again nearer to zero"
        )


def _drift(system: System, setting: Any) -> Drift:
    """Drift method that knows all loops of the system."""
    drift = as_drift(setting)
    if isinstance(drift, Baumgarte):
        drift.gains(system)
    return drift


def _is_dense(method: Any) -> bool:
    if not isinstance(method, str) or method not in METHODS:
        words = ", ".join(map(repr, METHODS))
        raise LoadError(f"method is {shown(method)}; expected one of {words}")
    return method == "composite"


def _tolerances(system: System, atol: Any) -> Array | None:
    if atol is None:
        return None
    values = as_numbers(atol)
    if values is None or values.shape not in ((), (system.n_v,)) or not np.all(values > 0):
        raise LoadError(
            f"atol is {shown(atol)}; expected a positive number or ({system.n_v},) of them"
        )
    return np.broadcast_to(values, (2, system.n_v)).copy()
