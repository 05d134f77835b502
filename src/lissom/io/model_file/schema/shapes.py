"""Schema of shapes of contact in model files, derived from the fields of their classes."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from ....shapes import ContactShape
from ....system import SHAPES
from .types import Name, Place, Point, Rotation, TableType, Words, table_of, whole


class ShapeTable(TableType):
    """Fields common to all shapes."""

    name: Name = ""
    on: Place = None
    node: Annotated[Any, whole()] = None
    at: Point = (0.0, 0.0, 0.0)
    rotation: Rotation = None
    color: Words = None
    repeat: Annotated[Any, whole(1, 10_000)] = None


def _shape_table(shape: type[ContactShape]) -> type[ShapeTable]:
    """Table of a kind of shape, with its fields and their defaults."""
    entries: Any = {"kind": (Literal[shape.kind], ...)}
    return table_of(shape, create_model(f"{shape.__name__}OfKind", __base__=ShapeTable, **entries))


if TYPE_CHECKING:
    AnyShape = ShapeTable
else:
    AnyShape = Annotated[
        reduce(or_, map(_shape_table, SHAPES.values())), Field(discriminator="kind")
    ]
