"""Curves of the small plot over time, in step with the slider of the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import StateError
from ...results.quantities import CUMULATED
from ...results.trajectory import Trajectory
from ..plots.panels import Line, Panel, named_panels, usual_panels
from .data import Arrays

Array = np.ndarray

_POINTS = 600  # of a curve
_USUAL = 4  # largest number of curves of a panel that nobody asked for
_MOST = 24  # largest number of curves
_STEPS, _GAP = 65534, 65535  # resolution of values, and the mark of one that is not a number


def described_curves(
    run: Trajectory, rows: Trajectory, plot: Any, *, growing: bool = False
) -> dict[str, Any] | None:
    """Panels of the plot for the page; None if there are none.

    `plot`: channels, as in `PageOptions`; None: the usual ones.
    """
    if rows.n < 2:
        return None
    panels = (
        _default_panels(rows)
        if plot is None
        else _panels_at_frames(run, rows, plot, growing=growing)
    )
    if not panels:
        return None
    chosen = np.unique(np.linspace(0, rows.n - 1, min(_POINTS, rows.n)).round().astype(int))
    arrays, described = Arrays(), []
    for panel in panels:
        values = np.array([line.values[chosen] for line in panel.lines])
        finite = np.isfinite(values)
        ends = (float(f(values[finite])) if finite.any() else 0.0 for f in (np.min, np.max))
        low, high = panel.limits or ends
        # steps of half the range: the range of numbers near the largest would overflow
        half = (high / 2 - low / 2) or 1.0
        steps = np.where(finite, (np.where(finite, values, low) / 2 - low / 2) / half, 0.0)
        sent = np.where(finite, np.rint(_STEPS * steps), _GAP)
        described.append(
            {
                "title": panel.heading,
                "unit": panel.unit,
                "lines": [line.label or panel.quantity for line in panel.lines],
                "low": low,
                "high": high,
                "values": arrays.add(sent, "uint16"),
            }
        )
    times = arrays.add(rows.time[chosen] - rows.time[0])
    return {"panels": described, "times": times, "arrays": arrays.encoded()}


def _default_panels(rows: Trajectory) -> list[Panel]:
    """Bending, joints, energies, gaps of loops: of each the curves that change most."""
    try:
        panels = usual_panels(rows)
    except StateError:  # a failed run, with numbers that are too large
        return []
    panels.sort(key=lambda panel: panel.quantity != "deflection")
    return [few for panel in panels if (few := _most_changing(panel)).lines]


def _most_changing(panel: Panel) -> Panel:
    lines = [line for line in panel.lines if not line.balance and np.any(np.isfinite(line.values))]
    if len(lines) <= _USUAL:
        return replace(panel, lines=lines)
    order = np.argsort([-_range(line) for line in lines], kind="stable")[:_USUAL]
    title = f"{panel.title}, {_USUAL} of {len(lines)}"
    return replace(panel, title=title, lines=[lines[k] for k in sorted(order)])


def _range(line: Line) -> float:
    low, high = np.nanmin(line.values), np.nanmax(line.values)
    return float(high / 2 - low / 2) if np.isfinite(high) and np.isfinite(low) else 0.0


def _panels_at_frames(
    run: Trajectory, rows: Trajectory, plot: Any, *, growing: bool
) -> list[Panel]:
    """Panels of channels, at the times of the frames."""
    names: Sequence[Any] = [plot] if isinstance(plot, str) else plot
    wanted = [x for name in names for x in ([name] if isinstance(name, str) else name)]
    if growing and CUMULATED in wanted:
        raise StateError(
            f"plot: {CUMULATED!r} is summed over all rows, of which a live view has only some; "
            "show it when the run has ended"
        )
    panels = named_panels(run, names)
    if (n := sum(len(panel.lines) for panel in panels)) > _MOST:
        raise StateError(f"plot has {n} curves, but a page shows at most {_MOST}; give fewer names")
    return [replace(p, lines=list(_at_frames(p.lines, run.time, rows.time))) for p in panels]


def _at_frames(lines: Iterable[Line], before: Array, times: Array) -> Iterable[Line]:
    for line in lines:
        yield replace(line, values=np.interp(times, before, line.values))
