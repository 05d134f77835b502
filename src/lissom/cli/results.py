"""The commands `lissom plot`, `lissom table`, `lissom loads` and `lissom view`."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..viz.options import PageOptions
from .live import follow_run, in_progress
from .output import open_in_browser, say
from .values import Units, number

if TYPE_CHECKING:
    from ..results import Trajectory

MODELS = (".toml", ".json", ".yaml", ".yml", ".py", ".urdf")

ResultFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="Results: NAME.nc, NAME.npz, or NAME.nc.part.")
]


def _quantities(context: typer.Context, incomplete: str) -> list[str]:
    """Channel names of a results file, for completion; empty on any error."""
    try:
        return quoted_completions(_loaded(Path(context.params["file"])).channels(), incomplete)
    except Exception:
        return []


def plot(
    file: ResultFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAMES",
            help="Quantities, such as load.position; by default the main ones.",
            autocompletion=_quantities,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="NAME.png, NAME.svg or NAME.pdf; by default named after the results.",
            metavar="FILE",
        ),
    ] = None,
    units: Units = None,
    quantities: Annotated[
        bool, typer.Option("--list", help="List the quantities that can be plotted, with units.")
    ] = False,
) -> None:
    """Plot quantities of a run over time and write the plot to a file."""
    run = _loaded(file)
    if quantities:
        say(_listed(run, names or [""], units))
        return
    target = Path(f"{_stem(file)}.png") if output is None else output
    run.plot(*(names or ()), file=target, units=units)
    say(f"wrote {target}")
    _say_notes(run, names)


def _listed(run: Trajectory, parts: list[str], units: str | None) -> str:
    """Channels whose names contain one of some texts, one in a line."""
    from ..errors import StateError, suggestion
    from ..results.tables import channel_lines

    channels: dict[str, Any] = {}
    for text in parts:
        if not (matching := run.channels(text)):
            raise StateError(f"there is no quantity {text!r}; {suggestion(text, run.channels())}")
        channels |= matching
    return "\n".join(channel_lines(list(channels.values()), units=units))


def table(
    file: ResultFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAMES",
            help="Quantities, such as load.position; by default the main ones.",
            autocompletion=_quantities,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="NAME.csv; by default named after the results.", metavar="FILE"
        ),
    ] = None,
    units: Units = None,
) -> None:
    """Write quantities of a run over time as a table."""
    from ..results.tables import channel_table

    run = _loaded(file)
    target = Path(f"{_stem(file)}.csv") if output is None else output
    channel_table(run, target, names, units)
    say(f"wrote {target}")
    _say_notes(run, names)


def _say_notes(run: Trajectory, names: list[str] | None) -> None:
    """Say which peaks among what was written are not those of the mechanism."""
    from ..results.envelopes import peak_notes
    from ..results.tables import usual_channels
    from .texts import wrap_text

    for note in peak_notes(run, [x.name for x in usual_channels(run, tuple(names or ()))]):
        say(wrap_text(note))


def loads(
    file: ResultFile,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAMES",
            help="Loads, such as boom.section_moment; by default all.",
            autocompletion=_quantities,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the envelope to NAME.csv, too.", metavar="FILE"),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            help="Write all loads at the instants of the extremes to NAME.csv.",
            metavar="FILE",
        ),
    ] = None,
    units: Units = None,
) -> None:
    """Show the largest and smallest loads of a run, when and where."""
    run = _loaded(file)
    envelope = run.envelope(*(names or ()), units=units)
    say(repr(envelope))
    if output is not None:
        envelope.save(output)
        say(f"wrote {output}")
    if table is not None:
        run.load_table(table, *(names or ()), times=envelope.times, units=units)
        say(f"wrote {table}")


# How an option of a picture is written on the command line, by its form
_WRITTEN = {
    "number": "; by default {default:g}.",
    "choice": " at first: {choices}.",
    "view": ': {choices}, or elevation and azimuth "20,-60" in degrees.',
    "channels": ', separated by commas; "" for none.',
    "text": ".",
}


def _look(name: str, metavar: str, *flags: str) -> Any:
    """Option of the command for an option of pages and pictures."""
    entry = PageOptions.__dataclass_fields__[name]
    told = entry.metadata
    words = told.get("choices", ())
    listed = (
        ", ".join(words)
        if told["form"] == "view"
        else " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
    )
    ending = _WRITTEN[told["form"]].format(default=entry.default, choices=listed)
    return typer.Option(*flags, metavar=metavar, help=told["words"] + ending)


def view(
    file: ResultFile,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write NAME.html, or an animated NAME.gif, instead of serving the page.",
            metavar="FILE",
        ),
    ] = None,
    scale: Annotated[str, _look("scale", "FACTOR")] = "1",
    color: Annotated[str | None, _look("color", "WHAT")] = None,
    direction: Annotated[str | None, _look("view", "WHERE", "--from")] = None,
    quantities: Annotated[str | None, _look("plot", "NAMES", "--plot")] = None,
    follow: Annotated[str | None, _look("follow", "NAME")] = None,
    browser: Annotated[
        bool,
        typer.Option("--browser/--no-browser", help="Open the browser, or only print the address."),
    ] = True,
) -> None:
    """Show a run in the browser, also while it is being computed.

    The page is served locally and needs no network. Ctrl-C ends the command.
    """
    look: dict[str, Any] = {
        "scale": number(scale, "--scale"),
        "color": color,
        "view": _direction(direction),
    }
    shown: dict[str, Any] = {"plot": _names(quantities), "follow": follow}
    if output is None and in_progress(file):
        follow_run(file, browser=browser, **look, **shown)
        return
    run = _loaded(file)
    if output is not None:
        _write_view(run, output, look, shown)
        return
    page = run.view(browser=False, **look, **shown)
    say(f"the page is at {page.url}\nCtrl-C ends this command; an open page stays usable")
    if browser:
        open_in_browser(page.url)
    page.wait()


def _write_view(run: Trajectory, output: Path, look: dict[str, Any], page: dict[str, Any]) -> None:
    """Write a page, or an animated picture by the ending .gif."""
    from ..errors import ResultError

    if output.suffix not in (".html", ".gif"):
        raise ResultError(
            f"--output is {output}; expected NAME.html or NAME.gif; films are saved from the page"
        )
    if output.suffix != ".gif":
        run.to_html(output, **look, **page)
    elif options := [f"--{name}" for name, value in page.items() if value is not None]:
        raise typer.BadParameter(f"{options[0]} is for pages, not for {output}; omit it")
    else:
        run.to_gif(output, **look)
    say(f"wrote {output}")


def _direction(text: str | None) -> Any:
    """Direction of view, as `to_html` takes it."""
    from ..errors import StateError

    view: Any = text
    if text is not None and "," in text:
        view = tuple(number(x.strip(), "--from") for x in text.split(","))
    try:
        PageOptions(view=view)
    except StateError as error:
        raise typer.BadParameter(str(error).replace("view is", "--from is")) from None
    return view


def _names(text: str | None) -> list[str] | None:
    """Names separated by commas."""
    if text is None:
        return None
    return [x.strip() for x in text.split(",") if x.strip()]


def _loaded(file: Path) -> Trajectory:
    from ..errors import ResultError, suggestion
    from ..results import Trajectory

    if file.suffix in MODELS:
        command = shlex.join(["lissom", "run", str(file)])
        raise ResultError(f"{file}: contains a model, not results; run it first: {command}")
    if not file.exists() and file.parent.is_dir():
        endings = (".nc", ".npz", ".nc.part")
        files = sorted(x.name for x in file.parent.iterdir() if x.name.endswith(endings))
        near = suggestion(file.name, files) if files else "lissom run MODEL writes one"
        raise ResultError(f"{file}: there is no such file; {near}")
    return Trajectory.load(file)


def _stem(file: Path) -> str:
    return file.name.removesuffix(".part").rpartition(".")[0] or file.name


# Completion of file names, quoted so that the shell never executes any part of them.
#
# bash inserts completions verbatim and zsh evaluates them; fish quotes them itself.

_PLAIN = r"\w.,:=+@%/\-"  # characters that every shell takes literally


def quoted_completions(names: Iterable[str], incomplete: str) -> list[str]:
    """Names that start with the typed text, quoted so that the shell in use takes them literally.

    Names with control characters or a leading dash are omitted, and so are names with special
    characters if the shell has no safe way to write them.

    Parameters
    ----------
    names : iterable of str
        Names from any source.
    incomplete : str
        Typed text.
    """
    fitting = [x for x in names if x.startswith(incomplete) and x.isprintable() and x[:1] != "-"]
    shell = os.environ.get("_LISSOM_COMPLETE", "").removeprefix("complete_")
    if shell == "bash":
        return [re.sub(rf"([^{_PLAIN}])", r"\\\1", x) for x in fitting]
    if shell == "fish":
        return fitting
    allowed = f"{_PLAIN} " if shell == "zsh" else _PLAIN
    return [x for x in fitting if re.fullmatch(rf"[{allowed}]+", x)]
