"""Schema of loads in model files, derived from the fields of the load classes.

It imports the simulation modules, which files without loads do not need.
"""

from __future__ import annotations

import dataclasses
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from ....sim.loads import LOADS, FileField, Load
from ..coordinate_units import PAIRS
from .model import FileTable
from .simulation import FunctionTable, LoadTable, SimulationTable, signal_of
from .types import Direction, Place, Point, Words, number_of, one_or_more, vector_of


def _end(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return vector_of("length").func(value)  # type: ignore[call-arg]


def _annotation(load: type[Load], entry: FileField) -> Any:
    """Type of a load's field, with its validator."""
    on_joint = "joint" in load.file_fields
    dimensions = PAIRS.get(entry.of, (entry.of,)) if on_joint else (entry.of,)
    bounds = {"least": entry.least, "above": entry.above, "infinite": entry.infinite}
    match entry.form:
        case "text":
            return Words
        case "place":
            return Place
        case "point":
            return Point
        case "direction":
            return Direction
        case "end":
            return Annotated[Any, BeforeValidator(_end)]
        case "function":
            return FunctionTable
        case "choice":
            return Literal[entry.options]
        case "number":
            return Annotated[Any, number_of(*dimensions, **bounds)]  # type: ignore[arg-type]
        case "numbers":
            return Annotated[Any, one_or_more(*dimensions, infinite=entry.infinite)]
        case "signal":
            return Annotated[Any, signal_of(*dimensions)]
    raise ValueError(f"unknown form {entry.form!r} of a load's field")


def load_table(load: type[Load]) -> type[LoadTable]:
    """Table of a load, with its fields and their defaults."""
    entries: dict[str, Any] = {"kind": (Literal[load.file_kind], ...)}
    for field in dataclasses.fields(load):
        if field.name in load.file_fields:
            default = ... if field.default is dataclasses.MISSING else field.default
            entries[field.name] = (_annotation(load, load.file_fields[field.name]), default)
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
