"""Animated GIFs: the scene of the animated view, drawn frame by frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ResultError, StateError
from ...results.files.disk import PathLike, as_path, replacing
from ..scene.instants import frames_of
from ..scene.motion import Scene, outermost
from ..scene.rods import check_color
from .rendering import Drawing

if TYPE_CHECKING:
    from ...results.trajectory import Trajectory

_LONGEST, _SHORTEST = 10.0, 1.0  # s, limits of the default duration
_MOST = 1000  # frames
_FRAMES = 200  # of which a picture takes the scale of its colours


def write_gif(
    run: Trajectory,
    path: PathLike,
    *,
    frames: int,
    duration: float | None,
    size: Any,
    trails: Any,
    color: Any,
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
    size : pair of int
        Width and height [pixels].
    trails : sequence of str, optional
        Points whose paths are drawn.
    color : {"deflection", "stress", "curvature", "moment"}, optional
        What the colours of flexible bodies show.
    """
    name = as_path(path)
    if not name.endswith(".gif"):
        raise ResultError(f"path is {name!r}; expected a name that ends in .gif")
    if isinstance(frames, bool) or not isinstance(frames, int) or not 2 <= frames <= _MOST:
        raise StateError(f"frames is {frames!r}; expected a whole number, 2 to {_MOST}")
    rows = frames_of(run, frames)
    seconds = _seconds(duration, float(np.ptp(rows.time)))
    points = _points(trails, outermost(rows, 3))
    check_color(color, run.system)
    scene = Scene(rows, points, reactions=False, stress=color == "stress")
    drawing = Drawing(scene, _pixels(size), color)
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


def write_image(
    run: Trajectory, path: PathLike, time: Any, *, size: Any, trails: Any, color: Any
) -> None:
    """Write a picture of a run at one instant; see `Trajectory.to_image`."""
    name = as_path(path)
    if not name.endswith(".png"):
        raise ResultError(f"path is {name!r}; expected a name that ends in .png")
    check_color(color, run.system)
    points = _points(trails, ())
    moment = run.sample([time])
    # scales of colours are those of the whole run
    rows = frames_of(run, _FRAMES)
    before = rows.time[rows.time < moment.time[0]]
    rows = run.sample([*before, moment.time[0], *rows.time[rows.time > moment.time[0]]])
    scene = Scene(rows, points, reactions=False, stress=color == "stress")
    picture = Drawing(scene, _pixels(size), color, halvings=2).picture(len(before))
    with replacing(name) as temporary:
        picture.save(temporary, format="PNG")


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
