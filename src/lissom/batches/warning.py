"""Warnings of many runs: those of `simulate`, each said once."""

from __future__ import annotations

import re
import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import SimulationWarning
from ..sim.run.prepare import Prepared
from ..sim.run.reasons import UNFIT, Outcome
from ..sim.warnings.accuracy import warn_of_long_steps, warn_of_singular
from ..sim.warnings.contacts import warn_of_contacts
from ..sim.warnings.linear_limits import warn_of_limits
from ..sim.warnings.spins import fast_spins, warn_of_spins
from .runs import Runs

ENDED = ("finished", "event")
MOST = 5  # warnings of a batch
LOOKED_AT = 8  # runs whose rows are compared with the limits of their models
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


class Collected:
    """Warnings of many runs, each said once, with the number of runs that it is true of."""

    def __init__(self, count: int, which: str = "") -> None:
        self.count, self.which = count, which
        self.texts: list[str] = []

    @contextmanager
    def here(self) -> Iterator[None]:
        """Collect the warnings of this thread within this block."""
        before = getattr(_HERE, "collected", None)
        _HERE.collected = self
        try:
            yield
        finally:
            _HERE.collected = before

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Collect, also those of threads that are within `here`; say them at the end."""
        with _ROUTES.open(), self.here():
            yield
        first: dict[str, str] = {}  # of those that differ in numbers alone
        counts: Counter[str] = Counter()
        for text in self.texts:
            kind = _NUMBER.sub("#", text)
            first.setdefault(kind, text)
            counts[kind] += 1
        for kind, n in counts.most_common(MOST):
            words = f"in {n} of {self.count} runs{self.which}: {first[kind]}"
            warnings.warn(words, SimulationWarning, stacklevel=5)


_HERE = threading.local()  # what collects the warnings of a thread


class _Routes:
    """Way of warnings to what collects them; one for all threads, since Python knows one only."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0
        self._caught: Any = None

    @contextmanager
    def open(self) -> Iterator[None]:
        with self._lock:
            if not self._users:
                self._install()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._caught.__exit__(None, None, None)

    def _install(self) -> None:
        self._caught = warnings.catch_warnings()
        self._caught.__enter__()
        show = warnings.showwarning

        def route(
            message: Warning | str, category: type[Warning], *more: Any, **named: Any
        ) -> None:
            to = getattr(_HERE, "collected", None)
            if to is None or not issubclass(category, SimulationWarning):
                show(message, category, *more, **named)
            else:
                to.texts.append(str(message))

        warnings.simplefilter("always", SimulationWarning)
        warnings.showwarning = route


_ROUTES = _Routes()


def warn_after(ready: Prepared, outcome: Outcome, *, spins: bool = True) -> None:
    """Warn of a run that is less accurate than asked for."""
    if outcome.whole:
        warn_of_long_steps(ready.machine, asked=ready.asked, stacklevel=2)
        if spins:
            warn_of_spins(ready.machine.system, fast_spins(ready.machine), stacklevel=2)
    if outcome.sane:
        warn_of_singular(ready.machine, stacklevel=2)
        warn_of_contacts(ready.machine, stacklevel=2)


def warn_of_runs(runs: Runs) -> None:
    """Warn of runs that ended early, and of rows outside the limits of the models."""
    n = len(runs)
    early = [k for k, x in enumerate(runs.status) if x not in ENDED]
    if early:
        k = early[0]
        if "interrupted" in runs.status:
            start = "the runs ended early (interrupted)"
            k = next((x for x in early if runs.status[x] != "interrupted"), k)
        else:
            start = "runs ended early"
        words = f"{start}: {len(early)} of {n}; run {k} ({runs.status[k]}): {runs.message[k]}"
        warnings.warn(words, SimulationWarning, stacklevel=3)
    spread = np.unique(np.linspace(0, n - 1, min(n, LOOKED_AT)).astype(int))
    looked = [int(k) for k in spread if len(runs[int(k)]) and runs.status[k] not in UNFIT]
    which = "" if len(looked) == n else " that were looked at"
    with Collected(len(looked), which).whole():
        for k in looked:
            warn_of_limits(runs[k], stacklevel=2)
