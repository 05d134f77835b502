"""Animated view of a run: a page in a file, in the browser or in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ResultError, StateError
from ...results.files.disk import PathLike, as_path, replacing
from ..scene.frame_times import frames_of, still
from ..scene.rods import check_color
from .options import PageOptions, whole_frames
from .page import ICON
from .server import FixedPage, View

if TYPE_CHECKING:
    from ...results.trajectory import Trajectory
    from ...system import StateLike, System

NOTEBOOK = 4_000_000  # characters of a page in a notebook; frames are omitted if necessary
_FEWEST = 60  # smallest number of frames


def page_text(
    run: Trajectory,
    *,
    frames: int = 600,
    title: str | None = None,
    trails: Sequence[str] | None = None,
    theme: str = "auto",
    scale: float = 1.0,
    reactions: bool | None = None,
    color: str | None = None,
    plot: str | Sequence[str | Sequence[str]] | None = None,
    follow: str | None = None,
    view: Any = None,
) -> str:
    """Page of a run as self-contained HTML.

    `theme`: background; `view`: direction of view at first: a plane, or elevation and azimuth
    [degrees].
    """
    options = PageOptions(title, trails, theme, scale, reactions, color, plot, follow, view)
    return _text(run, options, whole_frames(frames))


def _text(run: Trajectory, options: PageOptions, frames: int, why: str = "") -> str:
    check_color(options.color, run.system)
    rows = frames_of(run, frames)
    notice = f"{rows.n} frames of {run.n} rows{why}" if why or 2 * rows.n < run.n else ""
    return options.page(rows, settings={"notice": notice}, run=run)


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
    return PageOptions(title, (), theme, plot=()).page(still(system, state))


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
    frames = whole_frames(options.pop("frames", 600))
    page_options = PageOptions(**options)
    text = _text(run, page_options, frames)
    if len(text) > NOTEBOOK:
        # size without frames, and size left for frames
        few = _text(run, page_options, _FEWEST)
        share = (NOTEBOOK - len(few)) / max(1, len(text) - len(few))
        n = _FEWEST + max(0, int(share * (min(frames, run.n) - _FEWEST)))
        why = ", to keep the notebook small"
        text = _text(run, page_options, n, why) if n > _FEWEST else few
    return Embedded(text, width, height)
