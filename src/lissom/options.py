"""Options of a run, each declared once: form, unit, bounds, default, and where it appears.

Checks and settings of a run (`sim.run.settings`), the section [simulation] of model files, options
of `lissom run`, `simulate_batch`, what results store and what `resume=` compares follow from here.
What an option means to users stands where they look: in the docstring of `simulate`.
"""

# ruff: noqa: RUF009  (`option` is a field)
from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

TIME = "a positive time [s]"  # expectation, in errors


class OptionForm(NamedTuple):
    """What an option is, and where it appears."""

    name: str  # "number", "whole", "switch", "choice", "tolerances", or the option's own
    of: str = "number"  # dimension of a number
    expected: str = ""  # in errors
    least: float = -math.inf  # smallest number
    above: float = -math.inf  # numbers are larger than this
    below: float = math.inf  # and smaller than this
    infinite: bool = False  # whether a number may be infinite
    choices: tuple[str, ...] = ()
    optional: bool = False  # whether None stands for the default
    stored: bool = False  # whether results have it in their metadata
    compared: bool = True  # whether it determines the rows, so that `resume=` compares it
    in_files: bool = True  # whether model files and `simulate_batch` have it
    command: str = ""  # its sentence in the help of `lissom run`; empty: not there

    def admits(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        return (
            self.least <= number
            and self.above < number
            and (number < self.below or (self.infinite and number == math.inf))
        )


def option(form: str, default: Any = None, **more: Any) -> Any:
    """Field of `RunOptions`: the name of its form, its default, and the rest of `OptionForm`.

    The default of an optional number is what None stands for.
    """
    return field(default=default, metadata={"form": OptionForm(form, **more)})


def time(default: float | None = None, **more: Any) -> Any:
    """Field of `RunOptions`: a positive time [s]."""
    return option("number", default, **{"of": "time", "expected": TIME, "above": 0} | more)


@dataclass(frozen=True, eq=False, kw_only=True)
class RunOptions:
    """Options of a run as they were asked for, checked by themselves (`run_options`)."""

    duration: float = time(
        stored=True, command='Simulated time, overrides the file: 2 (seconds), "200 ms".'
    )
    start: float = time(0.0, expected="a finite time [s]", above=-math.inf, stored=True)
    # infinite: steps are adaptive
    step: float = time(
        math.inf, optional=True, stored=True, command="Step of the method, overrides the file."
    )
    integrator: Any = option(
        "integrator", "auto", command="Method, overrides the file, such as rk4."
    )
    rtol: float = option(
        "number",
        1e-8,
        expected="a number from 1e-15 to below 1",
        least=1e-15,
        above=0,
        below=1,
        stored=True,
    )
    atol: Any = option("tolerances")
    forces: Any = option("forces")
    loads: Any = option("loads", ())
    events: Any = option("events", ())
    output_step: float = time(0.0, optional=True, stored=True)  # zero: every step
    max_step: float = time(math.inf, optional=True)
    drift: Any = option("drift", "projection")
    method: str = option("choice", "auto", choices=("auto", "articulated", "composite"))
    rate_linear: bool = option(
        "switch", False, stored=True, command="Omit terms of second order in the speeds."
    )
    # of a Stepper: an implicit step is then not divided where its iterations do not converge
    max_iterations: int | None = option("whole", in_files=False)
    time_limit: float = time(math.inf, infinite=True, compared=False)


FORMS: dict[str, OptionForm] = {x.name: x.metadata["form"] for x in fields(RunOptions)}
# as a call has them
DEFAULTS: dict[str, Any] = {
    x.name: None if FORMS[x.name].optional else x.default for x in fields(RunOptions)
}
IN_FILES = tuple(name for name, form in FORMS.items() if form.in_files)


def of_form(*forms: str) -> list[str]:
    """Names of the options of some forms that model files have."""
    return [name for name in IN_FILES if FORMS[name].name in forms]
