"""Simple rendering of a scene: triangles from far to near, lit from above the camera."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scene.camera import across, direction
from ..scene.motion import Scene
from ..scene.rods import SHOWN
from ..scene.stresses import stress_at_nodes

if TYPE_CHECKING:
    from PIL.Image import Image

Array = np.ndarray

_BACK, _PATH = "#f3f5f8", "#d55e00"
_DPI = 100


class Drawing:
    """Images of a scene from a fixed camera.

    Parameters
    ----------
    scene : Scene
        Scene to draw.
    size : (int, int)
        Width and height [pixels].
    color : str, optional
        What the colours of flexible bodies show, one of `SHOWN`.
    halvings : int
        How often the sides of triangles are halved for finer colours.
    view : None, {"3d", "xy", "xz", "yz"} or pair of float
        Direction of view.
    drawn : Scene, optional
        Scene with enlarged deformations in place of the true ones, from which colours come.
    note : str
        Text beside the time.
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
                faces, colors = self._shown(frame, i, colors, triangles, faces)
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

    def _shown(
        self, frame: int, i: int, colors: Array, triangles: Array, faces: Array
    ) -> tuple[Array, Array]:
        """Triangles of body i and their colours by what they show; grey if it has no such thing."""
        from matplotlib import colormaps

        body = self.drawn.bodies[i]
        if self.color == "stress":
            found = self._stress[i][frame, None] if i in self._stress else None
        else:
            found = body.shown(self.scene.modes[i][frame, None]).get(self.color or "")
        if found is None or not self._largest:
            return faces, np.full_like(colors, 0.63)
        at = np.empty(len(body.body.node_positions))
        at[body.nodes] = found[0] / self._largest
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
    found, colors, start = [], [], 0
    for piece in body.surfaces:
        text = piece.color or body.color
        paint = [int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        found.append(piece.triangles + start)
        colors.append(np.tile(paint, (len(piece.triangles), 1)))
        start += len(piece.offsets)
    return np.concatenate(found), np.concatenate(colors)
