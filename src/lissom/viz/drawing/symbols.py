"""Symbols of joints and of the ground."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...joints import Joint
from ..plots.style import INK
from .positions import PlacedJoint

__all__ = ["CLOSING", "axis_lines", "ground_marker", "marker", "symbol_name"]

Array = np.ndarray

CLOSING = "#D55E00"


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
