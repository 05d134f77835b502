"""Shapes of contact of a model: on bodies, nodes, frames or the ground."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..errors import ModelError, suggestion
from ..immutable import immutable
from ..printing import Shown
from ..shapes import ContactShape
from ..system import PlacedShape
from .attachment import moved_to_node
from .parts import Body, Connection, End, Part, place
from .topology import node_number


@immutable("remove it from the model and add it again")
@dataclass(frozen=True, eq=False)
class NamedShape(Shown):
    """A shape added by `Model.add_shape`; names are resolved by `compile`."""

    name: str
    shape: ContactShape
    on: Part | None

    @property
    def title(self) -> str:
        """Label for error messages."""
        return f"shape {self.name!r}"

    @property
    def words(self) -> str:
        """Kind and carrier in words."""
        return f"{self.shape.name} on {self.on or 'the ground'}"

    @property
    def end(self) -> End:
        """Its place on its carrier."""
        return End(self.on, self.shape.at, self.shape.rotation)

    def moved(self, end: End) -> NamedShape:
        """The same shape at another place."""
        return replace(
            self, shape=replace(self.shape, at=end.at, rotation=end.rotation), on=end.part
        )

    def on_replaced(self, name: str, old: Body, new: Body) -> NamedShape:
        """The shape after its body was replaced; see `Model.replace`."""
        end = moved_to_node(self.end, name, old, new)
        return self if end.part == self.on else self.moved(end)


def checked_shape(shape: Any, on: Any, node: Any, name: str) -> NamedShape:
    """Validated shape; see `Model.add_shape`."""
    where = f"shape {name!r}"
    if not isinstance(shape, ContactShape):
        hint = f"; write {shape.__name__}(...)" if isinstance(shape, type) else ""
        raise ModelError(
            f"{where}: expected one of lissom.shapes, such as shapes.Sphere(0.1), got {shape!r}"
            f"{hint}"
        )
    return NamedShape(name, shape, place(on, node, where, "on"))


def free_name(shape: Any, on: Any, node: Any, taken: Collection[str]) -> str:
    """Name of a shape that gets none: its carrier and kind, numbered from the second on."""
    places = [str(x).replace(".", "_") for x in (on, node) if x is not None]
    first = "_".join([*places, str(getattr(shape, "kind", "shape"))])
    name, n = first, 1
    while name in taken:
        n += 1
        name = f"{first}_{n}"
    return name


def placed_shapes(
    shapes: Mapping[str, NamedShape],
    parts: Mapping[str, Connection],
    frames: Mapping[str, Any],
) -> tuple[PlacedShape, ...]:
    """Shapes of a system; their carriers are checked."""
    for shape in shapes.values():
        _check_carrier(shape, parts, frames)
    return tuple(
        PlacedShape(x.shape, None if x.on is None else str(x.on), x.name) for x in shapes.values()
    )


def _check_carrier(
    shape: NamedShape, parts: Mapping[str, Connection], frames: Mapping[str, Any]
) -> None:
    on = shape.on
    if on is None:
        return
    if on.name in frames:
        if on.node is not None:
            raise ModelError(
                f"{shape.title} is on {str(on)!r}, but {on.name!r} is a frame and has no nodes; "
                "give its name alone"
            )
        return
    if on.name not in parts:
        raise ModelError(
            f"{shape.title} is on {on.name!r}, which is not in the model; "
            f"{suggestion(on.name, [*parts, *frames])}"
        )
    node_number(shape.title, on, parts[on.name].body)
