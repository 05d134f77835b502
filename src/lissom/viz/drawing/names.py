"""Names in drawings: beside what they name, and not on each other, on symbols or over the edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..plots.style import INK
from .style import halo

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .picture import Drawing

Array = np.ndarray

_SIZE = 9.0  # of the letters [point]
_NEAR = 11.0  # distance from the middle of a body [point]
_DISTANCES = (1.0, 1.7, 2.6, 3.8, 5.2, 7.0, 9.0, 12.0, 16.0)
_TURNS = np.radians([0, 180, 45, -45, 90, -90, 135, -135, 22, -22, 158, -158, 67, -67, 112, -112])
_LINE = 2.2  # distance over `_NEAR` from which a line leads from the name to the body
_CELL = 4.0  # of the grid on which bodies are entered [pixel]
_SYMBOL = 5.0  # half of the size of a joint's symbol [point]
# Costs of a place: on a name or over the edge; on a symbol; on a line that leads to another name;
# on other bodies; on the body itself; for each distance.
_TEXT, _MARK, _LEADER, _OTHER, _OWN, _FAR = 1e4, 60.0, 40.0, 12.0, 4.0, 5.0


@dataclass(frozen=True, eq=False)
class NameTag:
    """A name and what it names, in the coordinates of the axes' plane."""

    name: str
    middle: Array  # (2,) point next to which it is label
    points: Array  # (n, 2) outline of the thing


def name_tags(drawing: Drawing, seen: Callable[[Array], Array]) -> list[NameTag]:
    """Names of bodies, and of frames whose axes are drawn."""
    tags = [
        NameTag(body.name, seen(shape.middle[None])[0], seen(shape.points))
        for body, shape in zip(drawing.scene.bodies, drawing.shapes, strict=True)
    ]
    if drawing.frames:
        places = ((name, seen(origin[None])) for name, _, origin in drawing.named_frames)
        tags += [NameTag(name, points[0], points) for name, points in places]
    return tags


def write_names(axes: Axes, tags: list[NameTag], symbols: Array, text_boxes: list[Array]) -> None:
    """Write names.

    `symbols` (n, 2): places of symbols that should stay visible, in the coordinates of the plane;
    `text_boxes` (4,): left, bottom, right and top of texts that are there already [pixel].
    """
    figure: Any = axes.figure
    pixels = figure.dpi / 72
    to_pixels = axes.transData.transform
    marks = to_pixels(symbols) if len(symbols) else np.zeros((0, 2))
    outlines = [_filled(to_pixels(one.points)) for one in tags]
    middles = np.array([to_pixels(one.middle) for one in tags]).reshape(-1, 2)
    page = _Page(np.array(figure.bbox.size), outlines, marks, _SYMBOL * pixels, list(text_boxes))
    near = np.linalg.norm(middles[:, None] - middles, axis=2) < 8 * _NEAR * pixels
    for k in np.argsort(-near.sum(axis=1), kind="stable"):
        one, middle = tags[k], middles[k]
        size = _size(axes, one.name)
        best, chosen = np.inf, None
        for j, (shift, distance) in enumerate(_places(outlines[k], size / pixels)):
            if best <= _FAR * (distance - 1):
                break
            center = middle + pixels * shift
            box = np.concatenate([center - size / 2 - 1, center + size / 2 + 1])
            cost = _FAR * (distance - 1) + 0.01 * j + page.cost(box, k)
            if cost < best:
                best, chosen = cost, (shift, box, distance)
        assert chosen is not None
        shift, box, distance = chosen
        leads = distance >= _LINE or page.is_nearer_to_others(box, k)
        page.take(box, middle if leads else None)
        _write(axes, one, shift, leads=leads)


