"""Arguments of the user's functions `build` and `run`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import SweepError, name_list, shown, suggestion
from .study import Scalar

_FORMS = "write run(system), run(system, values) or run(system, values, rng)"
_STARS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True)
class Arguments:
    """What a function asks for."""

    names: tuple[str, ...] = ()  # parameters that it takes by name
    # values, rng: whether it takes all parameters as a mapping, and a random generator
    values: bool = False
    rng: bool = False

    def of(self, values: Mapping[str, Scalar], rng: Callable[[], Any]) -> dict[str, Any]:
        """Keywords of a call."""
        keywords: dict[str, Any] = {name: values[name] for name in self.names}
        keywords |= {"values": dict(values)} if self.values else {}
        return keywords | ({"rng": rng()} if self.rng else {})

    def key(self, values: Mapping[str, Scalar]) -> tuple[Any, ...]:
        """What distinguishes the calls with different parameters."""
        names = tuple(values) if self.values else self.names
        return tuple((name, type(values[name]), values[name]) for name in names)


def requested_arguments(build: Any, run: Any, names: Sequence[str]) -> tuple[Arguments, Arguments]:
    """What `build` and `run` ask for; a SweepError if it is not there, or if nobody asks for it."""
    for what, function in (("build", build), ("run", run)):
        if not callable(function):
            raise SweepError(f"{what} is {shown(function)}; expected a function")
    first = _arguments("build", _signature(build), names)
    if first.rng:
        raise SweepError(
            "build() takes 'rng'; draw in run(system, values, rng), or give distributions"
        )
    run_parameters = _signature(run)
    if run_parameters is None:
        second = Arguments()
    else:
        positional = [
            x for x in run_parameters if x.kind not in (inspect.Parameter.KEYWORD_ONLY, *_STARS)
        ]
        stars = any(x.kind is inspect.Parameter.VAR_POSITIONAL for x in run_parameters)
        if not positional and not stars:
            raise SweepError(f"run() takes no argument for the system; {_FORMS}")
        second = _arguments("run", [x for x in run_parameters if x not in positional[:1]], names)
    used = {*first.names, *second.names}
    unused = [x for x in names if x not in used]
    if unused and not first.values and not second.values:
        build_names = [x.name for x in (_signature(build) or []) if x.kind not in _STARS]
        raise SweepError(
            f"neither build() nor run() takes the parameter {unused[0]!r}; "
            f"{f'{suggestion(unused[0], build_names)} ' if build_names else ''}"
            "run(system, values) gets all parameters"
        )
    return first, second


def _signature(function: Any) -> list[inspect.Parameter] | None:
    """Parameters of a function; None where Python does not know them."""
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None


def _arguments(
    what: str, parameters: list[inspect.Parameter] | None, names: Sequence[str]
) -> Arguments:
    if parameters is None or any(x.kind is inspect.Parameter.VAR_KEYWORD for x in parameters):
        named = {x.name for x in parameters or [] if x.kind not in _STARS}
        return Arguments(tuple(names), "values" in named, "rng" in named)
    usable = [x for x in parameters if x.kind not in _STARS]
    for x in usable:
        by_name = x.kind is not inspect.Parameter.POSITIONAL_ONLY
        if by_name and x.name in (*names, "values", "rng"):
            continue
        if x.default is inspect.Parameter.empty:
            listing = name_list(names) if names else "none"
            more = f" {_FORMS}" if what == "run" else ""
            raise SweepError(
                f"{what}() needs {x.name!r}, which is not a parameter of the sweep (they are: "
                f"{listing}); add it to the parameters, or give it a default.{more}"
            )
    accepted = {x.name for x in usable}
    return Arguments(
        tuple(x for x in names if x in accepted), "values" in accepted, "rng" in accepted
    )
