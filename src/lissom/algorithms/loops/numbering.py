"""Numbers of the unknown forces of loops, and the rows of Lambda that they have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...bodies import RigidBody
from ...system import System
from .elimination import elimination_order, envelope, ground_group, nested_groups

Array = np.ndarray

# Number of unknowns from which groups of loops are eliminated at their nodes, and the largest part
# of them that one group may have.
LEAST_NESTED, WIDEST = 24, 0.5


class Numbering:
    """Unknowns of loops and couplings, numbered group by group in the order of elimination.

    Attributes
    ----------
    first, sizes : list of int
        First unknown and number of unknowns of each loop, then of each coupling.
    n : int
        Number of all unknowns.
    members : mapping
        Loops and couplings of each group, see `elimination.Groups`.
    columns : dict
        By body, the unknowns that pass it.
    places : dict
        By body, the place of each of these among them.
    """

    def __init__(self, system: System, turns: Sequence[Array | None]) -> None:
        self.system = system
        full = [loop.n_constraint for loop in system.loops]
        own = [n if Q is None else Q.shape[1] for n, Q in zip(full, turns, strict=True)]
        self.sizes = own + [1] * len(system.couplings)
        self.n = sum(self.sizes)
        groups = nested_groups(system)
        widest = max(map(self.size_of, groups.members.values()))
        if self.n < LEAST_NESTED or widest > WIDEST * self.n:
            groups = ground_group(system)
        self.members = groups.members
        self.first, number = [0] * len(self.sizes), 0
        moving = [those for i, those in groups.passing.items() if self._moves(i)]
        for members in groups.members.values():
            for k in elimination_order(moving, members):
                self.first[k] = number
                number += self.sizes[k]
        self.columns = {
            i: sorted(c for k in those for c in self.of(k)) for i, those in groups.passing.items()
        }
        self.places = {i: {c: k for k, c in enumerate(own)} for i, own in self.columns.items()}

    def _moves(self, i: int) -> bool:
        """Whether a body has speeds of its own."""
        return self.system.joints[i].n_v > 0 or not isinstance(self.system.bodies[i], RigidBody)

    @property
    def nested(self) -> bool:
        """Whether there are groups other than that of the ground."""
        return len(self.members) > 1

    def of(self, k: int) -> range:
        """Unknowns of a loop or coupling."""
        return range(self.first[k], self.first[k] + self.sizes[k])

    def size_of(self, members: Sequence[int]) -> int:
        """Number of the unknowns of a group."""
        return sum(self.sizes[k] for k in members)

    def of_group(self, place: tuple[int, int]) -> range:
        """Unknowns of the group of a node; empty if it has none."""
        members = self.members.get(place, ())
        start = min((self.first[k] for k in members), default=0)
        return range(start, start + self.size_of(members))

    def rows(self, *, whole: bool = False) -> tuple[Array, int]:
        """Table of the rows of Lambda (n, ENVELOPE_ROW), and the size of all rows.

        whole: rows from their first column, for the mass matrix, where all groups meet.
        """
        moving = [own for i, own in self.columns.items() if self._moves(i)]
        first = np.zeros(self.n, dtype=np.int64) if whole else envelope(moving, self.n)
        numbers, sizes = np.arange(self.n), np.zeros(self.n, dtype=np.int64)
        for k in range(len(self.system.loops)):
            if self.sizes[k]:
                sizes[self.first[k]] = self.sizes[k]
        ends = np.cumsum(numbers + 1 - first)
        return np.column_stack([first, ends - 1 - numbers, sizes]), int(ends[-1]) if self.n else 0
