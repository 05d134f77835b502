"""What a model file holds as a whole."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from .fields import (
    Name,
    Place,
    Point,
    Rotation,
    Switch,
    Table,
    Words,
    fault,
    number_of,
    vector_of,
    whole,
)
from .schema_bodies import AnyBody, AnyJoint, MaterialTable, OwnBody
from .schema_simulation import SimulationTable
from .units import described

__all__ = [
    "FORMAT",
    "MOST_COPIES",
    "ClosingTable",
    "CouplingTable",
    "FileTable",
    "FirstTable",
    "FrameTable",
    "IncludeTable",
    "PartTable",
]

FORMAT = 1  # version of the format
MOST_COPIES = 10_000  # of one part, and parts in all

Copies = Annotated[Any, whole(1, MOST_COPIES)]
Node = Annotated[Any, whole()]


class FirstTable(Table):
    """What is different for the first of repeated parts."""

    joint: AnyJoint | None = None
    to: Place = None
    node: Node = None
    at: Point = None
    rotation: Rotation = None


class PartTable(Table):
    """One body with the joint that carries it, or a row of them."""

    name: Name
    body: AnyBody
    joint: AnyJoint
    to: Place = None
    node: Node = None
    at: Point = (0.0, 0.0, 0.0)
    rotation: Rotation = None
    geared: Switch = False
    repeat: Copies = None
    first: FirstTable | None = None


class ClosingTable(Table):
    """One joint between two parts: a loop or a join."""

    name: Name
    joint: AnyJoint
    a: Place = None
    b: Place = None
    node_a: Node = None
    node_b: Node = None
    at_a: Point = (0.0, 0.0, 0.0)
    at_b: Point = (0.0, 0.0, 0.0)
    rotation_a: Rotation = None
    rotation_b: Rotation = None
    repeat: Copies = None


class CouplingTable(Table):
    """One equation between joint coordinates."""

    name: Name
    ratios: dict[str, Annotated[Any, number_of("number", "length", "pitch")]]
    offset: Annotated[Any, number_of("angle", "length", "number")] = 0.0
    repeat: Copies = None


class FrameTable(Table):
    """One named frame, or a row of them."""

    name: Name
    on: Place = None
    node: Node = None
    at: Point = (0.0, 0.0, 0.0)
    rotation: Rotation = None
    repeat: Copies = None


def _include(given: Any) -> Any:
    if isinstance(given, str):
        return {"file": given}
    if isinstance(given, dict):
        return given
    raise fault(
        f'is {described(given)}; expected the path of a model file, or {{file = "leg.toml", '
        'prefix = "left_", to = "hub"}'
    )


def _prefix(given: Any) -> str:
    if not isinstance(given, str) or len(given) > 100 or "." in given:
        raise fault(f"is {described(given)}; expected text without a dot, such as 'left_'")
    return given


class IncludeTable(Table):
    """Another model file: merged with this one, or attached as `Model.attach` does it."""

    file: Words
    prefix: Annotated[Any, BeforeValidator(_prefix)] = None
    to: Place = None
    node: Node = None
    at: Point = None
    rotation: Rotation = None

    @property
    def placed(self) -> bool:
        """Whether the file is attached as a model of its own."""
        return any(getattr(self, x) is not None for x in self.model_fields_set - {"file"})


class FileTable(Table):
    """A model file."""

    lissom: Annotated[Any, whole(1, FORMAT)]
    name: Words = ""
    gravity: Annotated[Any, vector_of("acceleration")] = (0.0, 0.0, 0.0)
    include: list[Annotated[IncludeTable, BeforeValidator(_include)]] = Field(default_factory=list)
    materials: dict[str, MaterialTable] = Field(default_factory=dict)
    bodies: dict[str, OwnBody] = Field(default_factory=dict)
    parts: list[PartTable] = Field(default_factory=list)
    loops: list[ClosingTable] = Field(default_factory=list)
    joins: list[ClosingTable] = Field(default_factory=list)
    couplings: list[CouplingTable] = Field(default_factory=list)
    frames: list[FrameTable] = Field(default_factory=list)
    simulation: SimulationTable | None = None
