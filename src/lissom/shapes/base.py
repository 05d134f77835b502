"""Shape of a body where it touches others: what all shapes have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any, ClassVar, TypeVar

import numpy as np

from ..bodies.solids import Solid
from ..fields import FieldForm, PointField, check_fields, declare, declared
from ..immutable import immutable
from ..printing import Shown
from .forms import ColorField, RotationField

Array = np.ndarray
T = TypeVar("T")
ORIGIN = (0.0, 0.0, 0.0)


@declared()
class ContactShape(Shown, ABC):
    """Interface of shapes.

    A shape is in the axes of what carries it: a body, a node, a frame or the world.

    Attributes
    ----------
    kind : str
        Name of its kind, by which pairs of shapes are listed.
    """

    kind: ClassVar[str]
    file_fields: ClassVar[Mapping[str, FieldForm]]  # forms of its fields but where it is
    usual: ClassVar[Mapping[str, Any]] = {"rotation": np.eye(3)}

    _: KW_ONLY
    at: Any = declare(PointField(), "Where its own origin is.", default=ORIGIN)
    rotation: Any = declare(
        RotationField(),
        'Its own axes to those of its carrier; ``{"rpy": (roll, pitch, yaw)}`` and the like as in '
        "`Model.add`.",
        default=None,
    )
    color: str | None = declare(
        ColorField(), 'As "#rrggbb"; by default that of the body.', default=None
    )

    def __post_init__(self) -> None:
        check_fields(self, self.name)
        self.check()

    @property
    def name(self) -> str:
        """Name used in messages."""
        return type(self).__name__

    def check(self) -> None:
        """Check what fields have to do with each other."""

    @property
    @abstractmethod
    def numbers(self) -> Array:
        """What kernels need of it, in its own axes (n,)."""

    @property
    def center(self) -> Array:
        """Centre of a ball around it, in the axes of its carrier (3,) [m]."""
        return np.array(self.at)

    @property
    @abstractmethod
    def bounding_radius(self) -> float:
        """Radius of a ball around it [m], infinite for shapes without an end."""

    @abstractmethod
    def solid(self) -> tuple[Solid, ...]:
        """Solids that draw it."""

    def _drawn(self, kind: Any, *sizes: Any, offset: Any = ORIGIN) -> Any:
        """Solid at a point of its own axes, turned as it is."""
        at = self.at + self.rotation @ np.asarray(offset)
        return kind(*sizes, at=at, rotation=self.rotation, color=self.color)


def final_shape(cls: type[T]) -> type[T]:
    """Decorator: an immutable shape, by its public name, which is without the word Shape."""
    cls.__name__ = cls.__qualname__ = cls.__name__.removesuffix("Shape")
    return immutable("make another one")(cls)
