"""Schema of simulations in model files."""

# ruff: noqa: D101  (names and fields describe the tables)
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from ....options import DEFAULTS, FORMS, IN_FILES, OptionForm
from ....units import PAIRS
from ..units import NumberWithUnit, described, quantity
from .types import (
    FunctionName,
    Switch,
    TableType,
    Words,
    array_of,
    fault,
    number_of,
    one_or_more,
    whole,
)

Coordinate, Rate, FORCES = (PAIRS[x] for x in ("coordinate", "rate", "joint force"))


class SignalTable(TableType):
    """Values at times."""

    times: list[Annotated[Any, number_of("time")]]
    values: Any
    kind: Literal["linear", "monotone", "smooth", "rest", "steps"] = "linear"
    clamped: Switch = False


@dataclass(frozen=True)
class Curve:
    """Validated signal table: its values as an array, and as one list of quantities per column."""

    table: SignalTable
    values: Any
    columns: list[list[NumberWithUnit]]


def quantities(values: Any, expected: Sequence[str]) -> list[list[NumberWithUnit]]:
    """Columns of validated values; empty for a reference to a file."""
    if not isinstance(values, list):
        return []
    rows = [row if isinstance(row, list) else [row] for row in values]
    checked = [[quantity(x, expected) for x in row] for row in rows]
    return [list(column) for column in zip(*checked, strict=True)]


class FunctionTable(TableType):
    """A function of the user's program."""

    function: FunctionName


def signal_of(*expected: str) -> BeforeValidator:
    """Validator of a constant, a list, a table of values at times, or a function."""
    numbers = one_or_more(*expected).func
    rows = array_of(*expected, ndim=(1, 2)).func

    def validate(value: Any) -> Any:
        if not isinstance(value, dict):
            return numbers(value)  # type: ignore[call-arg]
        if "function" in value:
            return FunctionTable.model_validate(value)
        if "times" in value or "values" in value:
            table = SignalTable.model_validate(value)
            values = rows(table.values)  # type: ignore[call-arg]
            return Curve(table, values, quantities(table.values, expected))
        raise fault(
            f"is {described(value)}; expected a number, a list, {{times = [...], values = [...]}} "
            'or {function = "file.py:name"}'
        )

    return BeforeValidator(validate)


class LoadTable(TableType):
    """Fields common to all loads."""

    name: Words = ""
    on: Switch = True
    repeat: Annotated[Any, whole(1, 10_000)] = None


class StopAction(TableType):
    kind: Literal["stop"]


class LockAction(TableType):
    kind: Literal["lock"]
    joint: Words
    stiffness: Annotated[Any, one_or_more(*PAIRS["joint stiffness"])] = None
    damping: Annotated[Any, one_or_more(*PAIRS["joint damping"])] = 0.0


class ReleaseAction(TableType):
    kind: Literal["release"]
    joint: Words


class SwitchAction(TableType):
    kind: Literal["switch"]
    load: Words
    on: Switch = False


class RigidImpactAction(TableType):
    kind: Literal["rigid_impact"]
    restitution: Annotated[Any, number_of("number", least=0)]
    friction: Annotated[Any, number_of("number", least=0)] = 0.0
    law: Literal["stronge", "poisson", "newton"] = "stronge"
    order: Annotated[Any, number_of("number")] = None


def _action(action: Any) -> Any:
    return {"kind": action} if isinstance(action, str) else action


AnyAction = Annotated[
    StopAction | LockAction | ReleaseAction | SwitchAction | RigidImpactAction,
    Field(discriminator="kind"),
    BeforeValidator(_action),
]


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


class GapTable(TableType):
    """The gap between two shapes, by their names or those of their carriers."""

    gap: Annotated[list[Words], Field(min_length=2, max_length=2)]


def _when(value: Any) -> Any:
    if isinstance(value, dict) and "gap" in value:
        return GapTable.model_validate(value)
    if isinstance(value, dict):
        return FunctionTable.model_validate(value)
    if isinstance(value, str):
        return value
    raise fault(
        f'is {described(value)}; expected a joint, {{gap = ["a", "b"]}} or '
        '{function = "file.py:name"}'
    )


