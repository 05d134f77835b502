"""Animated GIFs: the scene of the animated view, drawn frame by frame."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ResultError, StateError
from ...results.files.disk import PathLike, as_path, replacing
from ..scene.camera import across, check_view, direction
from ..scene.enlarged import check_scale, with_scaled_modes
from ..scene.frame_times import frames_of
from ..scene.motion import Scene, outermost
from ..scene.rods import SHOWN, check_color
from ..scene.stresses import stress_at_nodes

if TYPE_CHECKING:
    from PIL.Image import Image

    from ...results.trajectory import Trajectory

_LONGEST, _SHORTEST = 10.0, 1.0  # s, limits of the default duration
_MOST = 1000  # frames
_OPEN = 1e-3  # gap of loops, in lengths of the system, that is told
_FRAMES = 200  # within which a picture has its place


def write_gif(
    run: Trajectory, path: PathLike, *, frames: int, duration: float | None, **look: Any
) -> None:
    """Write an animated GIF of a run.

    `duration`: playing time [s].
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
    """Options of pictures."""

    size: Any  # width and height [pixels]
    trails: Any = None  # points whose paths are drawn
    color: Any = None  # what the colours of flexible bodies show
    scale: Any = 1.0  # factor by which deformations are enlarged
    view: Any = None  # direction of view

    def __post_init__(self) -> None:
        _pixels(self.size)
        check_color(self.color)
        check_scale(self.scale)
        check_view(self.view)

    def drawing(self, rows: Trajectory, trails: Any, run: Trajectory, halvings: int = 0) -> Drawing:
        """Drawing of frames."""
        check_color(self.color, rows.system)
        points = _points(self.trails, trails)
        scene = Scene(rows, points, reactions=False, stress=self.color == "stress", run=run)
        flexible = any(body.n_mode for body in rows.system.bodies)
        if self.scale == 1 or not flexible:
            return Drawing(scene, _pixels(self.size), self.color, halvings, view=self.view)
        large, gap = with_scaled_modes(rows, float(self.scale))
        note = f"bending \u00d7 {self.scale:g}" if self.scale else "bending is not drawn"
        if gap > _OPEN * rows.system.length:
            note += f", loops open by {gap:.2g} m"
        drawn = Scene(large, points, reactions=False)
        options = {"view": self.view, "drawn": drawn, "note": note}
        return Drawing(scene, _pixels(self.size), self.color, halvings, **options)


def _points(trails: Any, usual: Any) -> Any:
    points = usual if trails is None else trails
    if not isinstance(points, (list, tuple)) or not all(isinstance(x, str) for x in points):
        raise StateError(f"trails is {trails!r}; expected a list such as ['hand', 'boom.tip']")
    return points


def _seconds(duration: Any, of_run: float) -> float:
    if duration is None:
        return min(_LONGEST, max(_SHORTEST, of_run))
    if (
        isinstance(duration, bool)
        or not isinstance(duration, (int, float))
        or not 0 < duration <= 3600
    ):
        raise StateError(
            f"duration is {duration!r}; expected the playing time [s], a positive number"
        )
    return float(duration)


def _pixels(size: Any) -> tuple[int, int]:
    whole = isinstance(size, (tuple, list)) and all(isinstance(x, int) for x in size)
    if not whole or len(size) != 2 or not all(50 <= x <= 4000 for x in size):
        raise StateError(f"size is {size!r}; expected width and height in pixels, 50 to 4000 each")
    return size[0], size[1]


Array = np.ndarray

_BACK, _PATH = "#f3f5f8", "#d55e00"
_DPI = 100


