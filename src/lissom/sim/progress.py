"""What a run shows while it runs, on the standard error of a terminal."""

from __future__ import annotations

import sys
import time
from typing import Any

from ..errors import printable

__all__ = ["ProgressBar"]

PATIENCE = 0.5  # [s], before anything is shown
PERIOD = 0.2  # [s], between two drawings
LINES = 5.0  # [s], between two lines where there is no terminal to draw on


class ProgressBar:
    """A bar with simulated time, speed against real time and time left.

    Parameters
    ----------
    name : str
        Of the system.
    start, end : float
        Of the run [s].
    wanted : bool or None
        Whether to show it; None: if the standard error is a terminal.  Elsewhere, if wanted, it
        is a line now and then.
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
        """Say where the run goes on: speed is measured from there."""
        self._from = t

    def update(self, t: float) -> None:
        """Show that the run is at time t."""
        now = time.monotonic()
        if not self.shown or now - self._begun < PATIENCE:
            return
        if self._drawn > self._begun and now - self._drawn < self._period:
            return
        self._drawn = now
        speed = (t - self._from) / (now - self._begun)
        left = (self.end - t) / speed if speed > 0 else float("inf")
        words = f"{t:.4g} of {self.end:.4g} s  {_speed(speed)}  {_left(left)}"
        if not _is_terminal():
            print(f"{self.name}: {words}", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._open()
        self._bar.update(self._task, completed=t - self.start, words=words)
        self._bar.refresh()

    def close(self) -> None:
        """Take the bar away."""
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
