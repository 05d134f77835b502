"""The command `lissom`.

Commands import what they need when they run, so that help and completion are fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from .. import __version__
from .build import build
from .check import check
from .demo import demo
from .ending import run_to_its_end
from .equations import equations
from .help import Command, Group
from .info import info
from .new import new
from .results import loads, plot, table, view
from .run import run
from .selftest import selftest
from .sweep import sweep

__all__ = ["app", "main"]

COMMANDS: dict[Callable[..., None], str] = {  # with an example of each
    demo: "lissom demo arm",
    new: "lissom new boom.toml",
    check: "lissom check boom.toml",
    info: "lissom info boom.toml",
    run: 'lissom run boom.toml --duration "2 s"',
    plot: "lissom plot boom.nc boom.angle load.position -o boom.svg",
    table: "lissom table boom.nc boom.angle load.position --units deg,mm -o boom.csv",
    loads: "lissom loads boom.nc -o envelope.csv --table loads.csv",
    view: "lissom view boom.nc --scale 5",
    sweep: "lissom sweep boom.toml --samples 200 --seed 1",
    equations: "lissom equations swing.py:model --format c --set m=2.5",
    selftest: "lissom selftest",
    build: "lissom build",
}
FIRST_STEPS = """\
lissom demo arm           run a demonstration
lissom new boom.toml      write a commented model file
lissom run boom.toml      simulate it and write boom.nc
lissom view boom.nc       view the motion in the browser"""

app = typer.Typer(
    name="lissom",
    cls=Group,
    epilog=FIRST_STEPS,
    invoke_without_command=True,
    rich_markup_mode=None,  # plain help: no boxes, brackets are kept, the same when redirected
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
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show tracebacks of errors, like LISSOM_DEBUG=1."),
    ] = False,
) -> None:
    """Dynamics of mechanisms whose links bend."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Arguments after "lissom"; by default those of the process.
    """
    argv = sys.argv[1:] if arguments is None else list(arguments)
    debug = "--debug" in argv or os.environ.get("LISSOM_DEBUG", "0") not in ("", "0")
    words = [word for word in argv if word != "--debug"] or argv
    sys.exit(
        run_to_its_end(
            lambda: app(words, prog_name="lissom", standalone_mode=False),
            debug=debug,
            as_json="--json" in words,
        )
    )