class EventTable(TableType):
    when: Annotated[Any, BeforeValidator(_when)]
    action: Annotated[list[AnyAction], BeforeValidator(_listed)] = [StopAction(kind="stop")]  # noqa: RUF012
    value: Annotated[Any, number_of(*Coordinate, *Rate, "time")] = 0.0
    rate: Switch = False
    direction: Literal[-1, 0, 1] = 0
    once: Switch = False
    name: Words = ""


class IntegratorTable(TableType):
    """An integrator with parameters."""

    kind: Literal["generalized_alpha"]
    spectral_radius: Annotated[Any, number_of("number", least=0)] = 0.8
    tolerance: Annotated[Any, number_of("number", above=0)] = 1e-8
    slack: Annotated[Any, number_of("number", least=0)] = 1e-3


def _gain(gain: Any) -> Any:
    """Validated gain: a positive number, or one for each loop by its name."""
    number = number_of("number", above=0).func
    if not isinstance(gain, dict):
        return number(gain)  # type: ignore[call-arg]
    return {name: number(value) for name, value in gain.items()}  # type: ignore[call-arg]


class DriftTable(TableType):
    """Baumgarte stabilisation of loops."""

    stiffness: Annotated[Any, BeforeValidator(_gain)]
    damping: Annotated[Any, BeforeValidator(_gain)]


def _integrator(setting: Any) -> Any:
    if isinstance(setting, str):
        return setting
    if isinstance(setting, dict):
        return IntegratorTable.model_validate(setting)
    raise fault(f'is {described(setting)}; expected a name or {{kind = "generalized_alpha", ...}}')


def _drift(setting: Any) -> Any:
    if setting == "projection":
        return setting
    if isinstance(setting, dict):
        return DriftTable.model_validate(setting)
    raise fault(
        f'is {described(setting)}; expected "projection" or {{stiffness = .., damping = ..}}'
    )


def _forces(forces: Any) -> Any:
    """Validated forces: a function, a list with one number for each speed, or numbers by joint."""
    numbers = one_or_more(*FORCES).func
    if isinstance(forces, dict):
        if set(forces) == {"function"} and isinstance(forces["function"], str):
            return FunctionTable.model_validate(forces)
        return {name: numbers(value) for name, value in forces.items()}  # type: ignore[call-arg]
    if isinstance(forces, list):
        return numbers(forces)  # type: ignore[call-arg]
    raise fault(
        f'is {described(forces)}; expected {{function = "file.py:name"}}, numbers by joint, or a '
        "list with one for each speed"
    )


def _option(form: OptionForm) -> Any:
    """Type of an option of a run."""
    if form.name == "number":
        above = form.above if math.isfinite(form.above) else None  # other bounds: `run_options`
        return Annotated[Any, number_of(form.of, above=above, infinite=form.infinite)]
    if form.name == "choice":
        return Literal[form.choices]
    return _FORMS[form.name]


_FORMS: dict[str, Any] = {
    "tolerances": Annotated[Any, one_or_more("number")],
    "switch": Switch,
    "integrator": Annotated[Any, BeforeValidator(_integrator)],
    "drift": Annotated[Any, BeforeValidator(_drift)],
    "forces": Annotated[Any, BeforeValidator(_forces)],
    "loads": list[Any],  # checked by `schema_loads`
    "events": list[EventTable],
}
STATE = (*Coordinate, *Rate, "number")
_OPTIONS: dict[str, Any] = {
    name: (_option(FORMS[name]), ... if name == "duration" else DEFAULTS[name]) for name in IN_FILES
}
OptionsTable: Any = create_model("OptionsTable", __base__=TableType, **_OPTIONS)


class SimulationTable(OptionsTable):
    """The section [simulation]."""

    state: dict[str, Annotated[Any, one_or_more(*STATE)]] = Field(default_factory=dict)
    held: Annotated[list[Words], BeforeValidator(_listed)] = Field(default_factory=list)
