"""Common parts of all figures: colours, style, panels."""

from __future__ import annotations

from typing import Any

# Colours that colour-blind readers can distinguish (Okabe and Ito).
BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "black",
)
SEQUENCE = (BLUE, ORANGE, GREEN, PURPLE, SKY, RED, BLACK)
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "lissom",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "font.size": 9.0,
}

Records = tuple[dict[str, Any], ...]


def new_panels(rows: int, columns: int, size: tuple[float, float], **shared: Any) -> Any:
    """Figure without a window, and its panels as an array (rows, columns).

    Parameters
    ----------
    rows, columns : int
        Numbers of panels.
    size : tuple of float
        Width and height [inch].
    **shared
        Options of Matplotlib's `subplots`.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def values(records: Records, name: str) -> list[Any]:
    """Distinct values of a column, in order of appearance.

    Parameters
    ----------
    records : tuple of dict
        Measured records.
    name : str
        Name of the column.
    """
    return list(dict.fromkeys(r[name] for r in records))
