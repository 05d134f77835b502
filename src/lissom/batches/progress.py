"""Progress of many runs, and their warnings."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from ..errors import SimulationWarning
from ..sim.run.prepare import Prepared
from ..sim.run.progress import Bar, time_left
from ..sim.run.reasons import Outcome
from ..sim.warnings.accuracy import warn_of_long_steps, warn_of_singular


class RunsBar(Bar):
    """Bar with the runs done, their rate and the time left."""

    def words(self, t: float, speed: float) -> str:
        """Runs done, their rate, time left."""
        left = (self.end - t) / speed if speed > 0 else float("inf")
        return f"{t:.4g} of {self.end:.4g} runs  {speed:.3g} runs/s  {time_left(left)}"


class Counted:
    """Progress bar that counts runs; a context manager that closes it.

    Parameters
    ----------
    name : str
        Name of the system.
    count : int
        Number of runs.
    wanted : bool or None
        As for `Bar`.
    """

    def __init__(self, name: str, count: int, wanted: bool | None) -> None:
        self._bar = RunsBar(name, 0.0, float(count), wanted)
        self._done, self._lock = 0.0, threading.Lock()

    def __enter__(self) -> Counted:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self._bar.close()

    def add(self, runs: float) -> None:
        """Count so many more runs, or parts of one."""
        with self._lock:
            self._done += runs
            self._bar.update(self._done)


@contextmanager
def collected_warnings(count: int) -> Iterator[None]:
    """Warnings of many runs, each said once, with the number of runs that it is true of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", SimulationWarning)
        yield
    texts = Counter(str(x.message) for x in found if issubclass(x.category, SimulationWarning))
    for x in found:
        if not issubclass(x.category, SimulationWarning):
            warnings.warn_explicit(x.message, x.category, x.filename, x.lineno)
    for text, n in texts.most_common(5):
        warnings.warn(f"in {n} of {count} runs: {text}", SimulationWarning, stacklevel=5)


def warn_after(ready: Prepared, outcome: Outcome) -> None:
    """Warn of a run that is less accurate than asked for.

    Parameters
    ----------
    ready : Prepared
        The run, at its end.
    outcome : Outcome
        How it ended.
    """
    if outcome.status in ("finished", "event"):
        warn_of_long_steps(ready.machine, asked=ready.asked, stacklevel=2)
    warn_of_singular(ready.machine, stacklevel=2)
