"""Warning of smooth tables that leave the range of their points."""

from __future__ import annotations

import warnings

import numpy as np

from ...errors import SimulationWarning
from ..run.plan import Plan
from ..signals.signal import Table

FAR = 0.1  # of the range of the points


def warn_of_overshoot(plan: Plan, stacklevel: int) -> None:
    """Warn of the first table whose curve swings far beyond its points."""
    for what, table in plan.tables:
        if table.kind != "smooth":
            continue
        time, value, low, high = _farthest(table)
        if max(low - value, value - high) > FAR * (high - low) + 1e-9 * max(abs(low), abs(high)):
            warnings.warn(
                f"{what}: the smooth curve through the points of the table reaches {value:.4g} at "
                f"t = {time:.6g} s, but its points lie between {low:.4g} and {high:.4g}; use "
                'kind="monotone", which stays between them, or give more points there',
                SimulationWarning,
                stacklevel,
            )
            return


def _farthest(table: Table) -> tuple[float, float, float, float]:
    """Time and value of a curve where it is farthest beyond its points, and their range there."""
    coefficients = table.pieces()
    y = table.values.reshape(len(table.times), -1)
    low, high = y.min(axis=0), y.max(axis=0)
    a, b, c, _ = (coefficients[:, :, k] for k in range(4))
    with np.errstate(all="ignore"):  # straight pieces have no turning points
        root = np.sqrt(b * b - 3 * a * c)
        turns = np.stack([(-b + root) / (3 * a), (-b - root) / (3 * a), -c / (2 * b)])
    widths = np.diff(table.times)[:, None]
    inside = np.isfinite(turns) & (turns > 0) & (turns < widths)
    x = np.where(inside, turns, 0.0)
    value = np.zeros_like(x)
    for k in range(4):
        value = value * x + coefficients[:, :, k]
    beyond = np.maximum(low - value, value - high) / np.maximum(high - low, 1e-300)
    worst = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    _, piece, column = worst
    time = float(table.times[piece] + x[worst])
    return time, float(value[worst]), float(low[column]), float(high[column])
