"""The command `lissom`.

Every command imports what it needs when it runs, so that help and completion come at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from .. import __version__
from .check import check
from .demo import demo
from .ending import run_to_its_end
from .equations import equations
from .info import info
from .layout import Command, Group
from .new import new
from .results import plot, view
from .run import run
from .selftest import selftest

__all__ = ["app", "main"]

COMMANDS: dict[Callable[..., None], str] = {  # each with an example
    demo: "lissom demo arm",
    new: "lissom new boom.toml",
    check: "lissom check boom.toml",
    info: "lissom info boom.toml",
    run: 'lissom run boom.toml --duration "2 s"',
    plot: "lissom plot boom.nc boom.angle load.position -o boom.svg",
    view: "lissom view boom.nc --scale 5",
    equations: "lissom equations swing.py:model --format c --set m=2.5",
    selftest: "lissom selftest",
}
FIRST_STEPS = """\
lissom demo arm           see something move
lissom new boom.toml      a commented model file to change
lissom run boom.toml      simulate it, which writes boom.nc
lissom view boom.nc       watch it in the browser"""

app = typer.Typer(
    name="lissom",
    cls=Group,
    epilog=FIRST_STEPS,
    invoke_without_command=True,
    rich_markup_mode=None,  # plain help: no boxes, no brackets lost, the same in a file
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command, example in COMMANDS.items():
    app.command(cls=Command, epilog=example)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lissom {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say the version."),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show tracebacks of mistakes, as LISSOM_DEBUG=1 does."),
    ] = False,
) -> None:
    """Dynamics of mechanisms whose links bend."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave Python with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after "lissom"; by default those that the program was started with.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    debug = "--debug" in given or os.environ.get("LISSOM_DEBUG", "0") not in ("", "0")
    words = [word for word in given if word != "--debug"] or given
    sys.exit(
        run_to_its_end(
            lambda: app(words, prog_name="lissom", standalone_mode=False),
            debug=debug,
            as_json="--json" in words,
        )
    )
