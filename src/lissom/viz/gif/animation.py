"""Animated GIFs: the scene of the animated view, drawn frame by frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ResultError, StateError
from ...results.files.disk import PathLike, as_path, replacing
from ..scene.camera import check_view
from ..scene.enlarged import check_scale, enlarged
from ..scene.instants import frames_of
from ..scene.motion import Scene, outermost
from ..scene.rods import check_color
from .rendering import Drawing

if TYPE_CHECKING:
    from ...results.trajectory import Trajectory

_LONGEST, _SHORTEST = 10.0, 1.0  # s, limits of the default duration
_MOST = 1000  # frames
_OPEN = 1e-3  # gap of loops, in lengths of the system, that is told
_FRAMES = 200  # within which a picture has its place


def write_gif(
    run: Trajectory, path: PathLike, *, frames: int, duration: float | None, **look: Any
) -> None:
    """Write an animated GIF of a run.

    Parameters
    ----------
    run : Trajectory
        Motion.
    path : path
        File to write, with the suffix ".gif".
    frames : int
        Number of frames.
    duration : float, optional
        Playing time [s].
    **look
        `size`, `trails`, `color`, `scale` and `view` of `Look`.
    """
    name = as_path(path)
    if not name.endswith(".gif"):
        raise ResultError(f"path is {name!r}; expected a name that ends in .gif")
    if isinstance(frames, bool) or not isinstance(frames, int) or not 2 <= frames <= _MOST:
        raise StateError(f"frames is {frames!r}; expected a whole number, 2 to {_MOST}")
    rows = frames_of(run, frames)
    seconds = _seconds(duration, float(np.ptp(rows.time)))
    drawing = Look(**look).drawing(rows, outermost(rows, 3), run)
    pictures = [drawing.picture(k).quantize(256) for k in range(rows.n)]
    with replacing(name) as temporary:
        pictures[0].save(
            temporary,
            format="GIF",
            save_all=True,
            append_images=pictures[1:],
            duration=max(20, round(1000 * seconds / rows.n)),  # browsers do not play faster
            loop=0,
        )


def write_image(run: Trajectory, path: PathLike, time: Any, **look: Any) -> None:
    """Write a picture of a run at one instant; see `Trajectory.to_image`."""
    name = as_path(path)
    if not name.endswith(".png"):
        raise ResultError(f"path is {name!r}; expected a name that ends in .png")
    chosen = Look(**look)
    moment = run.sample([time])
    rows = frames_of(run, _FRAMES)
    before = rows.time[rows.time < moment.time[0]]
    rows = run.sample([*before, moment.time[0], *rows.time[rows.time > moment.time[0]]])
    picture = chosen.drawing(rows, (), run, halvings=2).picture(len(before))
    with replacing(name) as temporary:
        picture.save(temporary, format="PNG")


@dataclass(frozen=True)
class Look:
    """Options of pictures.

    Attributes
    ----------
    size : pair of int
        Width and height [pixels].
    trails : sequence of str or None
        Points whose paths are drawn.
    color : {"deflection", "stress", "curvature", "moment"} or None
        What the colours of flexible bodies show.
    scale : float
        Factor by which deformations are enlarged.
    view : None, {"3d", "xy", "xz", "yz"} or pair of float
        Direction of view.
    """

    size: Any
    trails: Any = None
    color: Any = None
    scale: Any = 1.0
    view: Any = None

    def __post_init__(self) -> None:
        _pixels(self.size)
        check_color(self.color)
        check_scale(self.scale)
        check_view(self.view)

    def drawing(self, rows: Trajectory, trails: Any, run: Trajectory, halvings: int = 0) -> Drawing:
        """Drawing of frames.

        Parameters
        ----------
        rows : Trajectory
            Frames.
        trails : sequence of str
            Points whose paths are drawn if none were given.
        run : Trajectory
            The whole run, for the scale of colours.
        halvings : int
            As for `Drawing`.
        """
        check_color(self.color, rows.system)
        points = _points(self.trails, trails)
        scene = Scene(rows, points, reactions=False, stress=self.color == "stress", run=run)
        flexible = any(body.n_mode for body in rows.system.bodies)
        if self.scale == 1 or not flexible:
            return Drawing(scene, _pixels(self.size), self.color, halvings, view=self.view)
        large, gap = enlarged(rows, float(self.scale))
        note = f"bending \u00d7 {self.scale:g}" if self.scale else "bending is not drawn"
        if gap > _OPEN * rows.system.length:
            note += f", loops open by {gap:.2g} m"
        drawn = Scene(large, points, reactions=False)
        given = {"view": self.view, "drawn": drawn, "note": note}
        return Drawing(scene, _pixels(self.size), self.color, halvings, **given)


def _points(trails: Any, usual: Any) -> Any:
    points = usual if trails is None else trails
    if not isinstance(points, (list, tuple)) or not all(isinstance(x, str) for x in points):
        raise StateError(f"trails is {trails!r}; expected a list such as ['hand', 'boom.tip']")
    return points


def _seconds(given: Any, of_run: float) -> float:
    if given is None:
        return min(_LONGEST, max(_SHORTEST, of_run))
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0 < given <= 3600:
        raise StateError(f"duration is {given!r}; expected the playing time [s], a positive number")
    return float(given)


def _pixels(size: Any) -> tuple[int, int]:
    whole = isinstance(size, (tuple, list)) and all(isinstance(x, int) for x in size)
    if not whole or len(size) != 2 or not all(50 <= x <= 4000 for x in size):
        raise StateError(f"size is {size!r}; expected width and height in pixels, 50 to 4000 each")
    return size[0], size[1]
