"""Progress of a sweep, on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any

from ..sim.run.progress import LINES, PATIENCE, PERIOD, _is_terminal, _left


class SweepBar:
    """Bar with the tasks done, their rate and the time left.

    Parameters
    ----------
    total, before : int
        Number of tasks, and those that were done before.
    wanted : bool or None
        Whether to show it; None: if standard error is a terminal.  Where it is not, True prints a
        line every few seconds.
    """

    def __init__(self, total: int, before: int, wanted: bool | None) -> None:
        self.total, self.before = total, before
        self.shown = _is_terminal() if wanted is None else bool(wanted)
        self._begun = self._drawn = time.monotonic()
        self._period = PERIOD if _is_terminal() else LINES
        self._bar: Any = None
        self._line: Any = None

    def update(self, done: int, failed: int) -> None:
        """Show the progress.

        Parameters
        ----------
        done, failed : int
            Tasks that ended, and those of them that failed.
        """
        now = time.monotonic()
        if not self.shown or now - self._begun < PATIENCE:
            return
        if self._drawn > self._begun and now - self._drawn < self._period:
            return
        self._drawn = now
        words = self._words(done, failed, (done - self.before) / (now - self._begun))
        if not _is_terminal():
            print(f"sweep: {words}", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._open()
        self._bar.update(self._line, completed=done, words=words)
        self._bar.refresh()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _words(self, done: int, failed: int, rate: float) -> str:
        parts = [f"{done} of {self.total}"]
        parts += [f"{failed} failed"] if failed else []
        if rate > 0:
            parts += [f"{rate:.3g}/s", _left((self.total - done) / rate)]
        return "  ".join(parts)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[words]}", markup=False),
        )
        console = Console(stderr=True)
        self._bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        self._bar.start()
        self._line = self._bar.add_task("sweep", total=self.total, words="")
