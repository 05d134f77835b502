"""What commands show while they work, on the standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PERIOD = 0.2  # [s], between two drawings


def console(*, stderr: bool = False) -> Console:
    """The standard output, or the standard error."""
    return _Output(stderr=stderr)


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the end of the command, which knows the exit code."""
        raise BrokenPipeError


@contextmanager
def shown_progress(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar that moves while the block runs; where there is no terminal, one line.

    Parameters
    ----------
    name : str
        What is being done.

    Yields
    ------
    callable
        To be told (what, steps done, steps in all).
    """
    error = Console(stderr=True)
    if not error.is_terminal:
        error.print(f"measuring: {name}", highlight=False)
        yield lambda *_: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    # No thread of its own: it would draw in the middle of what is being timed.
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
