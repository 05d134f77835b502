"""Sets of nodes, of elements and of faces in a CalculiX deck."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ....errors import name_list
from ..text import whole
from .cards import KeywordCard
from .elements import KINDS, faces

Numbers = NDArray[np.intp]
Elements = Mapping[int, tuple[str, tuple[int, ...]]]

_MOST = 100_000_000  # numbers that one line generates


@dataclass(eq=False)
class Sets:
    """Sets by kind ("node", "element", "surface") and name, as they grow."""

    # members of each (kind, name); those of a surface are nodes
    members: dict[tuple[str, str], dict[int, None]] = field(default_factory=dict)
    # numbers that were left out because there is no such node or element
    remarks: list[str] = field(default_factory=list)

    def of(self, kind: str) -> dict[str, Numbers]:
        """Sets of one kind as sorted arrays."""
        return {
            name: np.array(sorted(members), dtype=np.intp)
            for (one, name), members in self.members.items()
            if one == kind
        }

    def extend(self, kind: str, name: str, members: Collection[int]) -> None:
        """Add members to a set."""
        self.members.setdefault((kind, name), {}).update(dict.fromkeys(members))

    def read(
        self, kind: str, card: KeywordCard, existing: Collection[int], *, surface: bool = False
    ) -> None:
        """Read *NSET, *ELSET, or *SURFACE of nodes."""
        name = card.name("NAME" if surface else "NSET" if kind == "node" else "ELSET")
        generate = "GENERATE" in card.parameters
        into = "surface" if surface else kind
        self.extend(into, name, ())
        for k, words in card.rows():
            members = (
                self._generated(card, k, words, existing)
                if generate
                else [x for word in words if word for x in self._members(kind, card, k, word)]
            )
            if missing := [x for x in members if x not in existing]:
                what = f"{card.title} {name}: no {kind} {name_list(missing[:1])}"
                raise card.lines.refused(k, f"{what}; name those of the deck, after they are given")
            self.extend(into, name, members)

    def _generated(
        self, card: KeywordCard, k: int, words: list[str], existing: Collection[int]
    ) -> list[int]:
        """Members first, first + step, ... last; those that do not exist are remarked."""
        if not 2 <= len(words) <= 3:
            raise card.lines.refused(k, f"{len(words)} words found; expected first, last, step")
        ends = [card.lines.integer(word, k, "a number of GENERATE") for word in words]
        first, last, step = (*ends, 1)[:3]
        span = range(first, last + 1, step)
        if not 0 < len(span) <= _MOST:
            expected = f"expected 1 to {_MOST}, as first <= last"
            raise card.lines.refused(k, f"{len(span)} numbers are generated; {expected}")
        members = (
            [x for x in span if x in existing]
            if len(span) <= len(existing)
            else sorted(x for x in existing if x in span)
        )
        if left := len(span) - len(members):
            self.remarks.append(f"{card.lines.place(k)} {card.title}: {left} numbers do not exist")
        return members

    def _members(self, kind: str, card: KeywordCard, k: int, word: str) -> Collection[int]:
        """Members that a word stands for: one number, or those of a set."""
        number = whole(word)
        if number is not None:
            return (number,)
        members = self.members.get((kind, word.upper()))
        if members is None:
            message = f"{card.lines.quoted(word, k)} is neither a number nor an earlier set"
            raise card.lines.refused(k, f"{message}; give the set before it is named")
        return members

    def read_faces(self, card: KeywordCard, elements: Elements) -> None:
        """Read *SURFACE of elements: lines of element or set, and face S1 to S6."""
        name = card.name("NAME")
        self.extend("surface", name, ())
        for k, words in card.rows():
            label, others = words[1].upper() if len(words) == 2 else "", set()
            for number in self._members("element", card, k, words[0] if words else ""):
                if number not in elements:
                    raise card.lines.refused(k, f"there is no element {number}")
                kind, nodes = elements[number]
                if not (sides := faces(KINDS[kind].shape)):
                    others.add(kind)
                    continue
                which = whole(label[1:]) if label.startswith("S") else None
                if which is None or not 1 <= which <= len(sides):
                    expected = f"expected a face S1 to S{len(sides)} of {kind}"
                    raise card.lines.refused(k, f"{card.lines.quoted(label, k)} found; {expected}")
                self.extend("surface", name, [nodes[j] for j in sides[which - 1]])
            if others:
                kinds = name_list(sorted(others), show=str)
                self.remarks.append(f"{card.lines.place(k)} {card.title}: faces of {kinds}")
