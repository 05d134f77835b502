"""Pictures and animated GIFs of a scene: its triangles, painted from far to near."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResultError
from ..results.files.disk import PathLike, as_path, replacing
from .options import SHOWN, GifOptions, ImageOptions
from .scene.bodies import EARTH, SceneBody
from .scene.camera import direction, seen_from
from .scene.contact_shapes import Plate
from .scene.frames import frames_of, with_scaled_modes
from .scene.scene import Scene, outermost
from .scene.shapes import divided
from .scene.values import check_color, stress_at_nodes

if TYPE_CHECKING:
    from PIL.Image import Image

    from ..results.trajectory import Trajectory

_LONGEST, _SHORTEST = 10.0, 1.0  # s, limits of the default duration
_OPEN = 1e-3  # gap of loops, in lengths of the system, that is told
_FRAMES = 200  # within which a picture has its place


def write_gif(run: Trajectory, path: PathLike, **options: Any) -> None:
    """Write an animated GIF of a run; `options` are those of `GifOptions`."""
    chosen, name = GifOptions(**options), _checked(path, ".gif")
    rows = frames_of(run, chosen.frames)
    seconds = chosen.duration
    if seconds is None:
        seconds = min(_LONGEST, max(_SHORTEST, float(np.ptp(rows.time))))
    drawing = raster(chosen, rows, outermost(rows, 3), run)
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


def write_image(run: Trajectory, path: PathLike, time: Any, **options: Any) -> None:
    """Write a picture of a run at one instant; see `Trajectory.to_image`."""
    chosen, name = ImageOptions(**options), _checked(path, ".png")
    moment = run.sample([time])
    rows = frames_of(run, _FRAMES)
    before = rows.time[rows.time < moment.time[0]]
    rows = run.sample([*before, moment.time[0], *rows.time[rows.time > moment.time[0]]])
    picture = raster(chosen, rows, (), run, halvings=2).picture(len(before))
    with replacing(name) as temporary:
        picture.save(temporary, format="PNG")


def _checked(path: PathLike, ending: str) -> str:
    name = as_path(path)
    if not name.endswith(ending):
        raise ResultError(f"path is {name!r}; expected a name that ends in {ending}")
    return name


def raster(
    options: ImageOptions,
    rows: Trajectory,
    trails: Sequence[str],
    run: Trajectory,
    halvings: int = 0,
) -> Raster:
    """Images of frames; `trails` if the options have none."""
    check_color(options.color, rows.system)
    points = trails if options.trails is None else options.trails
    scene = Scene(rows, points, stress=options.color == "stress", run=run)
    scale, drawn, note = options.scale, None, ""
    if scale != 1 and any(body.n_mode for body in rows.system.bodies):
        large, gap = with_scaled_modes(rows, float(scale))
        drawn = Scene(large, points)
        note = f"bending \u00d7 {scale:g}" if scale else "bending is not drawn"
        if gap > _OPEN * rows.system.length:
            note += f", loops open by {gap:.2g} m"
    return Raster(scene, options, drawn=drawn, note=note, halvings=halvings)


Array = np.ndarray

_BACK, _PATH = "#f3f5f8", "#d55e00"
_DPI = 100
_BEHIND = 1e3  # by which plates are behind what stands on them, in diagonals of the picture
_LARGE = 0.06  # edge of a triangle of the ground over the diagonal of the picture


class Raster:
    """Images of a scene from a fixed camera.

    `drawn`: scene with enlarged deformations, whose colours are those of `scene`; `note`: words
    beside the time; `halvings`: how often triangles are divided for the sake of their colours.
    """

    def __init__(
        self,
        scene: Scene,
        options: ImageOptions,
        *,
        drawn: Scene | None = None,
        note: str = "",
        halvings: int = 0,
    ) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import PolyCollection
        from matplotlib.figure import Figure

        size, color = options.size, options.color
        self.scene, self.color, self.halvings = scene, color, halvings
        self.drawn, self.note = drawn or scene, note
        low, high = self.drawn.low, self.drawn.high
        self.view = seen_from(direction(options.view, scene.up, low, high), scene.up)
        figure = Figure(figsize=(size[0] / _DPI, size[1] / _DPI), dpi=_DPI, facecolor=_BACK)
        self._canvas = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        self._fit(axes, size)
        self._lines = [axes.plot([], [], color=_PATH, lw=1.2, alpha=0.6)[0] for _ in scene.trails]
        self._faces: Any = axes.add_collection(PolyCollection([], linewidths=0.3))
        self._clock = axes.text(0.02, 0.03, "", transform=axes.transAxes, color="0.35", fontsize=9)
        paths = (self.drawn.rows[f"{where}.position"] for where in scene.trails)
        self._paths = [self.view(path) for path in paths]
        self._paints = [_paints(body) for body in self.drawn.bodies]
        self._ground = _ground(self.drawn, self.view.towards, grey=bool(color))
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
        corners, paints, shift = [self._ground[0]], [self._ground[1]], self._ground[2]
        for i, colors in enumerate(self._paints):
            faces = self.drawn.corners(frame, i)[self.drawn.bodies[i].whole.triangles]
            if self.color:
                faces, colors = self._colored(frame, i, faces)
            corners.append(faces)
            paints.append(colors)
        faces, paint, toward = np.concatenate(corners), np.concatenate(paints), self.view.towards
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        length = np.linalg.norm(normals, axis=1)
        seen = normals @ toward > 1e-9 * length
        depth = (faces @ toward).mean(axis=1)
        depth[: len(shift)] += shift
        faces, paint, depth = faces[seen], paint[seen], depth[seen]
        normals = normals[seen] / length[seen, None]
        light = 0.7 * toward + 0.65 * self.view.up - 0.45 * self.view.right
        bright = 0.5 + 0.55 * np.clip(normals @ (light / np.linalg.norm(light)), 0.0, 1.0)
        order = np.argsort(depth)
        return self.view(faces[order]), np.clip(paint * bright[:, None], 0.0, 1.0)[order]

    def _colored(self, frame: int, i: int, faces: Array) -> tuple[Array, Array]:
        """Triangles of body i and their colours by what they show; grey if it has no such thing."""
        from matplotlib import colormaps

        body = self.drawn.bodies[i]
        if self.color == "stress":
            values = self._stress[i][frame, None] if i in self._stress else None
        else:
            values = body.shown(self.scene.modes[i][frame, None]).get(self.color or "")
        if values is None or not self._largest:
            return faces, np.full((len(faces), 3), 0.63)
        at = np.empty(len(body.body.node_positions))
        at[body.nodes] = values[0] / self._largest
        nodes = body.whole.nodes[body.whole.triangles]
        both = np.concatenate([faces, at[nodes][..., None]], axis=2)
        for _ in range(self.halvings):
            both = _halved(both)
        return both[..., :3], np.asarray(colormaps["viridis"](both[..., 3].mean(axis=1)))[:, :3]

    def _fit(self, axes: Any, size: tuple[int, int]) -> None:
        ends = np.array([self.drawn.low, self.drawn.high])
        box = np.array([[a, b, c] for a in ends[:, 0] for b in ends[:, 1] for c in ends[:, 2]])
        flat = self.view(box)
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


def _paints(body: SceneBody) -> Array:
    """Colours (n, 3) of the triangles of a body."""
    paints = []
    for piece in body.surfaces:
        text = piece.color or body.color
        paints.append(np.tile(_rgb(text), (len(piece.triangles), 1)))
    return np.concatenate(paints)


def _ground(scene: Scene, towards: Array, *, grey: bool) -> tuple[Array, Array, Array]:
    """Triangles (n, 3, 3) of the shapes of the world, colours, and by how much they are nearer.

    They are small, for their order; plates are behind all else, or seen from below in front.
    """
    size = float(np.linalg.norm(scene.high - scene.low))
    faces, paints, shifts = [np.zeros((0, 3, 3))], [np.zeros((0, 3))], [np.zeros(0)]
    for piece in scene.ground:
        faces.append(divided(piece.offsets[piece.triangles], _LARGE * size))
        nearer = _BEHIND * size if isinstance(piece, Plate) else 0.0
        if nearer and piece.normal @ towards > 0:  # type: ignore[attr-defined]
            nearer = -nearer
        shifts.append(np.full(len(faces[-1]), nearer))
        paint = _rgb(EARTH if grey or piece.color is None else piece.color)
        paints.append(np.tile(paint, (len(faces[-1]), 1)))
    return np.concatenate(faces), np.concatenate(paints), np.concatenate(shifts)


def _rgb(text: str) -> list[float]:
    """Red, green and blue of a color "#rrggbb", 0 to 1."""
    return [int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)]
