"""Progress bars, on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any

from ...errors import printable

PATIENCE = 0.5  # [s], delay before anything is shown
PERIOD = 0.2  # [s], between two updates
LINES = 5.0  # [s], between two lines where standard error is not a terminal


class Bar:
    """Progress bar; what it says beside the bar is for subclasses.

    `wanted`: whether to show it; None: if standard error is a terminal.  Where it is not, True
    prints a line every few seconds.
    """

    def __init__(self, name: str, start: float, end: float, wanted: bool | None) -> None:
        self.name, self.start, self.end = printable(name) or "run", start, end
        self.shown = _is_terminal() if wanted is None else bool(wanted)
        self._begun = self._drawn = time.monotonic()
        self._from = start
        self._period = PERIOD if _is_terminal() else LINES
        self._bar: Any = None
        self._task: Any = None

    def resume_at(self, t: float) -> None:
        """Set the progress from which it continues; speed is measured from there."""
        self._from = t

    def words(self, t: float, speed: float) -> str:
        """What is said at the progress t, at so much of it per second."""
        raise NotImplementedError

    def update(self, t: float) -> None:
        """Show the progress t."""
        now = time.monotonic()
        if not self.shown or now - self._begun < PATIENCE:
            return
        if self._drawn > self._begun and now - self._drawn < self._period:
            return
        self._drawn = now
        words = self.words(t, (t - self._from) / (now - self._begun))
        if not _is_terminal():
            print(f"{self.name}: {words}", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._open()
        self._bar.update(self._task, completed=t - self.start, words=words)
        self._bar.refresh()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

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
        self._task = self._bar.add_task(self.name, total=self.end - self.start, words="")


class ProgressBar(Bar):
    """Bar with simulated time, speed relative to real time and time left."""

    def words(self, t: float, speed: float) -> str:
        """Simulated time, speed, time left."""
        left = (self.end - t) / speed if speed > 0 else float("inf")
        return f"{t:.4g} of {self.end:.4g} s  {_speed(speed)}  {time_left(left)}"


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _speed(ratio: float) -> str:
    digits = f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return f"{digits} x real time"


def time_left(seconds: float) -> str:
    """Time left in words; empty if it is not known."""
    if seconds == float("inf"):
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s left"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s left"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min left"
