"""Drawings in space."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plots.style import INK
from ..scene.camera import Space
from ..scene.shapes import divided
from .names import name_tags, overlap, write_names
from .shapes import rim
from .style import add_legend, draw_frames, draw_joints, halo, rasterized, shaded

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.text import Annotation

    from .picture import Drawing

# Walls, ticks and labels behind a drawing in space, placed in the plane of the picture.
#
# Matplotlib's own axes in space put labels at distances that depend on the extents of the box:
# those of long, thin mechanisms lie far away or on each other.

_GRID, _EDGE = "0.87", "0.62"
_TICK, _GAP = 3.0, 3.0  # lengths [point]
_SMALL, _LABEL = 7.0, 9.0  # sizes of letters [point]
_APART = 42.0  # smallest distance of two ticks [point]
_SHORTEST = 14.0  # length of an edge that has ticks [point]
LETTER = 0.62  # width of a letter over its size
MARGINS = (53.0, 38.0)  # for ticks and labels beside and below the box [point]


def draw_box(axes: Any, towards: Array, up: int, points_per_unit: float) -> list[Annotation]:
    """Draw the three walls behind the content of axes in space, with grid, ticks and labels.

    `axes`: axes with their final limits and view, whose own axes are switched off; `towards` (3,):
    direction to the camera.
    """
    low, high = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()]).T
    edges = [_edge(axes, k, low, high, outside_right=k == up) for k in range(3)]
    ticks = [
        _ticks(low[k], high[k], float(np.linalg.norm(seen[1] - seen[0])) * points_per_unit)
        for k, (_, seen, _) in enumerate(edges)
    ]
    for k in range(3):
        _draw_wall(axes, k, low, high, ticks, towards)
    texts: list[Annotation] = []
    for k, (ends, seen, out) in enumerate(edges):
        if np.linalg.norm(seen[1] - seen[0]) * points_per_unit < _SHORTEST:
            continue
        axes.plot(*ends.T, color=_EDGE, lw=0.8, zorder=1)
        texts += _write_edge(axes, k, ends, out, ticks[k], texts)
    return texts


def projected(axes: Any, points: Array) -> Array:
    """Points (n, 3) in the plane of the picture, (n, 2), in units of the projection."""
    from mpl_toolkits.mplot3d.proj3d import proj_transform

    return np.stack(proj_transform(*np.asarray(points).T, axes.get_proj())[:2], axis=1)


def _edge(
    axes: Any, k: int, low: Array, high: Array, *, outside_right: bool
) -> tuple[Array, Array, Array]:
    """Ends of the outermost edge along axis k, in space and projected; direction away from the box.

    The lowest edge, or of the vertical axis the one at the right.
    """
    a, b = (j for j in range(3) if j != k)
    best, outermost = -np.inf, None
    for x in (low[a], high[a]):
        for y in (low[b], high[b]):
            ends = np.empty((2, 3))
            ends[:, k], ends[:, a], ends[:, b] = (low[k], high[k]), x, y
            seen = projected(axes, ends)
            along = seen[1] - seen[0]
            out = np.array([along[1], -along[0]]) / max(float(np.linalg.norm(along)), 1e-300)
            towards = out[0] if outside_right else -out[1]
            out = out if towards >= 0 else -out
            if (place := float(out @ seen.mean(axis=0))) > best:
                best, outermost = place, (ends, seen, out)
    assert outermost is not None
    return outermost


def _ticks(low: float, high: float, length: float) -> Array:
    """Round numbers between two bounds, as many as find space on a length [point]."""
    from matplotlib.ticker import MaxNLocator

    if length < _SHORTEST:
        return np.zeros(0)
    n = int(np.clip(length / _APART, 1, 6))
    values = MaxNLocator(n, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    slack = 1e-9 * (high - low)
    return np.array([x for x in values if low - slack <= x <= high + slack])


def _draw_wall(
    axes: Any, k: int, low: Array, high: Array, ticks: list[Array], towards: Array
) -> None:
    """Frame and grid of the wall normal to axis k that is behind the content."""
    if abs(towards[k]) < 1e-6:
        return
    a, b = (j for j in range(3) if j != k)
    lines = []
    for along, across in ((a, b), (b, a)):
        for x in (low[across], *ticks[across], high[across]):
            line = np.empty((2, 3))
            line[:, k] = low[k] if towards[k] > 0 else high[k]
            line[:, along], line[:, across] = (low[along], high[along]), x
            lines.append(line)
    for line in lines:
        axes.plot(*line.T, color=_GRID, lw=0.6, zorder=0)


def _write_edge(
    axes: Any, k: int, ends: Array, out: Array, ticks: Array, others: list[Annotation]
) -> list[Annotation]:
    """Write numbers at the ticks of an edge, those that have space, and the name of the axis."""
    boxes = [_box(text) for text in others]
    texts: list[Annotation] = []
    words = _numbers(ticks)
    size = np.array([max((len(x) for x in words), default=0) * LETTER, 1.0]) * _SMALL
    for x, word in zip(ticks, words, strict=True):
        place = ends[0].copy()
        place[k] = x
        at = projected(axes, place[None])[0]
        text_size = np.array([len(word) * LETTER, 1.0]) * _SMALL
        text = _write(axes, word, at, out * (_TICK + _GAP + _half(text_size, out)), _SMALL)
        _mark(axes, at, out)
        if any(overlap(_box(text), box) for box in boxes):
            text.remove()
            continue
        boxes.append(_box(text))
        texts.append(text)
    middle = projected(axes, ends.mean(axis=0)[None])[0]
    text_size = np.array([5 * LETTER, 1.0]) * _LABEL
    far = _TICK + 2 * _GAP + 2 * _half(size, out) + _half(text_size, out)
    return [*texts, _write(axes, f"{'xyz'[k]} [m]", middle, out * far, _LABEL)]


def _half(size: Array, out: Array) -> float:
    """Half of the extent of a text in a direction."""
    return float(np.abs(out) @ size) / 2


def _write(axes: Any, word: str, at: Array, shift: Array, size: float) -> Annotation:
    text: Annotation = axes.annotate(
        word,
        tuple(at),
        xytext=tuple(shift),
        textcoords="offset points",
        ha="center",
        va="center_baseline",
        fontsize=size,
        color=INK,
        annotation_clip=False,
        zorder=1,
    )
    text.set_in_layout(False)
    return text


def _mark(axes: Any, at: Array, out: Array) -> None:
    """Draw a tick."""
    look = {"arrowstyle": "-", "color": _EDGE, "lw": 0.8, "shrinkA": 0.0, "shrinkB": 0.0}
    mark = axes.annotate(
        "", tuple(at), xytext=tuple(_TICK * out), textcoords="offset points",
        arrowprops=look, annotation_clip=False, zorder=1,
    )  # fmt: skip
    mark.set_in_layout(False)


def _box(text: Annotation) -> Array:
    """Left, bottom, right and top of a text [pixel]."""
    return np.asarray(text.get_window_extent().extents)


def _numbers(ticks: Array) -> list[str]:
    """Numbers with as many decimals as their distance needs."""
    if not len(ticks):
        return []
    step = np.diff(ticks).min() if len(ticks) > 1 else abs(ticks[0]) or 1.0
    n = max(0, *(_decimals(x) for x in (step, *(ticks if len(ticks) == 1 else ()))))
    return [f"{x + 0.0:.{n}f}".replace("-", "−") for x in ticks]


def _decimals(x: float) -> int:
    """Decimals that a round number needs, at most six."""
    return next((n for n in range(7) if abs(x * 10**n - round(x * 10**n)) < 1e-6), 6)


Array = np.ndarray

_THIN = 0.004  # radius over the extent of the drawing below which a rod has a centre line
_LARGE = 0.12  # edge of a face over the extent of the drawing
_LIGHT = np.array([0.4, -0.5, 0.8])
_BESIDE = np.array([2.0, 0.4])  # space for legend and title [inch]


def draw_space(figure: Figure, drawing: Drawing, view: Space) -> None:
    """Draw on a figure.

    `figure`: figure without axes.
    """
    axes = figure.add_subplot(projection="3d", proj_type="ortho", computed_zorder=False)
    axes.view_init(view.elevation, view.azimuth, vertical_axis=view.vertical)
    _draw_surfaces(axes, drawing, view.towards)
    for shape in drawing.shapes:
        axes.plot(*shape.dots.T, ".", color=shape.color, ms=3, zorder=3)
        for line in shape.lines:
            if shape.radius > _THIN * drawing.extent and len(line) > 2:
                continue  # of a rod that winds, it would hide what is in front
            width = 1.2 if len(shape.dots) else 2.6 if shape.bare else 1.8 if len(line) > 2 else 0.7
            axes.plot(*line.T, color=shape.color, lw=width, solid_capstyle="round", zorder=3)
    draw_joints(axes, drawing, view)
    if drawing.frames:
        draw_frames(axes, drawing, view)
    equal_box(axes, drawing.points)
    add_legend(figure, drawing)
    if drawing.turns:
        _fit_window(figure, axes, drawing)
    else:
        _fit_picture(figure, axes, drawing, view)


def _fit_window(figure: Figure, axes: Any, drawing: Drawing) -> None:
    """Size and names of a drawing that can be rotated: names at the centres of the bodies."""
    across, high = (max(x, 0.5) for x in figure.get_size_inches() - _BESIDE)
    side = min(across, high)
    fill(axes, 0.88 * across / side, 0.84 * high / side)
    places = [(b.name, s.middle) for b, s in zip(drawing.scene.bodies, drawing.shapes, strict=True)]
    places += [(name, x) for name, _, x in drawing.named_frames] if drawing.frames else []
    for name, at in places if drawing.names else ():
        axes.text(*at, f"  {name}", color=INK, path_effects=halo(), zorder=7)


def _fit_picture(figure: Figure, axes: Any, drawing: Drawing, view: Space) -> None:
    """Fill the picture with the box of the mechanism; walls, ticks and names around it."""
    axes.set_axis_off()
    limits, corners = _opened(axes)
    figure.draw_without_rendering()  # so that legend and title have their places
    pixel = figure.dpi / 72
    room = np.asarray(axes.get_position(original=True).bounds[2:]) * figure.bbox.size
    free = np.maximum(room - 2 * np.array(MARGINS) * pixel, 0.3 * room)
    seen = axes.transData.transform(projected(axes, corners))
    zoom = float((free / np.maximum(np.ptp(seen, axis=0), 1e-9)).min())
    axes.set_box_aspect([np.ptp(limit) for limit in limits], zoom=zoom)
    figure.set_layout_engine("none")
    axes.apply_aspect()
    per_unit = axes.bbox.width / axes.viewLim.width / pixel
    texts = draw_box(axes, view.towards, "xyz".index(view.vertical), per_unit)
    for artist in axes.lines:
        artist.set_clip_on(False)
    if drawing.names:
        text_boxes = [np.asarray(text.get_window_extent().extents) for text in texts]
        text_boxes += [np.asarray(x.get_window_extent().extents) for x in figure.legends]
        marks = projected(axes, np.array([j.place for j in drawing.joints]))
        write_names(axes, name_tags(drawing, partial(projected, axes)), marks, text_boxes)


def equal_box(axes: Any, points: Array, margin: float = 0.04) -> None:
    """Set limits and labels of axes in space, with equal scale in all directions.

    `points` (n, 3): points that must be visible.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    width = float((high - low).max()) or 1.0
    pad = np.maximum(margin * width, (0.12 * width - (high - low)) / 2)
    low, high = low - pad, high + pad
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low)
    axes.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
    for axis, size in zip((axes.xaxis, axes.yaxis, axes.zaxis), high - low, strict=True):
        axis.set_pane_color((1, 1, 1, 0))
        axis.line.set_color("#aaaaaa")
        axis.set_tick_params(labelsize=7, pad=0)
        axis.labelpad = 6
        axis.get_major_locator().set_params(
            nbins=1 if size < 0.2 * width else 2 if size < 0.45 * width else 5
        )


