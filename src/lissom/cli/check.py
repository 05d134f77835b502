"""The command `lissom check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import printable
from .ending import FAILED, warnings_noted
from .output import json_text, say
from .values import NoCode

if TYPE_CHECKING:
    from rich.console import Console

    from ..io.model_file.build.simulation import ModelRun
    from ..io.model_file.problems import Problem
    from ..results.store import Store


def check(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="Model file, URDF file, FILE.py:NAME, MODULE:NAME, or results.",
        ),
    ],
    functions: Annotated[
        bool,
        typer.Option(
            "--functions",
            help="Also look up functions named in the file, which runs their programs.",
        ),
    ] = False,
    no_code: NoCode = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """List all problems of a model file or of results.

    Without problems, describe the mechanism. Results are damaged if they do not match their
    checksums.
    """
    if model.endswith(RESULTS):
        check_results(model, json=json)
        return
    from ..errors import ModelFileError
    from .progress import console
    from .sources import checked_source

    warned: list[str] = []
    try:
        with warnings_noted(warned):
            run, problems = checked_source(model, functions=functions, code=not no_code, begin=True)
    except ModelFileError as error:
        run, problems = None, list(error.problems)
        if not problems:
            raise
    if json:
        _print_json(model, run, problems, warned)
    elif problems or run is None:
        show_problems(console(), sorted(problems))
    else:
        _describe(model, run, len(warned))
    if problems or run is None:
        raise typer.Exit(FAILED)


def _describe(model: str, run: ModelRun, warned: int) -> None:
    from .texts import tree_text

    say(tree_text(run.system))
    if run.settings:
        words = f"simulation of {run.settings['duration']:g} s"
        for name in ("load", "event"):
            n = len(run.settings[f"{name}s"])
            words += f", {n} {name}{'' if n == 1 else 's'}"
        say(words)
    but = f" but {warned} warning{'' if warned == 1 else 's'}" if warned else ""
    say(f"{model}: no problems{but}")


def _print_json(
    model: str, run: ModelRun | None, problems: list[Problem], warned: list[str]
) -> None:
    from dataclasses import asdict

    listed = [asdict(x) for x in sorted(problems)]
    facts: dict[str, Any] = {"model": model, "problems": listed, "warnings": warned}
    if run is not None and not problems:
        facts |= {"name": run.system.name, "bodies": run.system.n_body, "speeds": run.system.n_v}
        facts["duration"] = run.settings.get("duration")
    say(json_text(facts))


def show_problems(out: Console, problems: list[Problem]) -> None:
    """Print problems, each with the line of the file concerned.

    Parameters
    ----------
    out : rich.console.Console
        Destination.
    problems : list of Problem
        Problems in the order of their lines.
    """
    from rich.text import Text

    lines: dict[str, list[str]] = {}
    for problem in problems:
        place = f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file
        text = Text.assemble((printable(place), "bold"), ": ", (printable(problem.key), "cyan"))
        text.append(": " if problem.key else "").append(printable(problem.message, lines=True))
        out.print(text, soft_wrap=True, highlight=False)
        if problem.file not in lines:
            lines[problem.file] = _lines(problem.file)
        if 0 < problem.line <= len(lines[problem.file]):
            number = f"{problem.line:6d} | "
            shown = _line(lines[problem.file][problem.line - 1])
            out.print(Text(number + shown, style="dim"), soft_wrap=True)
            if problem.column <= 120:
                caret = Text(" " * (len(number) + problem.column - 1) + "^", style="red")
                out.print(caret, soft_wrap=True)
    count = len(problems)
    out.print(f"{count} problem{'s' if count != 1 else ''}", highlight=False)


def _line(text: str) -> str:
    """Line of a file for the terminal, with each character in its column."""
    return "".join(x if x.isprintable() else "?" for x in text.replace("\t", " ")[:120])


def _lines(file: str) -> list[str]:
    from ..errors import ModelError
    from ..io.model_file.source import LARGEST
    from ..io.reading import read_regular

    try:
        return read_regular(file, LARGEST).decode().split("\n")
    except (OSError, ValueError, ModelError):
        return []


RESULTS = (".nc", ".npz", ".nc.part")


def check_results(file: str, *, json: bool) -> None:
    """Verify the checksums of a results file, and describe its content.

    Parameters
    ----------
    file : str
        NAME.nc, NAME.npz or NAME.nc.part.
    json : bool
        Whether to write JSON.
    """
    from ..errors import ResultError

    facts: dict[str, Any] = {"file": file, "problems": []}
    try:
        facts |= _facts(file)
    except ResultError as error:
        facts["problems"] = [str(error)]
    if json:
        say(json_text(facts))
    else:
        _print(facts)
    if facts["problems"]:
        raise typer.Exit(FAILED)


def _facts(file: str) -> dict[str, Any]:
    from ..results.files.formats import open_results

    system, store, meta = open_results(file)
    times = store.read("time")
    return {
        "name": system.name,
        "rows": len(store),
        "start": float(times[0]) if len(times) else None,
        "end": float(times[-1]) if len(times) else None,
        "status": str(meta.get("status", "")),
        "checked": _checked(store),
    }


def _checked(store: Store) -> str:
    """Verify a store; return the outcome as text."""
    from ..results.files.journal.reader import JournalStore
    from ..results.files.netcdf.reader import NetcdfStore
    from ..results.store import MemoryStore

    if isinstance(store, MemoryStore):
        return "all parts match their checksums"
    if isinstance(store, JournalStore):
        torn = "; an incomplete record at the end is ignored" if store.torn else ""
        return f"all records match their checksums{torn}"
    assert isinstance(store, NetcdfStore)
    store.check()
    if store.sealed:
        return "all bytes match their checksums"
    return "rows, system and notes match their checksums; the file as a whole has none"


def _print(facts: dict[str, Any]) -> None:
    if facts["problems"]:
        say("\n".join(facts["problems"]))
        say("1 problem")
        return
    span = "" if facts["start"] is None else f", {facts['start']:g} s to {facts['end']:g} s"
    say(f"run of {facts['name'] or 'a mechanism'}: {facts['rows']} rows{span}")
    say(facts["checked"])
    say(f"{facts['file']}: no problems")
