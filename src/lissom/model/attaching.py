"""Copies of the things of one model for another one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from .frames import NamedFrame
from .parts import Closing, Connection, End, Part

__all__ = ["Mount"]

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Mount:
    """Where the ground of an attached model comes to stand, and how its names begin.

    Attributes
    ----------
    base : Part or None
        Body, node or frame that stands for its ground; None is the ground.
    at, rotation : array (3,), (3, 3), or None
        Its ground's frame in the frame of the base; None where they are the same.
    prefix : str
        Put before each name.
    """

    base: Part | None
    at: Array | None
    rotation: Array | None
    prefix: str

    def connection(self, part: Connection) -> Connection:
        """Copy of a body with its joint."""
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

    def end(self, end: End) -> End:
        """The same frame in the other model; numbers stay as they are where nothing moves them."""
        if end.part is not None:
            return replace(end, part=Part(f"{self.prefix}{end.part.name}", end.part.node))
        at, rotation = end.at, end.rotation
        if self.rotation is not None:
            at, rotation = self.rotation @ at, self.rotation @ rotation
        return End(self.base, at if self.at is None else self.at + at, rotation)
