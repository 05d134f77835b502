"""Progress bar of a run, on standard error."""

from __future__ import annotations

import sys
import time
from typing import Any

from ...errors import printable

PATIENCE = 0.5  # [s], delay before anything is shown
PERIOD = 0.2  # [s], between two updates
LINES = 5.0  # [s], between two lines where standard error is not a terminal


class ProgressBar:
    """Bar with simulated time, speed relative to real time and time left.

    Parameters
    ----------
    name : str
        Name of the system.
    start, end : float
        Start and end of the run [s].
    wanted : bool or None
        Whether to show it; None: if standard error is a terminal.  Where it is not, True prints a
        line every few seconds.
    unit : str
        Unit of the progress; other than "s" it is not compared with real time.
    """

    def __init__(
        self, name: str, start: float, end: float, wanted: bool | None, unit: str = "s"
    ) -> None:
        self.unit = unit
        self.name, self.start, self.end = printable(name) or "run", start, end
        self.shown = _is_terminal() if wanted is None else bool(wanted)
        self._begun = self._drawn = time.monotonic()
        self._from = start
        self._period = PERIOD if _is_terminal() else LINES
        self._bar: Any = None
        self._task: Any = None

    def resume_at(self, t: float) -> None:
        """Set the time from which the run continues; speed is measured from there."""
        self._from = t

    def update(self, t: float) -> None:
        """Show the simulated time t."""
        now = time.monotonic()
        if not self.shown or now - self._begun < PATIENCE:
            return
        if self._drawn > self._begun and now - self._drawn < self._period:
            return
        self._drawn = now
        speed = (t - self._from) / (now - self._begun)
        left = (self.end - t) / speed if speed > 0 else float("inf")
        pace = _speed(speed) if self.unit == "s" else f"{speed:.3g} {self.unit}/s"
        words = f"{t:.4g} of {self.end:.4g} {self.unit}  {pace}  {_left(left)}"
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


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _speed(ratio: float) -> str:
    digits = f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return f"{digits} x real time"


def _left(seconds: float) -> str:
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
