"""Plots of modes of bodies and mechanisms: shapes, and frequencies along a sweep."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.tree.coordinates import moved
from ...bodies import FlexibleBody, NodalBody, NormalBody, Rod
from ...bodies.solids import Surface, Sweep
from ...errors import ModelError, StateError, shown, suggestion
from ...linear.mode_motion import visible_amplitude
from ...results.files.disk import PathLike
from ...spatial import quaternion_rotation
from ...system import State, System
from ..drawing.shapes import Shape, placed_joints, shapes_of
from ..drawing.space import equal_box, fill
from ..options import FigureOptions
from ..scene.frames import still
from ..scene.nodes import node_frames, smooth
from ..scene.scene import Scene
from .style import COLORS, GREY, INK, line_style, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...linear.mode_sweep import ModeSweep
    from ...linear.system_modes import SystemModes

Array = np.ndarray

_MOST = 36  # panels
_USUAL = 6  # of a mechanism
_AMPLITUDE = 0.14  # largest displacement over the size of the body
_TURN = 1.2  # largest rotation if displacements are small [rad]
_RIBS = 9  # crosses along a centre line, which show the twist
# Coordinates of a rod, by the component of strain
_STRAINS = (
    "torsion",
    "bending along z",
    "bending along y",
    "stretch",
    "shear along y",
    "shear along z",
)


@dataclass(frozen=True, eq=False)
class _Mode:
    """Panel of a mode of a body."""

    where: str
    body: NormalBody
    number: int

    @property
    def title(self) -> str:
        """Number, frequency, and kind of motion if there is a single one."""
        frequency = float(np.sqrt(self.body.stiffness[self.number])) / (2 * np.pi)
        return f"{self.where}mode {self.number}: {frequency:.3g} Hz{self.kind}"

    @property
    def kind(self) -> str:
        """Kind of motion of a rod, or of a straight body along x if there is a single one."""
        if self.body.rod is not None:
            return f", {_STRAINS[self.body.rod.strains[self.number]]}"
        line = self.line
        if line is None or np.abs(self.body.node_positions[line, 1:]).max() > 1e-9 * self.size:
            return ""
        shape = self.body.node_shapes[line, :, self.number]
        size = np.abs(shape[:, [3, 4, 5, 0]]).max(axis=0) * [1, 1, 1, self.size]
        words = ("stretch", "bending along y", "bending along z", "torsion")
        large = np.flatnonzero(size > 1e-6 * size.max())
        return f", {words[large[0]]}" if len(large) == 1 else ""

    @property
    def line(self) -> list[int] | None:
        """Nodes along the centre line, if the body has one."""
        for solid in self.body.solids:
            if isinstance(solid, Sweep) and len(solid.nodes) > 1:
                return list(solid.nodes)
        return None

    @property
    def skin(self) -> Surface | None:
        """Surface of a meshed body."""
        return next((s for s in self.body.solids if isinstance(s, Surface)), None)

    @property
    def size(self) -> float:
        """Size of the body [m]."""
        return float(np.ptp(self.body.node_positions, axis=0).max()) or 1.0

    def displaced(self, nodes: Any) -> tuple[Array, Array]:
        """Exaggerated positions (n, 3) and rotations (n, 3, 3) of nodes."""
        shapes = self.body.node_shapes[nodes, :, self.number]
        turned, moved = np.abs(shapes[:, :3]).max(), np.abs(shapes[:, 3:]).max()
        # whichever is reached first: the largest displacement or the largest rotation
        factor = 1 / max(moved / (_AMPLITUDE * self.size), turned / _TURN, 1e-300)
        return self.placed(nodes, factor)

    def placed(self, nodes: Any, amplitude: float) -> tuple[Array, Array]:
        """Positions (n, 3) and rotations (n, 3, 3) of nodes at an amplitude."""
        eta = np.zeros((1, self.body.n_mode))
        eta[0, self.number] = amplitude
        turns, places = node_frames(self.body, nodes, eta)
        return places[0], np.array([quaternion_rotation(q) for q in turns[0]])


def plot_modes(
    what: System | FlexibleBody | NodalBody | Rod,
    name: str | None = None,
    *,
    modes: Any = None,
    file: PathLike | None = None,
    title: str | None = None,
    size: Any = None,
    show: bool = False,
) -> Figure:
    """Mode shapes of flexible bodies, one panel each, with their frequencies.

    The body is held at its inboard node, as by its joint in a mechanism.  Amplitudes are
    exaggerated.  A beam or rod is drawn as its centre line, with crosses that show the twist, a
    meshed body as its surface, other bodies as their nodes.  Modes of a rod are its
    coordinates, each of a single strain.

    Parameters
    ----------
    what : FlexibleBody, NodalBody, Rod or System
        Body, or system with flexible bodies.
    name : str, optional
        Name of a body of the system; by default all flexible bodies.
    modes : sequence of int, optional
        Numbers of the modes, counted from 0; by default all.
    file : path, optional
        File to write: PNG, SVG or PDF by its suffix.
    title : str, optional
        Heading; empty for none.
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
    >>> boom = ls.beam(3.0, ls.Tube(radius=0.08, thickness=0.003), ls.ALUMINIUM, modes=4)
    >>> [axes.get_title() for axes in ls.viz.plot_modes(boom).axes]
    ['mode 0: 17.6 Hz, bending along y', 'mode 1: 17.6 Hz, bending along z', ...]
    """
    options = FigureOptions(title=title, size=size, show=show)
    panels = [
        _Mode(where, body, k)
        for where, body in ((w, smooth(b, np.zeros((1, b.n_mode)))) for w, b in _bodies(what, name))
        for k in _numbers(modes, body, where)
    ]
    if len(panels) > _MOST:
        raise StateError(
            f"{len(panels)} modes are too many for a figure; choose some with modes=range(6)"
            + ("" if name or not isinstance(what, System) else ", or a body with name=")
        )
    heading = getattr(what, "name", "")
    with _panels(options, len(panels), 1.9, file, heading) as (figure, grid):
        for axes, mode in zip(grid, panels, strict=True):
            _draw_mode(axes, mode, COLORS[0])
    return figure


@contextmanager
def _panels(
    options: FigureOptions, n: int, height: float, file: PathLike | None, heading: str
) -> Iterator[tuple[Figure, list[Any]]]:
    """Figure with n axes in space, each of a height [inch]."""
    columns = min(n, 3 if n != 4 else 2)
    rows = -(-n // columns)
    with picture(options, (3.3 * columns, 0.3 + height * rows), file=file, heading=heading) as f:
        look = {"projection": "3d", "proj_type": "ortho"}
        yield f, [f.add_subplot(rows, columns, k + 1, **look) for k in range(n)]


def _finish(axes: Any, title: str, points: Array, width: float, height: float) -> None:
    """Title and view of a panel, the box of the points in fractions of its width and height."""
    axes.set_title(title, color=INK, loc="center")
    axes.view_init(28, -54)
    equal_box(axes, points, margin=0.02)
    fill(axes, width, height)
    axes.set(xlabel="", ylabel="", zlabel="", xticklabels=[], yticklabels=[], zticklabels=[])


def _bodies(what: Any, name: Any) -> list[tuple[str, NormalBody]]:
    """Flexible bodies and the prefixes of their panel titles."""
    if isinstance(what, System):
        flexible = {n: b for n, b in zip(what.names, what.bodies, strict=True) if b.n_mode}
        if not flexible:
            raise ModelError(f"{what.name or 'the system'} has no flexible body: nothing to plot")
        if name is None:
            return [(f"{n}, ", body) for n, body in flexible.items()]
        if not isinstance(name, str) or name not in flexible:
            words = suggestion(str(name), flexible)
            raise StateError(f"there is no flexible body {name!r}; {words}")
        return [(f"{name}, ", flexible[name])]
    if name is not None:
        raise StateError(
            f"name is {name!r}; it selects a body of a System: omit it for a single body"
        )
    if isinstance(what, (FlexibleBody, NodalBody, Rod)):
        if not what.normalised().n_mode:
            raise ModelError(
                f"the {type(what).__name__} has no modes, so that there is nothing to plot"
            )
        return [("", what.normalised())]
    hint = "; call model.compile() first" if hasattr(what, "compile") else ""
    raise StateError(
        f"expected a FlexibleBody, a NodalBody, a Rod or a System, got {type(what).__name__}{hint}"
    )


def _numbers(modes: Any, body: NormalBody, where: str) -> list[int]:
    """Validated numbers of the requested modes."""
    if modes is None:
        return list(range(body.n_mode))
    try:
        numbers = [modes] if np.ndim(modes) == 0 and not isinstance(modes, str) else list(modes)
    except (TypeError, ValueError):
        numbers = []
    for k in numbers:
        whole = isinstance(k, (int, np.integer)) and not isinstance(k, bool)
        if not whole or not 0 <= k < body.n_mode:
            raise StateError(
                f"{where}modes is {modes!r}; expected numbers from 0 to {body.n_mode - 1}"
            )
    if not numbers:
        raise StateError(f"{where}modes is {modes!r}; expected numbers of modes, or None for all")
    return [int(k) for k in numbers]


def _draw_mode(axes: Any, mode: _Mode, color: str) -> None:
    line, skin = mode.line, mode.skin
    nodes = np.arange(len(mode.body.node_positions)) if line is None else np.array(line)
    if skin is not None:
        nodes = np.array(skin.nodes)
    rest, still = mode.placed(nodes, 0.0)
    moved, turns = mode.displaced(nodes)
    points = np.concatenate([rest, moved])
    if skin is not None:
        axes.plot_trisurf(*rest.T, triangles=skin.triangles, color=GREY, lw=0, alpha=0.2)
        axes.plot_trisurf(*moved.T, triangles=skin.triangles, color=color, lw=0)
    elif line is None:
        axes.plot(*rest.T, ".", color=GREY, ms=2.5)
        axes.plot(*moved.T, ".", color=color, ms=4)
    else:
        axes.plot(*rest.T, color=GREY, lw=1.0, ls=(0, (4, 2)))
        axes.plot(*moved.T, color=color, lw=2.2)
        _draw_ribs(axes, mode, rest, still, GREY)
        points = np.concatenate([points, _draw_ribs(axes, mode, moved, turns, color)])
    half = (_AMPLITUDE + 0.02) * mode.size
    room = np.concatenate([points, rest.mean(axis=0) + half * np.array([[-1] * 3, [1] * 3])])
    _finish(axes, mode.title, room, 1.4, 0.85)


def _draw_ribs(axes: Any, mode: _Mode, moved: Array, turns: Array, color: str) -> Array:
    """Draw crosses in the planes of some sections; return their ends."""
    chosen = np.unique(np.linspace(0, len(moved) - 1, _RIBS).round().astype(int))
    half = 0.06 * mode.size
    ends = []
    for k in chosen:
        for axis in (1, 2):
            arm = half * turns[k][:, axis]
            rib = np.stack([moved[k] - arm, moved[k] + arm])
            axes.plot(*rib.T, color=color, lw=0.8, alpha=0.8)
            ends.append(rib)
    return np.concatenate(ends)


def plot_system_modes(
    modes: SystemModes,
    which: Any = None,
    *,
    file: PathLike | None = None,
    title: str | None = None,
    size: Any = None,
    show: bool = False,
) -> Figure:
    """Shapes of modes, see `SystemModes.plot`."""
    options, numbers = FigureOptions(title=title, size=size, show=show), _chosen(modes, which)
    rest = _shapes(modes.state)
    with _panels(options, len(numbers), 2.2, file, modes.system.name) as (figure, grid):
        for axes, k in zip(grid, numbers, strict=True):
            _draw_system_mode(axes, modes, k, rest)
    return figure


def _chosen(modes: SystemModes, which: Any) -> list[int]:
    if which is None:
        numbers = list(range(modes.n_rigid, len(modes)))[:_USUAL]
        numbers = numbers or list(range(len(modes)))[:_USUAL]
    else:
        numbers = [modes.number(k) for k in (which if np.iterable(which) else [which])]
    if not numbers or len(numbers) > _MOST:
        raise StateError(f"modes is {shown(which)}; expected 1 to {_MOST} numbers of modes")
    return numbers


def _shapes(state: State) -> list[Shape]:
    scene = Scene(still(state.system, state, "a drawing"))
    return shapes_of(scene, placed_joints(scene))


def _draw_system_mode(axes: Any, modes: SystemModes, k: int, rest: list[Shape]) -> None:
    state, phi = modes.state, modes.shapes[:, k]
    step = visible_amplitude(state, phi) * phi.real
    bent = _shapes(State(state.system, moved(state.system, state.raw_q, step), state.v))
    for one in rest:
        _draw_shape(axes, one, GREY, 0.6)
    for one in bent:
        _draw_shape(axes, one, one.color, 1.6)
    words = "free" if k < modes.n_rigid else f"{modes.frequencies[k]:.3g} Hz"
    points = np.concatenate([one.points for one in (*rest, *bent)])
    _finish(axes, f"mode {k}: {words}", points, 1.3, 0.9)


def _draw_shape(axes: Any, one: Shape, color: str, width: float) -> None:
    from mpl_toolkits.mplot3d.art3d import Line3DCollection

    if len(one.edges):
        axes.add_collection3d(Line3DCollection(list(one.edges), colors=color, linewidths=width / 2))
    axes.plot(*one.dots.T, ".", color=color, ms=1.5 * width)
    for line in one.lines:
        axes.plot(*line.T, color=color, lw=width)


def _checked_lines(lines: Any) -> list[tuple[float, str]]:
    """Lines of a plot, as pairs of a factor and a label."""
    try:
        pairs = [(float(factor), str(label)) for factor, label in lines]
    except (TypeError, ValueError):
        pairs = [(np.nan, "")]
    if not all(np.isfinite(factor) for factor, _ in pairs):
        raise StateError(
            f"plot: lines is {shown(lines)}; expected pairs of hertz per unit of the parameter and "
            'a label, such as [(1 / (2 * np.pi), "1P")]'
        )
    return pairs


def plot_mode_sweep(
    sweep: ModeSweep,
    *,
    lines: Any = (),
    file: PathLike | None = None,
    title: str | None = None,
    size: Any = None,
    show: bool = False,
) -> Figure:
    """Frequencies of tracked modes against the parameter, see `ModeSweep.plot`."""
    lines = _checked_lines(lines)
    with picture(FigureOptions(size=size, show=show), (6.0, 3.8), file=file) as figure:
        axes = figure.add_subplot()
        for k, row in enumerate(sweep.frequencies.T):
            axes.plot(sweep.values, row, **line_style(k), label=f"{k}")
        for factor, label in lines:
            axes.plot(sweep.values, factor * sweep.values, color=GREY, lw=0.8, ls=":")
            axes.annotate(label, (sweep.values[-1], factor * sweep.values[-1]), color=GREY)
        axes.set(xlabel=sweep.label, ylabel="frequency [Hz]")
        axes.set_ylim(0.0, 1.05 * float(np.nanmax(sweep.frequencies, initial=1e-9)))
        axes.margins(x=0.0)
        if sweep.frequencies.shape[1] <= 12:
            axes.legend(title="mode", loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes.set_title(sweep.title if title is None else title, color=INK)
    return figure
