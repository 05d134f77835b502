"""A shape of contact with its carrier."""

from __future__ import annotations

from dataclasses import dataclass

from .. import shapes
from ..immutable import immutable
from ..printing import Shown
from ..shapes import ContactShape

__all__ = ["SHAPES", "PlacedShape"]

# Kinds of shapes, by their names in files
SHAPES: dict[str, type[ContactShape]] = {
    kind.kind: kind
    for kind in vars(shapes).values()
    if isinstance(kind, type) and issubclass(kind, ContactShape) and kind is not ContactShape
}


@immutable("change the shape of the model and compile it again")
@dataclass(frozen=True, eq=False)
class PlacedShape(Shown):
    """A shape that is carried by a body, node or frame, or belongs to the world.

    Attributes
    ----------
    shape : ContactShape
        The shape, in the axes of its carrier.
    carrier : str, optional
        "body", "body.node" or the name of a frame; None for the world.
    name : str
        By which contacts refer to it; may be empty.
    """

    shape: ContactShape
    carrier: str | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """Name in messages."""
        where = "of the world" if self.carrier is None else f"of {self.carrier}"
        return self.name or f"{self.shape.name} {where}"
