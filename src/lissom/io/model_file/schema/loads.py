"""Schema of loads in model files, derived from the fields of the load classes.

It imports the simulation modules, which files without loads do not need.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, Field

from ....fields import FieldForm
from ....sim.loads import LOADS, Load
from ....sim.loads.contact.contact import FrictionField, LawField, ShapeField
from ....sim.loads.forms import EndField, FunctionField, JointField, PlaceField, SignalField
from .contact import AnyLaw, FrictionTable
from .model import FileTable
from .simulation import FunctionTable, LoadTable, SimulationTable, signal_of
from .types import Place, Words, annotation, table_of, vector_of


def _end(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return vector_of("length").func(value)  # type: ignore[call-arg]


def _annotation(form: FieldForm) -> Any:
    """Type of a load's field, with its validator."""
    match form:
        case JointField():
            return Words
        case PlaceField():
            return Place
        case EndField():
            return Annotated[Any, BeforeValidator(_end)]
        case FunctionField():
            return FunctionTable
        case SignalField():
            return Annotated[Any, signal_of(*form.dimensions)]
        case ShapeField():
            return Place
        case LawField():
            return AnyLaw
        case FrictionField():
            return FrictionTable | None
    return annotation(form)


def load_table(load: type[Load]) -> type[LoadTable]:
    """Table of a load, with its fields and their defaults."""
    return table_of(load, LoadTable, _annotation)


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
