"""Warnings of one call that looks at many states: each kind once, where it is worst."""

from __future__ import annotations

import warnings
from contextvars import ContextVar
from types import TracebackType
from typing import NamedTuple

from ...errors import SimulationWarning


class _Worst(NamedTuple):
    """What is said about the worst state of one kind."""

    size: float
    place: str
    text: str


class Gathered:
    """Block in which `say` gathers; at its end the worst warning of each kind is given."""

    def __init__(self, stacklevel: int = 2) -> None:
        self.stacklevel = stacklevel
        self.place = ""  # words for the state that is looked at, such as "boom.rates = 3"
        self.worst: dict[str, _Worst] = {}
        self.places: dict[str, set[str]] = {}

    def __enter__(self) -> Gathered:
        self._before = _GATHERED.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _GATHERED.reset(self._before)
        for name, one in self.worst.items():
            text, n = one.text, len(self.places[name])
            if one.place:
                text = f"at {one.place}{f' (worst of {n} such values)' if n > 1 else ''}: {text}"
            say(name, one.size, text, self.stacklevel + 1)

    def add(self, kind: str, size: float, text: str) -> None:
        """Keep a warning if it is the worst of its kind."""
        self.places.setdefault(kind, set()).add(self.place)
        if kind not in self.worst or size > self.worst[kind].size:
            self.worst[kind] = _Worst(size, self.place, text)


_GATHERED: ContextVar[Gathered | None] = ContextVar("gathered", default=None)


def say(kind: str, size: float, text: str, stacklevel: int) -> None:
    """Warn, or let the call that gathers warnings do it."""
    gathered = _GATHERED.get()
    if gathered is None:
        warnings.warn(text, SimulationWarning, stacklevel + 1)
    else:
        gathered.add(kind, size, text)
