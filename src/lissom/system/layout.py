"""Positions of each body's coordinates and speeds in the stacked vectors q and v."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import MOST_LINES, StateError, cut_lines, printable, suggestion
from ..immutable import FixedDict

# Parts that a key "body.part" of a state can name.
PARTS = ("modes", "rates", "mode_rates")


class Layout:
    """Slices of q and v by body name; a body's slice is [modal, hinge] (A 3), (A 4).

    Parameters
    ----------
    names : sequence of str
        Bodies, base to tip.
    n_mode, n_hinge_q, n_hinge_v : sequence of int
        Modes, hinge coordinates and hinge rates of each body.
    frames : mapping of str to str, optional
        Names that belong to frames, and the bodies that carry them, for messages.
    """

    names: tuple[str, ...]
    n_q: int
    n_v: int
    _modal_q: tuple[slice, ...]
    _hinge_q: tuple[slice, ...]
    _modal_v: tuple[slice, ...]
    _hinge_v: tuple[slice, ...]
    _index: dict[str, int]
    _frames: dict[str, str]

    def __init__(
        self,
        names: Sequence[str],
        n_mode: Sequence[int],
        n_hinge_q: Sequence[int],
        n_hinge_v: Sequence[int],
        frames: Mapping[str, str] | None = None,
    ) -> None:
        self.__dict__["names"] = tuple(names)
        for vector, n_hinge in (("q", n_hinge_q), ("v", n_hinge_v)):
            modal, hinge, n = _slices(n_mode, n_hinge)
            slices = {f"_modal_{vector}": modal, f"_hinge_{vector}": hinge, f"n_{vector}": n}
            self.__dict__.update(slices)
        self.__dict__["_frames"] = FixedDict(frames or {})
        self.__dict__["_index"] = FixedDict({name: i for i, name in enumerate(self.names)})

    def __setattr__(self, name: str, value: Any) -> None:
        """Reject assignment: a layout is determined by the bodies of its system."""
        raise AttributeError("a Layout is immutable; compile another model")

    def index(self, name: str) -> int:
        """Number of the body called `name`, base to tip."""
        try:
            return int(self._index[name])
        except (KeyError, TypeError):  # another name, or no name at all
            if isinstance(name, str) and name in self._frames:
                raise StateError(frame_words(name, self._frames[name])) from None
            words = suggestion(str(name), self.names)
            raise StateError(f"there is no body {name!r}; {words}") from None

    def modal_q(self, name: str | int) -> slice:
        """Slice of q with the modal coordinates of a body."""
        return self._modal_q[self._number(name)]

    def hinge_q(self, name: str | int) -> slice:
        """Slice of q with the hinge coordinates of a body."""
        return self._hinge_q[self._number(name)]

    def modal_v(self, name: str | int) -> slice:
        """Slice of v with the modal rates of a body."""
        return self._modal_v[self._number(name)]

    def hinge_v(self, name: str | int) -> slice:
        """Slice of v with the hinge rates of a body."""
        return self._hinge_v[self._number(name)]

    def piece(self, key: str) -> tuple[str, slice]:
        """Vector ("q" or "v") and slice that a key of a state refers to.

        "arm" is the body's hinge coordinates, "arm.modes" its modal coordinates, "arm.rates" and
        "arm.mode_rates" their rates.
        """
        name, _, part = str(key).partition(".")
        if part not in ("", *PARTS):
            raise StateError(f"{key!r} is not a part of a state; {suggestion(part, PARTS)}")
        vector = "v" if part.endswith("rates") else "q"
        kind = "modal" if part.startswith("mode") else "hinge"
        return vector, getattr(self, f"{kind}_{vector}")(name)

    def owner_q(self, index: int) -> str:
        """Description of the entry q[index], for error messages."""
        return self._owner(index, (self._modal_q, "mode"), (self._hinge_q, "hinge coordinate"))

    def owner_v(self, index: int) -> str:
        """Description of the entry v[index], for error messages."""
        return self._owner(index, (self._modal_v, "mode"), (self._hinge_v, "hinge rate"))

    def _owner(self, index: int, *kinds: tuple[tuple[slice, ...], str]) -> str:
        for slices, kind in kinds:
            for name, piece in zip(self.names, slices, strict=True):
                if piece.start <= index < piece.stop:
                    return f"{kind} {index - piece.start} of body {name!r}"
        return f"entry {index}"

    def _number(self, name: str | int) -> int:
        return name if isinstance(name, int) else self.index(name)

    def __repr__(self) -> str:
        """Slices, one line per body."""
        head = f"Layout of {len(self.names)} bodies: q has {self.n_q} entries, v has {self.n_v}"
        rows = (self._row(i) for i in range(len(self.names)))
        return "\n".join([head, *cut_lines(rows, MOST_LINES, "bodies", len(self.names))])

    def _row(self, i: int) -> str:
        pieces = {
            "q modal": self._modal_q[i],
            "q hinge": self._hinge_q[i],
            "v modal": self._modal_v[i],
            "v hinge": self._hinge_v[i],
        }
        words = [f"{x} {at.start}:{at.stop}" for x, at in pieces.items() if at.stop > at.start]
        return f"  {printable(self.names[i])}: {', '.join(words) or 'nothing'}"

    def __eq__(self, other: Any) -> bool:
        """Two layouts are equal when their bodies have the same names and slices."""
        return isinstance(other, Layout) and self._meaning() == other._meaning()

    def _meaning(self) -> dict[str, Any]:
        return {key: x for key, x in vars(self).items() if key != "_frames"}

    __hash__ = object.__hash__


def frame_words(name: str, body: str) -> str:
    """Error for the name of a frame where only a body can be named.

    `body`: body that carries it; empty for the ground.
    """
    if not body:
        return f"{name!r} is a frame on the ground; a body is expected here"
    return (
        f"{name!r} is a frame on body {body!r}, as the links of a robot are that were merged with "
        f"another; a body is expected here: use {body!r}"
    )


def _slices(
    n_mode: Sequence[int], n_hinge: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...], int]:
    ends = np.cumsum([n for pair in zip(n_mode, n_hinge, strict=True) for n in pair], dtype=int)
    edges = [0, *(int(e) for e in ends)]
    slices = tuple(slice(a, b) for a, b in pairwise(edges))
    return slices[::2], slices[1::2], edges[-1]
