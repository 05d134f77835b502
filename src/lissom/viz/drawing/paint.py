"""Colours, legends and labels, shared by drawings in a plane and in space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .symbols import ground_marker, marker, symbol_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .picture import PictureScene

Array = np.ndarray

AXIS_COLORS = ("#D55E00", "#009E73", "#0072B2")
_NARROW, _ENTRY = 4.8, 1.9  # widths of a picture with the legend below, and of its entries [inch]
_MANY = 400  # triangles; more are rasterized in vector files
_LIGHT, _SHADE = 0.7, 0.45  # fraction of white in the colour of a face, in light and in shade


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


def add_legend(figure: Figure, scene: PictureScene) -> None:
    """Add a legend of the symbols used, next to the drawing."""
    from matplotlib.lines import Line2D

    kinds: dict[str, dict[str, Any]] = {}
    for j in scene.joints:
        words = symbol_name(j.joint) + (", closes a loop" if j.closing else "")
        kinds.setdefault(words, marker(j.joint, size=7.0, closing=j.closing))
    if any(scene.is_grounded(j) for j in scene.joints):
        kinds["ground"] = ground_marker(4.5)
    handles = [Line2D([], [], **look) for look in kinds.values()]
    width = float(figure.get_size_inches()[0])
    place: dict[str, Any] = {"loc": "outside right upper", "labelspacing": 0.7}
    if width < _NARROW:
        place = {"loc": "outside lower left", "ncols": max(1, int(width / _ENTRY))}
    if handles:
        figure.legend(handles, list(kinds), **place)
