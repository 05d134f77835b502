"""The command `lissom demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["demo"]


def demo(
    name: Annotated[
        str | None, typer.Argument(help="Which; without a name, they are listed.")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for the page and the picture.")
    ] = Path(),
    show: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Run a ready mechanism, and show it moving."""
    from ..library.demos import DEMOS, demo as ready

    if name is None:
        for known, (title, _) in DEMOS.items():
            typer.echo(f"lissom demo {known:10} {title}")
        return
    chosen = ready(name)
    typer.echo(f"{chosen.title}\n\n{chosen.system}\n")
    run = chosen.run()
    statistics = run.statistics
    faster = run.time[-1] / max(statistics["seconds"], 1e-9)
    typer.echo(f"{statistics['chosen']}")
    typer.echo(
        f"{run.time[-1]:g} s of motion in {statistics['seconds']:.2f} s, {statistics['steps']} "
        f"steps: {faster:.0f} times as fast as it happens"
    )
    page, picture = output / f"{name}.html", output / f"{name}.png"
    output.mkdir(parents=True, exist_ok=True)
    run.to_html(page)
    run.plot(file=picture)
    typer.echo(f"wrote {page} (open it in a browser, it needs no network) and {picture}")
    if show:
        import webbrowser

        webbrowser.open(page.resolve().as_uri())