class _Page:
    """What is where in a picture, in pixels: outlines of bodies on a grid, symbols, texts.

    `size` (2,): width and height of the picture; `outlines` (n, 2): points of each thing; `marks`
    (n, 2): places of symbols; `boxes` (4,): left, bottom, right and top of texts.
    """

    def __init__(
        self, size: Array, outlines: list[Array], marks: Array, mark: float, boxes: list[Array]
    ) -> None:
        self.size, self.marks, self.mark, self.boxes = size, marks, mark, boxes
        self.outlines, self.leaders = outlines, np.zeros((0, 2))
        shape = (np.ceil(size / _CELL).astype(int) + 1).tolist()
        self._grids = [np.zeros(shape, dtype=bool) for _ in outlines]
        for grid, points in zip(self._grids, outlines, strict=True):
            i, j = self._cells(points)
            grid[i, j] = True
        self._counts = np.sum(self._grids, axis=0, dtype=int) if outlines else np.zeros(shape, int)

    def _cells(self, points: Array) -> tuple[Array, Array]:
        inside = points[np.all((points >= 0) & (points < self.size), axis=1)]
        return tuple((inside / _CELL).astype(int).T)

    def cost(self, box: Array, k: int) -> float:
        """How bad a text of thing k in a box would be."""
        inside = np.all(box[:2] >= 2) and np.all(box[2:] <= self.size - 2)
        cost = _TEXT * (sum(overlap(box, x) for x in self.boxes) + (not inside))
        cost += _MARK * _count(self.marks, box, self.mark)
        cost += _LEADER * (_count(self.leaders, box, 0.0) > 0)
        a, b = np.maximum(box[:2] / _CELL, 0).astype(int)
        c, d = np.maximum(np.ceil(box[2:] / _CELL), 1).astype(int)
        body_cells, all_cells = self._grids[k][a:c, b:d], self._counts[a:c, b:d]
        if body_cells.size:
            cost += _OWN * body_cells.mean() + _OTHER * (all_cells > body_cells).mean()
        return float(cost)

    def is_nearer_to_others(self, box: Array, k: int) -> bool:
        """Whether a text lies nearer to another thing than to its own."""
        center = (box[:2] + box[2:]) / 2
        far = [
            float(np.linalg.norm(points - center, axis=1).min(initial=np.inf))
            for points in self.outlines
        ]
        return any(far[k] > 1.1 * x + 1 for j, x in enumerate(far) if j != k)

    def take(self, box: Array, end: Array | None) -> None:
        """Note a text, and the line that leads from it."""
        self.boxes.append(box)
        if end is not None:
            self.leaders = np.vstack([self.leaders, np.linspace(end, (box[:2] + box[2:]) / 2, 12)])


def _places(outline: Array, size: Array) -> list[tuple[Array, float]]:
    """Shifts of the centre of a text from the middle of a body [point], and their distances.

    First across the long side of the body.
    """
    side = np.array([0.0, 1.0])
    if len(outline) > 2:
        side = np.linalg.svd(outline - outline.mean(axis=0), full_matrices=False)[2][-1]
    side = side if side[1] >= 0 else -side
    first = float(np.arctan2(side[1], side[0]))
    shifts = []
    for distance in _DISTANCES:
        for turn in _TURNS:
            out = np.array([np.cos(first + turn), np.sin(first + turn)])
            beside = (np.abs(out) @ size) / 2 if abs(out[0]) > 0.3 else size[1] / 2
            shifts.append((out * (_NEAR * distance - size[1] / 2 + beside), distance))
    return shifts


def _write(axes: Axes, one: NameTag, shift: Array, *, leads: bool) -> None:
    look = {"arrowstyle": "-", "color": "0.45", "lw": 0.7, "shrinkA": 1.0, "shrinkB": 0.0}
    label = axes.annotate(
        one.name,
        (float(one.middle[0]), float(one.middle[1])),
        xytext=(float(shift[0]), float(shift[1])),
        textcoords="offset points",
        ha="center",
        va="center",
        color=INK,
        fontsize=_SIZE,
        path_effects=halo(),
        annotation_clip=False,
        arrowprops=look if leads else None,
        zorder=7,
    )
    label.set_in_layout(False)


def _size(axes: Axes, name: str) -> Array:
    """Width and height of a name [pixel]."""
    figure: Any = axes.figure
    probe = figure.text(0, 0, name, fontsize=_SIZE)
    box = probe.get_window_extent()
    probe.remove()
    return np.array([box.width, box.height])


def _filled(points: Array, spacing: float = 4.0) -> Array:
    """Outline with points on the way from each to the next where they are far apart [pixel]."""
    if len(points) < 2:
        return points
    steps = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if len(points) > 4000 or steps.max() < spacing:
        return points
    n = np.minimum(np.maximum(np.ceil(steps / spacing), 1), 60).astype(int)
    pairs = zip(points[:-1], points[1:], n, strict=True)
    return np.concatenate([np.linspace(a, b, k, endpoint=False) for a, b, k in pairs])


def overlap(a: Array, b: Array) -> bool:
    """Whether two boxes meet, each by its left, bottom, right and top."""
    return bool(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def _count(points: Array, box: Array, size: float) -> int:
    """Number of points within a size of a box."""
    low, high = box[:2] - size, box[2:] + size
    return int(np.count_nonzero(np.all((points > low) & (points < high), axis=1)))
