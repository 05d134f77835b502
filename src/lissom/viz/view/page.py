"""Page of a run: a file, the browser or a notebook; HTML with embedded style, script and data."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...errors import ResultError, StateError
from ...results.files.disk import PathLike, as_path, replacing
from ..options import PageOptions
from ..scene.camera import direction
from ..scene.frames import frames_of, still
from ..scene.scene import Scene, outermost
from ..scene.values import check_color
from .curves import described_curves
from .data import PageData
from .server import FixedPage, View

if TYPE_CHECKING:
    from ...results.trajectory import Trajectory
    from ...system import StateLike, System

NOTEBOOK = 4_000_000  # characters of a page in a notebook; frames are omitted if necessary
_FEWEST = 60  # smallest number of frames
_TRAILS = 3  # number of paths drawn by default
# An empty icon, so that browsers do not request one; notebooks need none.
ICON = '<link rel="icon" href="data:,">\n'
_SCRIPTS = (
    "numbers.js",
    "data.js",
    "cursor.js",
    "rod.js",
    "motion.js",
    "closing.js",
    "shaders.js",
    "drawing.js",
    "camera.js",
    "picture.js",
    "controls.js",
    "chart.js",
    "notes.js",
    "film.js",
    "filming.js",
    "live.js",
    "main.js",
)


def page_text(run: Trajectory, why: str = "", **options: Any) -> str:
    """Page of a run as self-contained HTML; `options` are those of `PageOptions`.

    `why`: reason why there are fewer frames than rows.
    """
    chosen = PageOptions(**options)
    check_color(chosen.color, run.system)
    rows = frames_of(run, chosen.frames)
    notice = f"{rows.n} frames of {run.n} rows{why}" if why or 2 * rows.n < run.n else ""
    plot = described_curves(run, rows, chosen.plot)
    return filled_page(chosen, page_data(chosen, rows, run=run), rows, plot, {"notice": notice})


def page_of(
    system: System, state: StateLike, *, title: str | None = None, theme: str = "auto"
) -> str:
    """Page of a mechanism at rest, as self-contained HTML.

    Parameters
    ----------
    system : System
        Mechanism.
    state : State or (q, v)
        Its configuration.
    title : str, optional
        Heading; by default the name of the system.
    theme : {"auto", "light", "dark"}
        Background.
    """
    options, rows = PageOptions(title=title, trails=(), theme=theme, plot=()), still(system, state)
    return filled_page(options, page_data(options, rows), rows, None)


def page_data(
    options: PageOptions,
    rows: Trajectory,
    *,
    growing: bool = False,
    run: Trajectory | None = None,
) -> PageData:
    """Scene of a page, as the page gets it."""
    trails = options.trails
    if trails is None:
        trails = outermost(rows, _TRAILS, resting=growing)
    stress = options.color == "stress"
    scene = Scene(rows, trails, growing=growing, stress=stress, run=run)
    return PageData(scene, options.reactions)


def filled_page(
    options: PageOptions,
    data: PageData,
    rows: Trajectory,
    plot: dict[str, Any] | None,
    more: dict[str, Any] | None = None,
) -> str:
    """HTML text of a page; `more`: settings beside those of the options."""
    scene, seen, title = data.scene, None, options.title
    if options.view is not None:
        seen = direction(options.view, scene.up, scene.low, scene.high).tolist()
    settings = {
        "scale": float(options.scale),
        "color": options.color,
        "direction": seen,
        "plotted": options.plot is not None,
        "follow": None if options.follow is None else data.point(options.follow),
        **(more or {}),
    }
    live = bool(settings.get("live"))
    # "<" could end the script element
    text = as_json({**data.data(rows), "plot": plot, "settings": settings})
    pieces = {
        "ICON": ICON,
        "TITLE": html.escape(rows.system.name or "mechanism" if title is None else title),
        "THEME": options.theme,
        "STYLE": _short("style.css"),
        "SCRIPT": "\n".join(_short(name) for name in _SCRIPTS if live or name != "live.js"),
        "DATA": text.replace("<", "\\u003c"),
        "CONNECT": "; connect-src 'self'" if live else "",
    }
    return _filled("page.html", pieces)


def waiting_page(title: str) -> str:
    """Page that reloads every second until there are frames to show."""
    return _filled("waiting.html", {"ICON": ICON, "TITLE": html.escape(title)})


def as_json(data: dict[str, Any]) -> str:
    """Compact JSON text of data."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _filled(name: str, pieces: dict[str, str]) -> str:
    parts = _read(name).split("@@")  # text, name of a piece, text, ...
    parts[1::2] = [pieces[piece] for piece in parts[1::2]]
    return "".join(parts)


def _short(name: str) -> str:
    """File without indentation and lines of comments, which readers of the page do not need."""
    lines = (line.strip() for line in _read(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _read(name: str) -> str:
    return (files("lissom.viz.view") / "web" / name).read_text(encoding="utf-8")


def write_page(run: Trajectory, path: PathLike, **options: Any) -> None:
    """Write the page of a run to a file; options as for `page_text`."""
    name = as_path(path)
    if not name.endswith((".html", ".htm")):
        raise ResultError(f"path is {name!r}; expected a name that ends in .html")
    text = page_text(run, **options)
    with replacing(name) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(text)


def open_view(run: Trajectory, *, browser: bool, block: bool, **options: Any) -> View:
    """Serve the page of a run locally; options as for `page_text`."""
    view = View(FixedPage(page_text(run, **options)))
    if browser:
        view.show()
    if block:
        view.wait()
    return view


class Embedded:
    """Page inside a notebook.

    Parameters
    ----------
    text : str
        The page.
    width : str
        Width as in CSS.
    height : int
        Pixels.
    """

    def __init__(self, text: str, width: str, height: int) -> None:
        self.text, self.width, self.height = text, width, height

    def _repr_html_(self) -> str:
        inside = html.escape(self.text.replace(ICON, "", 1), quote=True)
        size = f"width:{html.escape(self.width)};height:{self.height}px"
        allowed = "allow-scripts allow-downloads"  # films are downloads
        look = f'style="{size};border:0" sandbox="{allowed}"'
        return f'<iframe {look} srcdoc="{inside}"></iframe>'

    def __repr__(self) -> str:
        """Text for consoles."""
        return f"page of {len(self.text) / 1e6:.2f} MB, displayed in notebooks"


def embedded(run: Trajectory, *, width: Any, height: Any, **options: Any) -> Embedded:
    """Page of a run inside a notebook; options as for `page_text`."""
    if isinstance(height, bool) or not isinstance(height, int) or not 100 <= height <= 10_000:
        raise StateError(f"height is {height!r}; expected pixels, 100 to 10000")
    if not isinstance(width, str) or any(c in width for c in ";:\"'<>"):
        raise StateError(f"width is {width!r}; expected a width as in CSS, such as '100%'")
    text, frames = page_text(run, **options), PageOptions(**options).frames
    if len(text) > NOTEBOOK:
        # size without frames, and size left for frames
        few = page_text(run, **{**options, "frames": _FEWEST})
        share = (NOTEBOOK - len(few)) / max(1, len(text) - len(few))
        n = _FEWEST + max(0, int(share * (min(frames, run.n) - _FEWEST)))
        why = ", to keep the notebook small"
        text = page_text(run, why, **{**options, "frames": n}) if n > _FEWEST else few
    return Embedded(text, width, height)
