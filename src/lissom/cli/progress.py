"""Progress of commands, on the standard error."""

from __future__ import annotations

from rich.console import Console

__all__ = ["console"]


def console(*, stderr: bool = False) -> Console:
    """Console on the standard output or the standard error."""
    return _Terminal(stderr=stderr)


class _Terminal(Console):
    def on_broken_pipe(self) -> None:
        """Ignore: the end of the command sets the exit code."""
        raise BrokenPipeError
