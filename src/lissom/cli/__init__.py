"""The command `lissom`.

Every command imports what it needs when it runs, so that help and completion come at once.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .. import __version__
from ..errors import LissomError
from .bench import bench
from .check import check
from .demo import demo
from .equations import equations
from .info import info
from .new import new
from .results import plot, view
from .run import run

__all__ = ["app", "main"]

app = typer.Typer(
    name="lissom",
    help="Dynamics of mechanisms whose links bend.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for command in (demo, new, check, info, run, plot, view, equations, bench):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lissom {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Version.")
    ] = False,
) -> None:
    """Dynamics of mechanisms whose links bend."""


def main() -> None:
    """Run the command line; a mistake of the user ends in one line, not in a traceback."""
    try:
        app()
    except LissomError as error:
        typer.echo(f"lissom: {error}", err=True)
        sys.exit(1)
