"""The command `lissom run`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..results import Trajectory

__all__ = ["run"]


def run(
    file: Annotated[Path, typer.Argument(help="NAME.toml, NAME.json or NAME.yaml.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Where results go; by default NAME.nc.", metavar="FILE"
        ),
    ] = None,
    duration: Annotated[
        float | None, typer.Option(help="Time to simulate [s], instead of the file's.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
) -> None:
    """Run the simulation of a model file and write its results."""
    from ..errors import ModelFileError
    from ..io import load_run
    from .check import show_problems
    from .progress import console

    try:
        loaded = load_run(file)
    except ModelFileError as error:
        if not error.problems:
            raise
        show_problems(console(), error.problems)  # type: ignore[arg-type]
        raise typer.Exit(1) from None
    target = _target(file, output)
    changes = {} if duration is None else {"duration": duration}
    streamed = {"file": str(target)} if target.suffix == ".nc" else {}
    result = loaded.simulate(**changes, **streamed, progress=False if quiet else None)
    if not streamed:
        result.save(target)
    if not quiet:
        typer.echo(str(loaded.system).splitlines()[0])
        typer.echo(_summary(result))
        typer.echo(f"wrote {target}")


def _target(file: Path, output: Path | None) -> Path:
    """Where results go: beside nothing else, in this folder."""
    from ..errors import ResultError

    target = Path(f"{file.stem}.nc") if output is None else output
    if target.suffix not in (".nc", ".npz", ".csv", ".mat"):
        raise ResultError(f"--output {target}: use a suffix .nc, .npz, .csv or .mat")
    return target


def _summary(result: Trajectory) -> str:
    """A few lines on how it went."""
    statistics = result.statistics
    words = f"{result.status} at t = {result.time[-1]:g} s, {len(result)} rows"
    if "steps" in statistics:
        words += f", {statistics['steps']} steps in {statistics['seconds']:.2f} s"
    lines = [words, str(statistics.get("chosen", ""))]
    lines += [f"event {name!r} at t = {time:g} s" for time, name in result.events]
    energy = result["energy.total"]
    lines.append(f"energy {energy[0]:.6g} J at the start, {energy[-1]:.6g} J at the end")
    return "\n".join(line for line in lines if line)