def fill(axes: Any, width: float, height: float) -> None:
    """Zoom so that the bounding box fills the drawing.

    `width`, `height`: fractions of the square of the axes that the box may fill.
    """
    limits, corners = _opened(axes)
    box, seen = np.ptp(projected(axes, corners), axis=0), axes.viewLim
    zoom = min(width * seen.width / box[0], height * seen.height / box[1])
    axes.set_box_aspect([np.ptp(limit) for limit in limits], zoom=zoom)


def _opened(axes: Any) -> tuple[list[Array], Array]:
    """Limits of axes in space, whose square no longer clips, and corners of the box (8, 3)."""
    for artist in (*axes.lines, *axes.collections):
        artist.set_clip_on(False)  # the square is narrower than the drawing
        artist.set_in_layout(False)
    limits = [axes.get_xlim(), axes.get_ylim(), axes.get_zlim()]
    return limits, np.array(np.meshgrid(*limits)).reshape(3, -1).T


def _draw_surfaces(axes: Any, drawing: Drawing, towards: Array) -> None:
    """Draw faces and sharp edges in one collection, which sorts them by depth.

    Only those that face the camera, unless the drawing can be rotated in a window.
    """
    from matplotlib.colors import to_rgb
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    drawn = drawing.drawn
    faces: list[Array] = []
    colors: list[Array] = []
    step = min(1e-3, 0.02 / len(drawn)) * drawing.extent * towards * (not drawing.turns)
    for k, shape in enumerate(drawn):
        a, b, c = shape.triangles.transpose(1, 0, 2)
        seen = shape.triangles[drawing.turns | (np.cross(b - a, c - a) @ towards > 0)]
        if len(drawn) > 1:
            seen = divided(seen, _LARGE * drawing.extent)  # large ones cannot be sorted by depth
        faces += list(seen + k * step)  # of faces that coincide one is in front
        colors.append(shaded(seen, shape.color, _LIGHT))
        edges = shape.edges[drawing.turns | np.any(shape.edge_normals @ towards > 1e-9, axis=1)]
        if shape.radius and not drawing.turns:  # of a rod that winds, to tell front from back
            edges = np.concatenate([edges, rim(shape.triangles, towards)])
        # shifted towards the camera, otherwise the faces of the body would cover half of them
        depth = 1.5 * shape.radius or np.ptp(shape.points @ towards) / 2
        nearer = 0.0 if drawing.turns else depth
        faces += list(edges[:, [0, 1, 1]] + nearer * towards + k * step)
        colors.append(np.tile(to_rgb(shape.color), (len(edges), 1)))
    if not faces:
        return
    look = {"facecolors": np.concatenate(colors), "edgecolors": np.concatenate(colors)}
    painted = Poly3DCollection(faces, **look, linewidths=0.5, zorder=2)
    painted.set_rasterized(rasterized(sum(len(shape.triangles) for shape in drawn)))
    axes.add_collection3d(painted)
