"""Validated options of the animated view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import StateError
from ...results.trajectory import Trajectory
from ..scene.camera import check_view, direction
from ..scene.enlarged import check_scale
from ..scene.motion import Scene, outermost
from ..scene.rods import check_color
from .curves import check_plot, described_curves
from .page import page

THEMES = ("auto", "light", "dark")
_TRAILS = 3  # number of paths drawn by default
_MOST = 20_000  # frames


@dataclass(frozen=True)
class PageOptions:
    """Options of a page, as for `page_text`."""

    title: Any = None
    trails: Any = None
    theme: Any = "auto"
    scale: Any = 1.0
    reactions: Any = None
    color: Any = None
    plot: Any = None
    follow: Any = None
    view: Any = None

    def __post_init__(self) -> None:
        title, trails, theme, scale = self.title, self.trails, self.theme, self.scale
        if not isinstance(title, (str, type(None))):
            raise StateError(f"title is {title!r}; expected a string")
        if not isinstance(theme, str) or theme not in THEMES:
            raise StateError(f"theme is {theme!r}; expected 'auto', 'light' or 'dark'")
        check_scale(scale)
        if trails is not None and not (
            isinstance(trails, (list, tuple)) and all(isinstance(x, str) for x in trails)
        ):
            raise StateError(f"trails is {trails!r}; expected a list such as ['hand', 'boom.tip']")
        if not isinstance(self.reactions, (bool, type(None))):
            raise StateError(f"reactions is {self.reactions!r}; expected True or False")
        if not isinstance(self.follow, (str, type(None))):
            raise StateError(f"follow is {self.follow!r}; expected a body or frame such as 'hand'")
        check_color(self.color)
        check_plot(self.plot)
        check_view(self.view)

    def scene(
        self, rows: Trajectory, *, growing: bool = False, run: Trajectory | None = None
    ) -> Scene:
        """Scene of the page."""
        trails = self.trails
        if trails is None:
            trails = outermost(rows, _TRAILS, resting=growing)
        keywords = {
            "reactions": self.reactions,
            "growing": growing,
            "stress": self.color == "stress",
        }
        return Scene(rows, trails, **keywords, run=run)

    def page(
        self,
        rows: Trajectory,
        scene: Scene | None = None,
        settings: dict[str, Any] | None = None,
        run: Trajectory | None = None,
    ) -> str:
        """HTML text of the page."""
        scene = self.scene(rows, run=run) if scene is None else scene
        seen = None
        if self.view is not None:
            seen = direction(self.view, scene.up, scene.low, scene.high).tolist()
        page_settings = {
            "scale": float(self.scale),
            "color": self.color,
            "direction": seen,
            "plotted": self.plot is not None,
            "follow": None if self.follow is None else scene.followed(self.follow),
        }
        return page(
            {**scene.data(rows), "plot": self.curves(rows, run)},
            title=rows.system.name or "mechanism" if self.title is None else self.title,
            theme=self.theme,
            settings={**page_settings, **(settings or {})},
        )

    def curves(self, rows: Trajectory, run: Trajectory | None = None) -> dict[str, Any] | None:
        """Plot over time for the page."""
        if run is not None:
            return described_curves(run, rows, self.plot)
        try:
            return described_curves(rows, rows, self.plot, growing=True)
        except StateError as error:  # the page shows it: nobody else would
            return {"error": str(error)}


def whole_frames(frames: Any) -> int:
    """Validated number of frames."""
    if isinstance(frames, bool) or not isinstance(frames, int) or not 2 <= frames <= _MOST:
        raise StateError(f"frames is {frames!r}; expected a whole number, 2 to {_MOST}")
    return frames
