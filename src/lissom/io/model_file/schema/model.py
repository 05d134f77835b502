"""Schema of a model file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ..units import described
from .parts import AnyBody, AnyJoint, MaterialTable, OwnBody
from .shapes import AnyShape
from .simulation import SimulationTable
from .sweep import SweepTable
from .types import (
    Name,
    Place,
    Point,
    Rotation,
    Switch,
    TableType,
    Words,
    fault,
    number_of,
    vector_of,
    whole,
)

FORMAT = 2  # version of the format; in version 1 the shapes of beams are "clamped" by default
MOST_COPIES = 10_000  # copies of one part, and parts in total

Copies = Annotated[Any, whole(1, MOST_COPIES)]
Node = Annotated[Any, whole()]


class FirstTable(TableType):
    """Overrides for the first of repeated parts."""

    joint: AnyJoint | None = None
    to: Place = None
    node: Node = None
    at: Point = None
    rotation: Rotation = None


class PartTable(TableType):
    """A body with the joint that carries it, or a sequence of them."""

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


class ClosingTable(TableType):
    """A joint between two parts: a loop or a join."""

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


class CouplingTable(TableType):
    """An equation between joint coordinates."""

    name: Name
    ratios: dict[str, Annotated[Any, number_of("number", "length", "pitch")]]
    offset: Annotated[Any, number_of("angle", "length", "number")] = 0.0
    repeat: Copies = None


class FrameTable(TableType):
    """A named frame, or a sequence of them."""

    name: Name
    on: Place = None
    node: Node = None
    at: Point = (0.0, 0.0, 0.0)
    rotation: Rotation = None
    repeat: Copies = None


def _include(value: Any) -> Any:
    if isinstance(value, str):
        return {"file": value}
    if isinstance(value, dict):
        return value
    raise fault(
        f'is {described(value)}; expected the path of a model file, or {{file = "leg.toml", '
        'prefix = "left_", to = "hub"}'
    )


def _prefix(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 100 or "." in value:
        raise fault(f"is {described(value)}; expected text without a dot, such as 'left_'")
    return value


class IncludeTable(TableType):
    """Another model file, merged into this one or attached as by `Model.attach`."""

    file: Words
    prefix: Annotated[Any, BeforeValidator(_prefix)] = None
    to: Place = None
    node: Node = None
    at: Point = None
    rotation: Rotation = None

    @property
    def placed(self) -> bool:
        """Whether the file is attached as a separate model."""
        return any(getattr(self, x) is not None for x in self.model_fields_set - {"file"})


class FileTable(TableType):
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
    shapes: list[AnyShape] = Field(default_factory=list)
    simulation: SimulationTable | None = None
    sweep: SweepTable | None = None
