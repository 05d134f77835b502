"""Symbols of joints and of the ground, colours and legend, in a plane and in space alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...joints import Joint
from ..plots.style import INK
from ..scene.camera import Flat, Space

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .picture import Drawing
    from .shapes import PlacedJoint

Array = np.ndarray

CLOSING = "#D55E00"
AXIS_COLORS = ("#D55E00", "#009E73", "#0072B2")
_NARROW, _ENTRY = 4.8, 1.9  # widths of a picture with the legend below, and of its entries [inch]
_MANY = 400  # triangles; more are rasterized in vector files
_LIGHT, _SHADE = 0.7, 0.45  # fraction of white in the colour of a face, in light and in shade


def symbol_name(joint: Joint) -> str:
    """What the legend calls a joint."""
    return type(joint).__name__.removesuffix("Joint").lower() + (
        " joint" if type(joint).__name__.endswith("Joint") else ""
    )


def marker(joint: Joint, *, size: float, closing: bool, angle: float = 0.0) -> dict[str, Any]:
    """How Matplotlib marks a joint.

    `size`: of a revolute joint [point]; `angle`: direction of a slide in the picture [rad].
    """
    from matplotlib.markers import MarkerStyle
    from matplotlib.transforms import Affine2D

    shape, filled, factor, along, _ = joint.symbol
    color = CLOSING if closing else INK
    look: Any = shape
    if along:
        look = MarkerStyle(shape, transform=Affine2D().scale(1.7, 0.8).rotate(angle))
    return {
        "marker": look,
        "markersize": factor * size,
        "markerfacecolor": color if filled else "white",
        "markeredgecolor": color,
        "markeredgewidth": max(0.8, size / 6),
        "linestyle": "none",
    }


def ground_marker(size: float) -> dict[str, Any]:
    """A support under a point: triangle, line and hatching.

    `size`: of a revolute joint [point].
    """
    from matplotlib.path import Path

    strokes = [[(0, 0), (-0.8, -1.3), (0.8, -1.3), (0, 0)], [(-1.3, -1.3), (1.3, -1.3)]]
    strokes += [[(x, -1.3), (x - 0.4, -1.75)] for x in (-0.8, -0.2, 0.4, 1.0)]
    points = [p for stroke in strokes for p in stroke]
    codes = [Path.MOVETO if k == 0 else Path.LINETO for s in strokes for k in range(len(s))]
    return {
        "marker": Path(points, codes),
        "markersize": 3.2 * size,
        "markerfacecolor": "none",
        "markeredgecolor": "0.47",
        "markeredgewidth": 0.9,
        "linestyle": "none",
    }


def axis_lines(placed: PlacedJoint, length: float) -> list[Array]:
    """Lines (2, 3) along the axes about which, and along which, a joint moves.

    `length`: half of theirs [m].
    """
    if not placed.joint.symbol.axes:
        return []
    lines, middle = [], placed.outboard[1]
    for column in placed.axes.T:
        turn, slide = column[:3], column[3:]
        along = turn if np.linalg.norm(turn) > 1e-9 else slide
        half = length * along / np.linalg.norm(along)
        lines.append(np.stack([middle - half, middle + half]))
    return lines


def rasterized(n: int) -> bool:
    """Whether n triangles are too many for a vector file."""
    return n > _MANY


def tint(color: str, white: float = _LIGHT) -> Array:
    """RGB colour mixed with white."""
    from matplotlib.colors import to_rgb

    return (1 - white) * np.array(to_rgb(color)) + white


def shaded(triangles: Array, color: str, towards: Array) -> Array:
    """Colours (n, 3) of triangles, darker if they face away from the light.

    `triangles` (n, 3, 3): corners in the world; `towards` (3,): direction to the light.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    lit = (1 + normals @ (towards / np.linalg.norm(towards)))[:, None] / 2
    return np.asarray(lit * tint(color) + (1 - lit) * tint(color, _SHADE))


def halo() -> list[Any]:
    """White outline of text on a drawing."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=2.2, foreground="white")]


def add_legend(figure: Figure, drawing: Drawing) -> None:
    """Add a legend of the symbols used, next to the drawing."""
    from matplotlib.lines import Line2D

    kinds: dict[str, dict[str, Any]] = {}
    for j in drawing.joints:
        words = symbol_name(j.joint) + (", closes a loop" if j.closing else "")
        kinds.setdefault(words, marker(j.joint, size=7.0, closing=j.closing))
    if any(drawing.is_grounded(j) for j in drawing.joints):
        kinds["ground"] = ground_marker(4.5)
    handles = [Line2D([], [], **look) for look in kinds.values()]
    width = float(figure.get_size_inches()[0])
    place: dict[str, Any] = {"loc": "outside right upper", "labelspacing": 0.7}
    if width < _NARROW:
        place = {"loc": "outside lower left", "ncols": max(1, int(width / _ENTRY))}
    if handles:
        figure.legend(handles, list(kinds), **place)


def draw_joints(axes: Any, drawing: Drawing, view: Flat | Space) -> None:
    """Draw the symbols of joints and of the ground, their axes, and gaps of slides and loops."""
    flat, size = isinstance(view, Flat), drawing.symbol_size
    open_color, width, zorder = ("0.47", 1.1, 4.5) if flat else (INK, 1.0, 4.0)
    for j in drawing.joints:
        ends = np.stack([j.inboard[1], j.outboard[1]])
        color = CLOSING if j.closing else open_color
        gap = np.linalg.norm(np.diff(ends, axis=0)) > 1e-4 * drawing.extent
        if gap and (flat or j.joint.n_v < 6):
            style = (0, (3, 2)) if j.closing else (0, (1, 1.5))
            axes.plot(*view(ends).T, color=color, ls=style, lw=width, zorder=zorder)
        for line in () if flat else axis_lines(j, 0.0035 * size * drawing.extent):
            axes.plot(*line.T, color=color, lw=0.9, zorder=4.2)
        if drawing.is_grounded(j):
            under = ends[:1] if j.carrier < 0 else ends[1:]
            axes.plot(*view(under).T, **ground_marker(size), zorder=4, clip_on=False)
        angle = 0.0
        if flat and j.joint.symbol.along:
            x, y = view(j.axes[3:, 0])
            angle = float(np.arctan2(y, x))
        look = marker(j.joint, size=size if flat else 0.8 * size, closing=j.closing, angle=angle)
        axes.plot(*view(j.place[None]).T, **look, zorder=5, clip_on=False)


def draw_frames(axes: Any, drawing: Drawing, view: Flat | Space) -> None:
    """Draw the axes of bodies and of named frames."""
    length = (0.07 if isinstance(view, Flat) else 0.06) * drawing.extent
    for rotation, position in drawing.axes:
        for k, color in enumerate(AXIS_COLORS):
            line = np.stack([position, position + length * rotation[:, k]])
            axes.plot(*view(line).T, color=color, lw=1.4, zorder=6)
