"""Drawings in a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .direction import Flat
from .names import named, place, write_names
from .paint import AXIS_COLORS, add_legend, rasterized, tint
from .shapes import facing, rim
from .symbols import CLOSING, ground_marker, marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .picture import Scene
    from .shapes import Shape

Array = np.ndarray


def draw_flat(figure: Figure, scene: Scene, view: Flat) -> None:
    """Draw on a figure.

    Parameters
    ----------
    figure : Figure
        Figure without axes.
    scene : Scene
        Content of the drawing.
    view : Flat
        Direction of view.
    """
    axes = figure.add_subplot()
    depth = [float(np.mean(s.points @ view.towards)) for s in scene.shapes]
    for order, k in enumerate(np.argsort(depth, kind="stable")):
        _draw_body(axes, scene.shapes[k], view, 2 + order / len(depth))
    for j in scene.joints:
        _draw_gap(axes, j.inboard[1], j.outboard[1], view, scene, j.closing)
        at = view(place(j))
        if scene.is_grounded(j):
            under = view(j.inboard[1] if j.carrier < 0 else j.outboard[1])
            axes.plot(*under, **ground_marker(scene.symbol_size), zorder=4, clip_on=False)
        angle = 0.0
        if j.joint.symbol.along:
            x, y = view(j.axes[3:, 0])
            angle = float(np.arctan2(y, x))
        look = marker(j.joint, size=scene.symbol_size, closing=j.closing, angle=angle)
        axes.plot(*at, **look, zorder=5, clip_on=False)
    if scene.frames:
        _draw_frames(axes, scene, view)
    axes.set_aspect("equal")
    axes.margins(0.09)
    low, high = axes.get_ylim()
    room = max(0.0, 0.16 * scene.extent - (high - low)) / 2
    axes.set_ylim(low - room - 0.03 * scene.extent, high + room)
    axes.set_xlabel(_axis_label(view.right))
    axes.set_ylabel(_axis_label(view.up))
    add_legend(figure, scene)
    if scene.names:
        figure.draw_without_rendering()  # so that the axes have their place
        symbols = np.array([view(place(j)) for j in scene.joints])
        taken = [np.asarray(x.get_window_extent().extents) for x in figure.legends]
        write_names(axes, named(scene, view), symbols, taken)


def _draw_body(axes: Axes, shape: Shape, view: Flat, zorder: float) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    if len(shape.triangles):
        faces = view(facing(shape.triangles, view.towards))
        color = tint(shape.color)
        look: dict[str, Any] = {"facecolors": color, "edgecolors": color, "linewidths": 0.4}
        painted = PolyCollection(list(faces), **look, zorder=zorder)
        painted.set_rasterized(rasterized(len(faces)))
        axes.add_collection(painted)
        edge = LineCollection(list(view(rim(shape.triangles, view.towards))), colors=shape.color)
        edge.set(linewidth=0.9, zorder=zorder + 1e-3, capstyle="round")
        axes.add_collection(edge)
    axes.plot(*view(shape.dots).T, ".", color=shape.color, ms=3, zorder=zorder)
    for line in shape.lines:
        width = 1.2 if len(shape.dots) else 3.0 if shape.bare else 1.8 if len(line) > 2 else 0.8
        (drawn,) = axes.plot(*view(line).T, color=shape.color, lw=width, zorder=zorder + 2e-3)
        drawn.set_solid_capstyle("round")


def _draw_gap(axes: Axes, a: Array, b: Array, view: Flat, scene: Scene, closing: bool) -> None:
    """Draw the line between the frames of a joint: a slide, or an open loop."""
    if np.linalg.norm(b - a) > 1e-4 * scene.extent:
        color, style = (CLOSING, (0, (3, 2))) if closing else ("0.47", (0, (1, 1.5)))
        axes.plot(*view(np.stack([a, b])).T, color=color, ls=style, lw=1.1, zorder=4.5)


def _draw_frames(axes: Axes, scene: Scene, view: Flat) -> None:
    length = 0.07 * scene.extent
    for rotation, position in scene.axes:
        for k, color in enumerate(AXIS_COLORS):
            line = np.stack([position, position + length * rotation[:, k]])
            axes.plot(*view(line).T, color=color, lw=1.4, zorder=6)


def _axis_label(direction: Array) -> str:
    for k, name in enumerate("xyz"):
        if np.allclose(np.abs(direction), np.eye(3)[k], atol=1e-9):
            return f"{'' if direction[k] > 0 else '−'}{name} [m]"
    return f"along ({', '.join(f'{x:.3g}' for x in direction)}) [m]"
