"""The command `lissom check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from ..io.problems import Problem

__all__ = ["check", "show_problems"]

LONGEST_TREE = 60  # lines of a mechanism that are shown


def check(
    file: Annotated[Path, typer.Argument(help="NAME.toml, NAME.json or NAME.yaml.")],
    functions: Annotated[
        bool,
        typer.Option(help="Look up functions that the file names; this runs their programs."),
    ] = False,
) -> None:
    """List all that is wrong with a model file; without problems, say what the mechanism is."""
    from ..errors import ModelFileError
    from ..io.runs import checked_run
    from .progress import console

    try:
        run, problems = checked_run(file, functions=functions)
    except ModelFileError as error:
        run, problems = None, list(error.problems)  # type: ignore[arg-type]
    if problems or run is None:
        show_problems(console(), sorted(problems))
        raise typer.Exit(1)
    tree = str(run.system).splitlines()
    typer.echo("\n".join(tree if len(tree) <= LONGEST_TREE else tree[:1]))
    if run.settings:
        words = f"simulation of {run.settings['duration']:g} s"
        for name in ("loads", "events"):
            words += f", {len(run.settings[name])} {name}"
        typer.echo(words)
    typer.echo(f"{file}: no problems")


def show_problems(out: Console, problems: list[Problem]) -> None:
    """Print problems, each with the line that it is about.

    Parameters
    ----------
    out : rich.console.Console
        Where to.
    problems : list of Problem
        In the order of their lines.
    """
    from rich.text import Text

    lines: dict[str, list[str]] = {}
    for problem in problems:
        place = f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file
        text = Text.assemble((place, "bold"), ": ", (problem.key, "cyan"))
        text.append(": " if problem.key else "").append(problem.message)
        out.print(text, soft_wrap=True, highlight=False)
        if problem.file not in lines:
            lines[problem.file] = _lines(problem.file)
        if 0 < problem.line <= len(lines[problem.file]):
            number = f"{problem.line:6d} | "
            shown = lines[problem.file][problem.line - 1].replace("\t", " ")[:120]
            out.print(Text(number + shown, style="dim"), soft_wrap=True)
            if problem.column <= 120:
                caret = Text(" " * (len(number) + problem.column - 1) + "^", style="red")
                out.print(caret, soft_wrap=True)
    count = len(problems)
    out.print(f"{count} problem{'s' if count != 1 else ''}", highlight=False)


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
