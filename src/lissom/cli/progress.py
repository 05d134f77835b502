"""Progress of commands, on the standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PERIOD = 0.2  # [s], between two updates


def console(*, stderr: bool = False) -> Console:
    """Console on the standard output or the standard error."""
    return _Output(stderr=stderr)


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Ignore: the end of the command sets the exit code."""
        raise BrokenPipeError


@contextmanager
def shown_progress(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Progress bar while the block runs; without a terminal, one line.

    Parameters
    ----------
    name : str
        Name of the task.

    Yields
    ------
    callable
        Function to call with (current step, steps done, total number of steps).
    """
    error = Console(stderr=True)
    if not error.is_terminal:
        error.print(f"measuring: {name}", highlight=False)
        yield lambda *_: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    # No refresh thread: it would disturb the timings.
    with Progress(*columns, console=error, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(name)
        drawn = 0.0

        def tell(what: str, done: int, total: int) -> None:
            nonlocal drawn
            bar.update(task, description=f"{name}: {what}", completed=done, total=total)
            if time.monotonic() - drawn > PERIOD or done == 0:
                bar.refresh()
                drawn = time.monotonic()

        yield tell
