"""Shapes of a set of contacts: their carriers and names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ....shapes import ContactShape
from ....system import Frame, PlacedShape, System

if TYPE_CHECKING:
    from ...run.plan import Plan

GROUND_NAME = "ground"  # shapes of the world without a name


@dataclass(frozen=True, eq=False)
class SetMember:
    """A shape of a set, its number and name in it, its carrier, and all names that mean it."""

    number: int
    name: str
    placed: PlacedShape
    frame: Frame
    names: tuple[str, ...]

    @property
    def shape(self) -> ContactShape:
        """The shape itself."""
        return self.placed.shape

    def moves_with(self, other: SetMember, system: System) -> bool:
        """Whether two shapes cannot move relative to each other."""
        a, b = self.frame, other.frame
        if a.grounded or b.grounded:
            return a.grounded and b.grounded
        return a.body == b.body and (a.node == b.node or not system.bodies[a.body].n_mode)


def members_of(plan: Plan, load: Any, placed: list[PlacedShape]) -> list[SetMember]:
    """Members of a set.

    One is called as its shape, else as its carrier; several of the same name are numbered.
    """
    first = [x.name or (GROUND_NAME if x.carrier is None else x.carrier) for x in placed]
    counts, seen = Counter(first), Counter[str]()
    members = []
    for k, (x, name) in enumerate(zip(placed, first, strict=True)):
        seen[name] += 1
        own_name = f"{name}_{seen[name]}" if counts[name] > 1 else name
        frame = plan.place(np.zeros(3) if x.carrier is None else x.carrier, load)
        body = GROUND_NAME if frame.grounded else plan.system.names[frame.body]
        names = dict.fromkeys((own_name, name, x.carrier or GROUND_NAME, body))
        members.append(SetMember(k, own_name, x, frame, tuple(names)))
    return members
