"""What commands show while they work, on the standard error."""

from __future__ import annotations

from rich.console import Console

__all__ = ["console"]


def console(*, stderr: bool = False) -> Console:
    """The standard output, or the standard error."""
    return _Output(stderr=stderr)


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the end of the command, which knows the exit code."""
        raise BrokenPipeError