class Drawing:
    """Images of a scene from a fixed camera.

    `size` (int, int): width and height [pixels]; `view`: direction of view.
    """

    def __init__(
        self,
        scene: Scene,
        size: tuple[int, int],
        color: str | None = None,
        halvings: int = 0,
        *,
        view: Any = None,
        drawn: Scene | None = None,
        note: str = "",
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import PolyCollection
        from matplotlib.figure import Figure

        self.scene, self.color, self.halvings = scene, color, halvings
        self.drawn, self.note = drawn or scene, note
        low, high = self.drawn.low, self.drawn.high
        self.toward = direction(view, scene.up, low, high)
        self.right, self.top = across(self.toward, scene.up)
        figure = Figure(figsize=(size[0] / _DPI, size[1] / _DPI), dpi=_DPI, facecolor=_BACK)
        self._canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        self._fit(axes, size)
        self._lines = [axes.plot([], [], color=_PATH, lw=1.2, alpha=0.6)[0] for _ in scene.trails]
        self._faces: Any = axes.add_collection(PolyCollection([], linewidths=0.3))
        self._clock = axes.text(0.02, 0.03, "", transform=axes.transAxes, color="0.35", fontsize=9)
        paths = (self.drawn.rows[f"{where}.position"] for where in scene.trails)
        self._paths = [self._flat(path) for path in paths]
        self._triangles = [_triangles(body) for body in self.drawn.bodies]
        self._largest = scene.largest(scene.rows)[color] if color else 0.0
        stresses = scene.stressed if color == "stress" else []
        shown = ((i, self.drawn.bodies[i]) for i in stresses)
        self._stress = {i: stress_at_nodes(scene.rows, i, x.nodes, x.body) for i, x in shown}
        if color:
            self._legend(figure, color)

    def _legend(self, figure: Any, color: str) -> None:
        """Bar of the colours, with the values at its ends."""
        from matplotlib import colormaps

        bar = figure.add_axes((0.66, 0.045, 0.16, 0.022))
        bar.imshow(np.linspace(0, 1, 128)[None], aspect="auto", cmap=colormaps["viridis"])
        bar.set_axis_off()
        value, unit = scaled(self._largest, SHOWN[color])
        name = "von Mises stress" if color == "stress" else color
        words = {"color": "0.35", "fontsize": 9, "va": "center"}
        figure.text(0.65, 0.055, "0", ha="right", **words)
        figure.text(0.83, 0.055, f"{value:.3g} {unit}", ha="left", **words)
        figure.text(0.74, 0.085, name, ha="center", **words)

    def picture(self, frame: int) -> Image:
        """Image of a frame."""
        from PIL import Image as Images

        flat, colors = self._visible(frame)
        self._faces.set_verts(flat)
        self._faces.set_facecolor(colors)
        self._faces.set_edgecolor(colors)
        for line, path in zip(self._lines, self._paths, strict=True):
            line.set_data(path[: frame + 1, 0], path[: frame + 1, 1])
        time = _clock(self.scene.rows.time, frame)
        self._clock.set_text(", ".join(x for x in (time, self.note) if x))
        self._canvas.draw()
        return Images.fromarray(np.asarray(self._canvas.buffer_rgba())[..., :3].copy())

    def _visible(self, frame: int) -> tuple[Array, Array]:
        """Triangles that face the camera, from far to near (n, 3, 2), and their colours (n, 3)."""
        corners, paints = [], []
        for i, (triangles, colors) in enumerate(self._triangles):
            faces = self.drawn.corners(frame, i)[triangles]
            if self.color:
                faces, colors = self._colored(frame, i, colors, triangles, faces)
            corners.append(faces)
            paints.append(colors)
        faces, paint = np.concatenate(corners), np.concatenate(paints)
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        length = np.linalg.norm(normals, axis=1)
        seen = normals @ self.toward > 1e-9 * length
        faces, paint = faces[seen], paint[seen]
        normals = normals[seen] / length[seen, None]
        light = 0.7 * self.toward + 0.65 * self.top - 0.45 * self.right
        bright = 0.5 + 0.55 * np.clip(normals @ (light / np.linalg.norm(light)), 0.0, 1.0)
        order = np.argsort((faces @ self.toward).mean(axis=1))
        return self._flat(faces[order]), np.clip(paint * bright[:, None], 0.0, 1.0)[order]

    def _colored(
        self, frame: int, i: int, colors: Array, triangles: Array, faces: Array
    ) -> tuple[Array, Array]:
        """Triangles of body i and their colours by what they show; grey if it has no such thing."""
        from matplotlib import colormaps

        body = self.drawn.bodies[i]
        if self.color == "stress":
            values = self._stress[i][frame, None] if i in self._stress else None
        else:
            values = body.shown(self.scene.modes[i][frame, None]).get(self.color or "")
        if values is None or not self._largest:
            return faces, np.full_like(colors, 0.63)
        at = np.empty(len(body.body.node_positions))
        at[body.nodes] = values[0] / self._largest
        nodes = np.concatenate([piece.nodes for piece in body.surfaces])
        both = np.concatenate([faces, at[nodes[triangles]][..., None]], axis=2)
        for _ in range(self.halvings):
            both = _halved(both)
        return both[..., :3], np.asarray(colormaps["viridis"](both[..., 3].mean(axis=1)))[:, :3]

    def _flat(self, points: Array) -> Array:
        return np.stack([points @ self.right, points @ self.top], axis=-1)

    def _fit(self, axes: Any, size: tuple[int, int]) -> None:
        ends = np.array([self.drawn.low, self.drawn.high])
        box = np.array([[a, b, c] for a in ends[:, 0] for b in ends[:, 1] for c in ends[:, 2]])
        flat = self._flat(box)
        low, high = flat.min(axis=0), flat.max(axis=0)
        half = np.maximum((high - low) / 2, 1e-3 * self.scene.system.length)
        half = 1.06 * max(half[0] / size[0], half[1] / size[1]) * np.array(size)
        middle = (low + high) / 2
        axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
        axes.set_ylim(middle[1] - half[1], middle[1] + half[1])


def _clock(times: Array, frame: int) -> str:
    """Time of a frame, with as many decimal places as the duration asks for."""
    duration = float(np.ptp(times))
    places = 3 - math.floor(math.log10(duration)) if 0 < duration < 1 else 2
    return f"{times[frame]:.{min(places, 9) if duration < 1000 else 0}f} s"


def scaled(value: float, unit: str) -> tuple[float, str]:
    """Value in a unit that suits it: stresses in kPa or MPa, short lengths in mm."""
    if unit == "Pa" and value >= 1e4:
        return (value / 1e6, "MPa") if value >= 1e5 else (value / 1e3, "kPa")
    return (1000 * value, "mm") if unit == "m" and value < 1 else (value, unit)


def _halved(corners: Array) -> Array:
    """Four triangles for each, by the middles of the sides; (n, 3, k) to (4 n, 3, k)."""
    a, b, c = np.moveaxis(corners, 1, 0)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.concatenate([np.stack(part, axis=1) for part in parts])


def _triangles(body: Any) -> tuple[Array, Array]:
    """Triangles of all surfaces of a body, numbered as in `Scene.corners`, and their colours."""
    triangles, colors, start = [], [], 0
    for piece in body.surfaces:
        text = piece.color or body.color
        paint = [int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        triangles.append(piece.triangles + start)
        colors.append(np.tile(paint, (len(piece.triangles), 1)))
        start += len(piece.offsets)
    return np.concatenate(triangles), np.concatenate(colors)
