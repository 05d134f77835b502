"""The commands `lissom plot` and `lissom view`: pictures of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..results import Trajectory

__all__ = ["plot", "view"]

ResultFile = Annotated[Path, typer.Argument(help="NAME.nc, NAME.npz, or NAME.nc.part of a run.")]


def plot(
    file: ResultFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Quantities, such as hand.position; by default the main ones."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="NAME.png, NAME.svg or NAME.pdf.", metavar="FILE"),
    ] = None,
    quantities: Annotated[
        bool, typer.Option("--list", help="List the quantities that can be plotted.")
    ] = False,
) -> None:
    """Plot quantities of a run over time into a file."""
    run = _loaded(file)
    if quantities:
        for name in run.channels():
            typer.echo(name)
        return
    target = Path(f"{_stem(file)}.png") if output is None else output
    run.plot(*(names or ()), file=target)
    typer.echo(f"wrote {target}")


def view(
    file: ResultFile,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the page to NAME.html instead.", metavar="FILE"),
    ] = None,
    scale: Annotated[float, typer.Option(help="Factor of the deformations shown.")] = 1.0,
) -> None:
    """Show a run in the browser: a page of its own that needs no network."""
    run = _loaded(file)
    if output is not None:
        run.to_html(output, scale=scale)
        typer.echo(f"wrote {output}")
        return
    typer.echo("the page is served from this machine to itself; end with Ctrl-C")
    run.view(block=True, scale=scale)


def _loaded(file: Path) -> Trajectory:
    from ..errors import ResultError
    from ..results import Trajectory

    if file.suffix in (".toml", ".json", ".yaml", ".yml", ".py", ".urdf"):
        raise ResultError(f"{file}: holds a model, not results; run it first: lissom run {file}")
    return Trajectory.load(file)


def _stem(file: Path) -> str:
    return file.name.removesuffix(".part").rpartition(".")[0] or file.name
