"""The command `lissom run`."""

from __future__ import annotations

import inspect
import os
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..options import FORMS
from .ending import FAILED, INTERRUPTED, warnings_noted
from .live import in_progress, shown_live
from .output import json_text, say
from .values import NoCode, Units, number

if TYPE_CHECKING:
    from ..io.model_file.build.simulation import ModelRun
    from ..results import Trajectory


def _flag(name: str) -> str:
    """Option of the command line for an option of a run."""
    return f"--{name.replace('_', '-')}"


def with_run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of a run that have a sentence for its help, as `**run_options`."""
    signature = inspect.signature(command, eval_str=True)
    first, *others = (x for x in signature.parameters.values() if x.name != "run_options")
    options = []
    for name, form in FORMS.items():
        if form.command:
            kind = bool if form.name == "switch" else str | None
            metavar = form.of.upper() if form.name == "number" else "NAME"  # TIME, NUMBER
            flag = typer.Option(_flag(name), help=form.command, metavar=metavar)
            default = False if form.name == "switch" else None
            options.append(
                inspect.Parameter(
                    name, first.kind, default=default, annotation=Annotated[kind, flag]
                )
            )
    parameters = [first, *others[:1], *options, *others[1:]]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return command


@with_run_options
def run(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help="Model file, URDF file, FILE.py:NAME or MODULE:NAME."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Results file: .nc, .npz, .csv or .mat; by default NAME.nc.",
            metavar="FILE",
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            help='Value in place of that of the file: "parts.load.body.mass=3 kg"; repeatable.',
            metavar="ADDRESS=VALUE",
        ),
    ] = None,
    channels: Annotated[
        str | None,
        typer.Option(help="Columns of a .csv file, separated by commas.", metavar="NAMES"),
    ] = None,
    units: Units = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted run.")] = False,
    view: Annotated[
        bool, typer.Option("--view", help="Show the run in the browser while it is computed.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
    no_code: NoCode = False,
    json: Annotated[bool, typer.Option("--json", help="Write the summary as JSON.")] = False,
    **run_options: Any,
) -> None:
    """Run a simulation and write its results.

    Models from URDF or Python start at rest and need --duration.
    """
    from ..io.model_file.build.closed_start import closed_start
    from .sources import load_source

    typed = {name: x for name, x in run_options.items() if x not in (None, False)}
    changes = {
        name: number(x, _flag(name), FORMS[name].of) if FORMS[name].name == "number" else x
        for name, x in typed.items()
    }
    target = _target(model, output, resume)
    columns = _columns(target, channels, units)
    with warnings_noted() as warned:
        loaded, moved = closed_start(load_source(model, code=not no_code, changes=set_ or ()))
    if moved:
        say("lissom: the initial state was changed to close all loops", err=True)
    if "duration" not in {**loaded.settings, **changes}:
        raise typer.BadParameter(
            f"{model} has no duration; give --duration 5, or in a model file a section "
            "[simulation] with duration = 5"
        )
    with shown_live(target, wanted=view):
        with warnings_noted(warned):
            result, reason = _simulated(
                loaded, target, changes, resume=resume, progress=False if quiet or json else None
            )
        if target.suffix != ".nc":
            result.save(target, **columns)
    rows_file = _rows_file(target)
    if json:
        _print_json(result, {"file": str(rows_file), "start_moved": moved, "warnings": warned})
    elif not quiet:
        _print_summary(loaded, result, rows_file)
    if reason:
        arguments = ["-o", str(output)] if output is not None else []
        arguments += [y for x in typed for y in (_flag(x), typed[x]) if y is not True]
        arguments += [y for x in set_ or () for y in ("--set", x)]
        arguments += [*no_code * ["--no-code"], "--resume"]
        words = shlex.join(["lissom", "run", model, *arguments])
        go_on = f"; continue with: {words}" if rows_file != target else ""
        _end_early(result, f"{reason}; its {len(result)} rows", f"{rows_file}{go_on}")


def _simulated(
    loaded: ModelRun, target: Path, changes: dict[str, Any], *, resume: bool, progress: bool | None
) -> tuple[Trajectory, str]:
    """Trajectory, and reason for an early end ("" if there was none)."""
    from ..errors import SimulationError, SimulationWarning

    if target.suffix == ".nc":
        changes["resume" if resume else "file"] = str(target)
    reason = ""
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "the run ended early", SimulationWarning)
            result = loaded.simulate(**changes, progress=progress)
        if result.status not in ("finished", "event"):
            reason = result.message
    except SimulationError as error:
        if error.trajectory is None:
            raise
        result, reason = error.trajectory, error.trajectory.message
    return result, reason


def _columns(target: Path, channels: str | None, units: str | None) -> dict[str, Any]:
    """Columns and units of a table, as arguments of `Trajectory.save`."""
    if target.suffix != ".csv" and (channels is not None or units is not None):
        option = "--channels" if channels is not None else "--units"
        raise typer.BadParameter(f"{option} is for tables; give --output NAME.csv as well")
    names = None if channels is None else [x.strip() for x in channels.split(",")]
    return {"channels": names, "units": units} if target.suffix == ".csv" else {}


def _end_early(result: Trajectory, reason: str, place: str) -> None:
    say(
        f"lissom: the run ended early ({result.status}): {reason} until t = {result.time[-1]:g} s "
        f"are in {place}",
        err=True,
    )
    raise typer.Exit(INTERRUPTED if result.status == "interrupted" else FAILED)


def _target(model: str, output: Path | None, resume: bool) -> Path:
    """Path of the results, by default in this folder."""
    from ..errors import ResultError
    from ..results.files.disk import journal_path
    from ..results.files.formats import WRITERS
    from .sources import short_name

    target = Path(f"{short_name(model)}.nc") if output is None else output
    if target.suffix not in WRITERS:
        *most, last = WRITERS
        raise ResultError(f"--output {target}: use the suffix {', '.join(most)} or {last}")
    if resume and target.suffix != ".nc":
        raise ResultError(f"--resume: only runs written to NAME.nc can be continued, not {target}")
    part = Path(journal_path(target)[1])
    if resume and not part.exists():
        raise ResultError(f"--resume: there is no {part} to continue; omit --resume")
    if in_progress(target):
        raise ResultError(
            f"{part} is being written by another run; wait, or choose another file with --output"
        )
    if part.exists() and not resume and target.suffix == ".nc":
        raise ResultError(
            f"{part} is from an unfinished run; continue it with --resume, or delete it"
        )
    return target


def _rows_file(target: Path) -> Path:
    """File that contains the rows."""
    from ..results.files.disk import journal_path

    part = Path(journal_path(target)[1])
    return part if target.suffix == ".nc" and os.path.exists(part) else target


def _print_summary(loaded: ModelRun, result: Trajectory, rows_file: Path) -> None:
    from .texts import heading, run_text

    say(heading(loaded.system))
    say(run_text(result))
    say(f"wrote {rows_file}")


def _print_json(result: Trajectory, more: dict[str, Any]) -> None:
    from .texts import run_facts

    say(json_text(run_facts(result) | more))
