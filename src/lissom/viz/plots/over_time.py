"""Plots of a trajectory over time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import StateError
from ...results.display_units import ChosenUnits, in_unit
from ...results.files.disk import PathLike
from ...results.peaks import RISES, is_load, rising_after
from ..options import FigureOptions
from .panels import Panel, closing_note, named_panels, usual_panels
from .style import GREY, INK, line_style, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ...results import Trajectory

Array = np.ndarray

_WIDTH, _HEIGHT = 7.6, 1.95  # of a panel [inch]
_ONE_COLUMN, _MOST = 5, 60  # panels: largest number in one column, and in a figure
_NAMED = 12  # largest number of lines in a legend
_MARKED = 8  # largest number of events with labels


def plot(
    run: Trajectory,
    names: tuple[Any, ...],
    *,
    file: PathLike | None = None,
    title: str | None = None,
    size: Any = None,
    units: Any = None,
    events: bool = True,
    show: bool = False,
) -> Figure:
    """Figure with panels over time; see `Trajectory.plot`."""
    if not run.n:
        raise StateError("the trajectory has no rows, so that there is nothing to plot")
    options = FigureOptions(title=title, size=size, show=show, events=events)
    chosen = ChosenUnits.of(units)
    panels = named_panels(run, names) if names else usual_panels(run)
    panels = [_with_peak_note(run, panel).shown_in(chosen) for panel in panels]
    (clock,), times = chosen.columns(run.time[:, None], ("s",))
    if len(panels) > _MOST:
        raise StateError(f"{len(panels)} panels are too many for a figure; give fewer names")
    columns = 1 if len(panels) <= _ONE_COLUMN else 2
    rows = -(-len(panels) // columns)
    usual = (_WIDTH if columns == 1 else 1.6 * _WIDTH, 0.6 + _HEIGHT * max(rows, 1.4))
    heading = run.system.name
    if title is None and not names and (note := closing_note(run)):
        heading = f"{heading} ({note})" if heading else note.capitalize()
    with picture(options, usual, file=file, heading=heading) as figure:
        grid = figure.subplots(rows, columns, sharex=True, squeeze=False)
        for k, axes in enumerate(grid.T.flat):
            if k < len(panels):
                _draw_panel(axes, times[:, 0], panels[k])
            else:
                axes.set_visible(False)
        _label_time(grid, len(panels), clock)
        if events:
            _mark_events(grid.T.ravel()[: len(panels)], run, chosen.shown("s")[1])
        figure.align_ylabels(grid.T.ravel()[: len(panels)])
    return figure


def _with_peak_note(run: Trajectory, panel: Panel) -> Panel:
    """Panel of loads that says from when on their peaks rise with the number of shapes."""
    bodies = [x for x in run.system.names if f"{x}." in panel.title] or [""]
    first = min(rising_after(run.events, x) for x in bodies)
    if not is_load(panel.quantity, (panel.unit,)) or first >= run.time[-1]:
        return panel
    words = f"{panel.title} (after t = {first:.4g} s {RISES})"
    return replace(panel, title=words)


def _label_time(grid: Any, n: int, unit: str) -> None:
    """Label the time axis of the lowest panel in each column."""
    for c, column in enumerate(grid.T):
        last = column[min(len(column), n - c * len(column)) - 1]
        last.set_xlabel(f"time [{unit}]")
        last.tick_params(labelbottom=True)


def _draw_panel(axes: Axes, time: Array, panel: Panel) -> None:
    named = len(panel.lines) if len(panel.lines) <= _NAMED + 1 else _NAMED
    plain = 0
    for k, line in enumerate(panel.lines):
        look: dict[str, Any] = line_style(plain)
        if line.balance:
            look = {"color": "black", "linestyle": (0, (4, 3)), "linewidth": 0.9}
        elif k >= named:
            look = {"color": GREY, "linewidth": 0.7, "zorder": 1.5}
        plain += 1
        axes.plot(time, line.values, label=line.label or "_", **look)
    axes.set_title(panel.heading, color=INK)
    axes.set_ylabel(panel.label)
    axes.margins(x=0)
    if panel.limits:
        axes.set_ylim(*panel.limits)
    if panel.logarithmic:
        axes.set_yscale("log")
        highest = np.nanmax([np.nanmax(line.values) for line in panel.lines])
        axes.set_ylim(bottom=max(axes.get_ylim()[0], 1e-5 * highest))
    _legend(axes, [line.label for line in panel.lines], named)
    if len(time) > 1 and time[-1] > time[0]:
        axes.set_xlim(time[0], time[-1])


def _legend(axes: Axes, labels: list[str], named: int) -> None:
    """Add a legend next to the panel, so that it covers no lines."""
    if not any(labels):
        return
    lines = axes.get_lines()
    handles, words = list(lines[:named]), labels[:named]
    if more := len(labels) - named:
        handles.append(lines[named])
        words.append(f"and {more} more")
    columns = 1 if len(words) <= 9 else 2
    axes.legend(
        handles,
        words,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.02),
        borderaxespad=0.0,
        handlelength=1.8,
        labelspacing=0.3,
        columnspacing=1.0,
        ncols=columns,
    )


def _mark_events(panels: Any, run: Trajectory, second: Any) -> None:
    """Mark events with thin lines, and with their labels in the first panel if they are few."""
    happened = [(t, label) for t, label in run.events if run.time[0] <= t <= run.time[-1]]
    if not happened:
        return
    happened = [(float(in_unit(np.array(t), second)), label) for t, label in happened]
    times = np.unique([t for t, _ in happened])
    for axes in panels:
        look = {"color": GREY, "lw": 0.8, "ls": (0, (1, 1.5)), "zorder": 1, "label": "event"}
        axes.vlines(times, 0, 1, transform=axes.get_xaxis_transform(), **look)
    if len(happened) > _MARKED:
        return
    for t, label in happened:
        panels[0].annotate(
            label,
            (t, 1),
            xycoords=("data", "axes fraction"),
            xytext=(-1.5, -2),
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="top",
            fontsize=7,
            color="0.4",
        )
