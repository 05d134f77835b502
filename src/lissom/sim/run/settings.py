"""What was asked of a run: its options, checked by themselves and then against the system."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import LoadError, name_list, shown
from ...fields import as_numbers
from ...options import DEFAULTS, FORMS, OptionForm, RunOptions
from ...system import System
from ..drift import Baumgarte, as_drift
from ..events.event import Event
from ..integrators import Integrator, as_integrator
from ..loads import Load
from .checks import listed, number, switch

Array = np.ndarray


def run_options(arguments: Mapping[str, Any]) -> RunOptions:
    """Options among the arguments of a call, each checked by itself; others have their defaults."""
    values = {}
    for name, form in FORMS.items():
        value = arguments.get(name, DEFAULTS[name])
        if value is not None or not form.optional:
            values[name] = checked_option(name, value)
    return RunOptions(**values)


def checked_option(name: str, value: Any) -> Any:
    """Value of an option, checked by itself."""
    return _CHECKS[FORMS[name].name](name, value, FORMS[name])


def _number(name: str, value: Any, form: OptionForm) -> float:
    return number(value, name, form.expected, form.admits)


def _whole(name: str, value: Any, _: OptionForm) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise LoadError(f"{name} is {shown(value)}; expected a whole number, 1 or more, or None")
    return int(value)


def _choice(name: str, value: Any, form: OptionForm) -> str:
    if not isinstance(value, str) or value not in form.choices:
        words = ", ".join(map(repr, form.choices))
        raise LoadError(f"{name} is {shown(value)}; expected one of {words}")
    return str(value)


# Parts are checked where they enter the plan, tolerances where the number of speeds is known.
_CHECKS: dict[str, Callable[[str, Any, OptionForm], Any]] = {
    "number": _number,
    "whole": _whole,
    "choice": _choice,
    "switch": lambda name, value, _: switch(value, name),
    "integrator": lambda _, value, __: as_integrator(value) or "auto",
    "drift": lambda _, value, __: as_drift(value),
    "tolerances": lambda _, value, __: value,
    "forces": lambda _, value, __: value,
    "loads": lambda name, value, _: listed(value, Load, name),
    "events": lambda name, value, _: listed(value, Event, name),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Settings(RunOptions):
    """Options of a run as its steps take them: with an integrator, and checked against the system.

    `atol` is None or (2, n_v), of positions and speeds; `output_step` is that of the rows.
    """

    @property
    def end(self) -> float:
        """[s]."""
        return self.start + self.duration

    @property
    def adaptive(self) -> bool:
        """Whether steps are adaptive."""
        return self.step == np.inf

    @property
    def dense(self) -> bool:
        """Whether accelerations come from the mass matrix, not from articulated bodies."""
        return self.method == "composite"


def settled(system: System, options: RunOptions, integrator: Integrator) -> Settings:
    """Settings of a run; refuses options that contradict each other or the system."""
    duration, longest, period = options.duration, options.max_step, options.output_step
    fixed = options.step if options.step < np.inf else None
    if longest < np.inf and fixed is not None:
        raise LoadError(
            f"max_step is {longest:g} s and step is {fixed:g} s; max_step limits adaptive steps "
            "and has no meaning with a fixed step, so leave one of them out"
        )
    if fixed is None and not integrator.adaptive:
        raise LoadError(f"{integrator.title} needs a fixed step; give step= in seconds")
    if fixed is not None and fixed > duration:
        fixed = duration
    latest = abs(options.start) + duration
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
    if isinstance(options.drift, Baumgarte):
        options.drift.gains(system)  # it must know all loops
    return Settings(
        **vars(options)
        | {
            "integrator": integrator,
            "step": np.inf if fixed is None else fixed,
            "atol": _tolerances(system, options.atol),
            "output_step": period or (0.0 if fixed is None else fixed),
            "method": "articulated" if options.method == "auto" else options.method,
        }
    )


def check_rate_linear(system: System, *, rate_linear: bool) -> None:
    """Refuse to omit terms of second order in the speeds of systems with loops."""
    if rate_linear and system.constraints:
        names = name_list([x.name for x in system.loops] + [x.name for x in system.couplings])
        raise LoadError(
            f"rate_linear is True, but {system.name or 'the system'} has loops or couplings "
            f"({names}): without the terms of second order their speeds would not stay closed; "
            "leave rate_linear out, or open them"
        )


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


def _tolerances(system: System, atol: Any) -> Array | None:
    if atol is None:
        return None
    values = as_numbers(atol)
    if values is None or values.shape not in ((), (system.n_v,)) or not np.all(values > 0):
        raise LoadError(
            f"atol is {shown(atol)}; expected a positive number or ({system.n_v},) of them"
        )
    return np.broadcast_to(values, (2, system.n_v)).copy()
