"""Drawings of a mechanism in a given state."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.tree.arguments import check_system
from ...errors import StateError
from ...results.files.disk import PathLike
from ...system import GROUND, StateLike, System
from ..options import FigureOptions
from ..plots.style import picture
from ..scene.camera import Flat, chosen_view
from ..scene.frames import still
from ..scene.scene import Scene
from .names import name_tags, write_names
from .shapes import Frame, PlacedJoint, Shape, facing, ground_of, placed_joints, rim, shapes_of
from .style import add_legend, draw_frames, draw_joints, rasterized, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_flat(figure: Figure, drawing: Drawing, view: Flat) -> None:
    """Draw on a figure.

    `figure`: figure without axes.
    """
    axes = figure.add_subplot()
    drawn = drawing.drawn
    depth = [float(np.mean(s.points @ view.towards)) for s in drawn]
    for order, k in enumerate(np.argsort(depth, kind="stable")):
        _draw_body(axes, drawn[k], view, 2 + order / len(depth))
    draw_joints(axes, drawing, view)
    if drawing.frames:
        draw_frames(axes, drawing, view)
    axes.set_aspect("equal")
    axes.margins(0.09)
    low, high = axes.get_ylim()
    room = max(0.0, 0.16 * drawing.extent - (high - low)) / 2
    axes.set_ylim(low - room - 0.03 * drawing.extent, high + room)
    axes.set_xlabel(_axis_label(view.right))
    axes.set_ylabel(_axis_label(view.up))
    add_legend(figure, drawing)
    if drawing.names:
        figure.draw_without_rendering()  # so that the axes have their place
        symbols = view(np.array([j.place for j in drawing.joints]))
        text_boxes = [np.asarray(x.get_window_extent().extents) for x in figure.legends]
        write_names(axes, name_tags(drawing, view), symbols, text_boxes)


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


def _axis_label(direction: Array) -> str:
    for k, name in enumerate("xyz"):
        if np.allclose(np.abs(direction), np.eye(3)[k], atol=1e-9):
            return f"{'' if direction[k] > 0 else '−'}{name} [m]"
    return f"along ({', '.join(f'{x:.3g}' for x in direction)}) [m]"


Array = np.ndarray

_NAMED = 14  # largest number of bodies whose names are written by default


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything that is drawn of a scene of one frame."""

    scene: Scene
    joints: list[PlacedJoint]
    shapes: list[Shape]
    ground: list[Shape]  # the shapes of the world
    # names, frames: whether names are written, and axes of bodies and named frames drawn
    names: bool
    frames: bool
    turns: bool  # whether the drawing can be rotated interactively

    @cached_property
    def named_frames(self) -> list[tuple[str, Array, Array]]:
        """Named frames: name, axes to world axes, origin in the world."""
        return [
            (x.name, *self.scene.attached(0, x.body, x.node, x.rotation, x.position))
            for x in self.scene.system.frames
        ]

    @property
    def drawn(self) -> list[Shape]:
        """The ground, then the bodies."""
        return [*self.ground, *self.shapes]

    @cached_property
    def points(self) -> Array:
        """Points that must be visible in the drawing (n, 3)."""
        points = [shape.points for shape in self.drawn]
        points += [x[None] for _, _, x in self.named_frames] if self.frames else []
        points += [np.stack([j.inboard[1], j.outboard[1]]) for j in self.joints if j.joint.n_v < 6]
        return np.concatenate([*points, *(j.outboard[1][None] for j in self.joints)])

    @property
    def axes(self) -> list[Frame]:
        """Frames whose axes are drawn."""
        bodies = [self.scene.pose(0, i) for i in range(len(self.shapes))]
        return [*bodies, *((R, x) for _, R, x in self.named_frames)]

    @cached_property
    def extent(self) -> float:
        """Diagonal of the bounding box [m]; 1 for a point."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0))) or 1.0

    @property
    def symbol_size(self) -> float:
        """Size of a joint symbol [point]."""
        return 8.0 if len(self.joints) <= 20 else 4.5

    def is_grounded(self, joint: PlacedJoint) -> bool:
        """Whether a joint connects a body to the ground."""
        return GROUND in (joint.carrier, joint.carried) and joint.joint.n_v < 6


def draw(
    system: System,
    state: StateLike | None = None,
    *,
    file: PathLike | None = None,
    names: bool | None = None,
    frames: bool = False,
    view: Any = None,
    title: str | None = None,
    size: Any = None,
    show: bool = False,
) -> Figure:
    """Drawing of a mechanism: deformed bodies, joints, loops and the ground.

    A mechanism whose axes are all parallel is drawn in the plane normal to them if its rods do not
    leave this, others in space.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Its configuration; neutral by default.  The ends of open loops are joined by a dashed line.
    file : path, optional
        File to write: PNG, SVG or PDF by its suffix.
    names : bool, optional
        Whether to write the names of the bodies; by default if there are not more than 14.
    frames : bool
        Whether to draw axes, x orange, y green, z blue: of all bodies and of named frames.
    view : {"xy", "xz", "yz", "3d"} or pair of float, optional
        Plane of the drawing, or elevation and azimuth of the camera in space [degrees].
    title : str, optional
        Heading; by default the name of the system, empty for none.
    size : pair of float, optional
        Width and height [inch].
    show : bool
        Whether to open a window.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import lissom as ls
    >>> figure = ls.viz.draw(ls.library.rigid_chain(3).compile())
    >>> figure.axes[0].name
    '3d'
    """
    check_system(system)
    options = FigureOptions(title=title, size=size, show=show, names=names, frames=frames)
    scene = Scene(still(system, system.neutral() if state is None else state, "a drawing"))
    if not scene.bodies:
        raise StateError("the system has no bodies, so that there is nothing to draw")
    joints = placed_joints(scene)
    shapes = shapes_of(scene, joints)
    lines = [line for body_shape in shapes for line in body_shape.windings]
    look = chosen_view(view, joints, system.gravity, lines)
    with_names = len(shapes) <= _NAMED if names is None else names
    drawing = Drawing(scene, joints, shapes, ground_of(scene), with_names, frames, turns=show)
    usual = look.size(drawing.points)
    with picture(options, usual, file=file, heading=system.name) as figure:
        if isinstance(look, Flat):
            draw_flat(figure, drawing, look)
        else:
            from .space import draw_space

            draw_space(figure, drawing, look)
    return figure
