"""Schema of loads in model files, derived from the fields of the load classes.

It imports the simulation modules, which files without loads do not need.
"""

from __future__ import annotations

import dataclasses
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from ....fields import (
    ChoiceField,
    DirectionField,
    FieldForm,
    NumberField,
    NumbersField,
    PointField,
    TextField,
)
from ....sim.loads import LOADS, Load
from ....sim.loads.forms import EndField, FunctionField, JointField, PlaceField, SignalField
from .model import FileTable
from .simulation import FunctionTable, LoadTable, SimulationTable, signal_of
from .types import Direction, Place, Point, Words, number_of, one_or_more, vector_of


def _end(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return vector_of("length").func(value)  # type: ignore[call-arg]


def _annotation(form: FieldForm) -> Any:
    """Type of a load's field, with its validator."""
    match form:
        case TextField() | JointField():
            return Words
        case PlaceField():
            return Place
        case PointField():
            return Point
        case DirectionField():
            return Direction
        case EndField():
            return Annotated[Any, BeforeValidator(_end)]
        case FunctionField():
            return FunctionTable
        case ChoiceField():
            return Literal[form.options]
        case NumbersField():
            return Annotated[Any, one_or_more(*form.dimensions, infinite=form.infinite)]
        case NumberField(least=least, above=above, infinite=infinite):
            bounds = number_of(*form.dimensions, least=least, above=above, infinite=infinite)
            return Annotated[Any, bounds]
        case SignalField():
            return Annotated[Any, signal_of(*form.dimensions)]
    raise ValueError(f"a field of the form {type(form).__name__} has no key in files")


def load_table(load: type[Load]) -> type[LoadTable]:
    """Table of a load, with its fields and their defaults."""
    entries: dict[str, Any] = {"kind": (Literal[load.file_kind], ...)}
    for field in dataclasses.fields(load):
        if form := load.file_fields.get(field.name):
            default = ... if field.default is dataclasses.MISSING else field.default
            entries[field.name] = (_annotation(form), default)
    return create_model(f"{load.__name__}Table", __base__=LoadTable, **entries)


if TYPE_CHECKING:
    AnyLoad = LoadTable
else:
    AnyLoad = Annotated[reduce(or_, map(load_table, LOADS)), Field(discriminator="kind")]


class LoadedSimulationTable(SimulationTable):
    """The section [simulation] of a file with loads."""

    loads: list[AnyLoad] = Field(default_factory=list)


class LoadedFileTable(FileTable):
    """A model file with loads."""

    simulation: LoadedSimulationTable | None = None
