"""Progress of many runs."""

from __future__ import annotations

import threading
from types import TracebackType

from ..sim.run.progress import Bar, time_left


class RunsBar(Bar):
    """Bar with the runs done, their rate and the time left."""

    def words(self, t: float, speed: float) -> str:
        """Runs done, their rate, time left."""
        left = (self.end - t) / speed if speed > 0 else float("inf")
        return f"{t:.4g} of {self.end:.4g} runs  {speed:.3g} runs/s  {time_left(left)}"


class Counted:
    """Progress bar that counts runs; a context manager that closes it.

    `wanted`: as for `Bar`.
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
