"""Walls, ticks and labels behind a drawing in space, placed in the plane of the picture.

Matplotlib's own axes in space put labels at distances that depend on the extents of the box: those
of long, thin mechanisms lie far away or on each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..plots.style import INK

if TYPE_CHECKING:
    from matplotlib.text import Annotation

Array = np.ndarray

_GRID, _EDGE = "0.87", "0.62"
_TICK, _GAP = 3.0, 3.0  # lengths [point]
_SMALL, _LABEL = 7.0, 9.0  # sizes of letters [point]
_APART = 42.0  # smallest distance of two ticks [point]
_SHORTEST = 14.0  # length of an edge that has ticks [point]
LETTER = 0.62  # width of a letter over its size
MARGINS = (53.0, 38.0)  # for ticks and labels beside and below the box [point]


def draw_box(axes: Any, towards: Array, up: int, points_per_unit: float) -> list[Annotation]:
    """Draw the three walls behind the content of axes in space, with grid, ticks and labels.

    Parameters
    ----------
    axes : Axes3D
        Axes with their final limits and view, whose own axes are switched off.
    towards : array (3,)
        Direction to the camera.
    up : int
        Axis that is vertical in the picture.
    points_per_unit : float
        Points of the picture per unit of the projection.

    Returns
    -------
    list of Annotation
        All texts.
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
    best, found = -np.inf, None
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
                best, found = place, (ends, seen, out)
    assert found is not None
    return found


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
    found: list[Annotation] = []
    words = _numbers(ticks)
    size = np.array([max((len(x) for x in words), default=0) * LETTER, 1.0]) * _SMALL
    for x, word in zip(ticks, words, strict=True):
        place = ends[0].copy()
        place[k] = x
        at = projected(axes, place[None])[0]
        own = np.array([len(word) * LETTER, 1.0]) * _SMALL
        text = _write(axes, word, at, out * (_TICK + _GAP + _half(own, out)), _SMALL)
        _mark(axes, at, out)
        if any(_overlap(_box(text), box) for box in boxes):
            text.remove()
            continue
        boxes.append(_box(text))
        found.append(text)
    middle = projected(axes, ends.mean(axis=0)[None])[0]
    own = np.array([5 * LETTER, 1.0]) * _LABEL
    far = _TICK + 2 * _GAP + 2 * _half(size, out) + _half(own, out)
    return [*found, _write(axes, f"{'xyz'[k]} [m]", middle, out * far, _LABEL)]


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


def _overlap(a: Array, b: Array) -> bool:
    return bool(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


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
