"""Copies of the parts of one model for attachment to another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .frames import NamedFrame
from .parts import Closing, Connection, End, Part
from .shapes import NamedShape

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Mount:
    """Pose and name prefix of an attached model."""

    base: Part | None  # body, node or frame that replaces its ground; None is the ground
    # at, rotation: (3,), (3, 3), or None frame of its ground relative to the base; None for zero or
    # identity
    at: Array | None
    rotation: Array | None
    prefix: str  # prepended to each name

    def connection(self, part: Connection) -> Connection:
        """Copy of a body and its joint."""
        name = f"{self.prefix}{part.name}"
        if part.loose:
            return replace(part, name=name)
        end = self.end(End(part.to, part.at, part.rotation))
        return replace(part, name=name, to=end.part, at=end.at, rotation=end.rotation)

    def closing(self, closing: Closing) -> Closing:
        """Copy of a loop or a join."""
        name = f"{self.prefix}{closing.name}"
        return replace(closing, name=name, a=self.end(closing.a), b=self.end(closing.b))

    def frame(self, frame: NamedFrame) -> NamedFrame:
        """Copy of a named frame."""
        return replace(frame, name=f"{self.prefix}{frame.name}", end=self.end(frame.end))

    def shape(self, shape: NamedShape) -> NamedShape:
        """Copy of a shape."""
        return replace(shape.moved(self.end(shape.end)), name=f"{self.prefix}{shape.name}")

    def end(self, end: End) -> End:
        """Same frame in the target model; exact where the mount has no shift or rotation."""
        if end.part is not None:
            return replace(end, part=Part(f"{self.prefix}{end.part.name}", end.part.node))
        at, rotation = end.at, end.rotation
        if self.rotation is not None:
            at, rotation = self.rotation @ at, self.rotation @ rotation
        return End(self.base, at if self.at is None else self.at + at, rotation)
