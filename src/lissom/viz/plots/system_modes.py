"""Plots of the modes of a mechanism: its shapes, and their frequencies along a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...algorithms.tree.coordinates import moved
from ...errors import StateError, shown
from ...linear.mode_motion import visible_amplitude
from ...results.files.disk import PathLike
from ...system import State
from ..drawing.shapes import Shape, placed_joints, shapes_of
from ..drawing.space import equal_box, fill
from ..options import FigureOptions
from ..scene.frames import still
from ..scene.scene import Scene
from .style import GREY, INK, line_style, picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...linear.mode_sweep import ModeSweep
    from ...linear.system_modes import SystemModes

Array = np.ndarray

_USUAL, _MOST = 6, 36  # panels


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
    options, numbers = FigureOptions(title=title, size=size, show=show), _numbers(modes, which)
    columns = min(len(numbers), 3 if len(numbers) != 4 else 2)
    rows = -(-len(numbers) // columns)
    usual = (3.3 * columns, 0.3 + 2.2 * rows)
    with picture(options, usual, file=file, heading=modes.system.name) as f:
        rest = _shapes(modes.state)
        for place, k in enumerate(numbers):
            axes = f.add_subplot(rows, columns, place + 1, projection="3d", proj_type="ortho")
            _draw(axes, modes, k, rest)
    return f


def _numbers(modes: SystemModes, which: Any) -> list[int]:
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


def _draw(axes: Any, modes: SystemModes, k: int, rest: list[Shape]) -> None:
    state, phi = modes.state, modes.shapes[:, k]
    step = visible_amplitude(state, phi) * phi.real
    bent = _shapes(State(state.system, moved(state.system, state.raw_q, step), state.v))
    for one in rest:
        _draw_shape(axes, one, GREY, 0.6)
    for one in bent:
        _draw_shape(axes, one, one.color, 1.6)
    words = "free" if k < modes.n_rigid else f"{modes.frequencies[k]:.3g} Hz"
    axes.set_title(f"mode {k}: {words}", color=INK, loc="center")
    axes.view_init(28, -54)
    equal_box(axes, np.concatenate([one.points for one in (*rest, *bent)]), margin=0.02)
    fill(axes, 1.3, 0.9)
    axes.set(xlabel="", ylabel="", zlabel="", xticklabels=[], yticklabels=[], zticklabels=[])


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
