"""The command `lissom demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .output import json_text, open_in_browser, say

if TYPE_CHECKING:
    from ..results import Trajectory


def _names() -> list[str]:
    from ..library.demos import DEMOS

    return list(DEMOS)


def demo(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Name of the demo; if omitted, all are listed.",
            autocompletion=_names,
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Folder for the page and the picture; by default this one.",
        ),
    ] = Path(),
    show: Annotated[
        bool, typer.Option("--show/--no-show", help="Open the page in the browser.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Run a ready-made mechanism and show its motion."""
    if name is None:
        _print_list(json)
        return
    from ..library.demos import demo as ready
    from .texts import tree_text

    chosen = ready(name)
    _make_folder(output)
    if not json:
        say(f"{chosen.title}\n\n{tree_text(chosen.system, most=20)}\n")
    run = chosen.run(progress=False if json else None)
    page, picture = output / f"{name}.html", output / f"{name}.png"
    run.to_html(page)
    run.plot(file=picture)
    if json:
        _print_json(run, page, picture)
    else:
        _print_summary(run, page, picture)
    if show:
        open_in_browser(page.resolve().as_uri())


def _print_list(as_json: bool) -> None:
    from ..library.demos import DEMOS

    if as_json:
        listed = [{"name": name, "title": title} for name, (title, _) in DEMOS.items()]
        say(json_text(listed))
        return
    for name, (title, _) in DEMOS.items():
        say(f"{name:10} {title}")
    say(f"\nRun one: lissom demo {next(iter(DEMOS))}")


def _make_folder(folder: Path) -> None:
    from ..errors import ResultError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError.of(error, folder, "write") from None


def _print_summary(run: Trajectory, page: Path, picture: Path) -> None:
    from .texts import wrap_text

    statistics = run.statistics
    faster = run.time[-1] / max(statistics["seconds"], 1e-9)
    say(wrap_text(str(statistics["chosen"])))
    say(
        f"{run.time[-1]:g} s of motion in {statistics['seconds']:.2f} s, {statistics['steps']} "
        f"steps: {faster:.0f} times faster than real time"
    )
    say(f"wrote {page}, a page for the browser that needs no network\nwrote {picture}")


def _print_json(run: Trajectory, page: Path, picture: Path) -> None:
    from .texts import run_facts

    facts = run_facts(run) | {"page": str(page), "picture": str(picture)}
    say(json_text(facts))
