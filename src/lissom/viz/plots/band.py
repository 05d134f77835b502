"""Bands of a sweep: median and percentiles of many runs over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import StateError, name_list, shown, suggestion
from ...results.display_units import ChosenUnits, in_unit
from ...results.files.disk import PathLike
from ...units import UnitError, parsed_unit
from ..options import FigureOptions
from .panels import shown_unit
from .style import COLORS, INK, picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTH, _HEIGHT = 7.6, 2.3  # of a panel [inch]
_MOST = len(COLORS)  # bands in a panel


def plot_band(
    data: Any,
    *names: Any,
    x: str = "time",
    over: str = "sample",
    band: Any = (5, 95),
    units: Any = None,
    file: PathLike | None = None,
    title: str | None = None,
    size: Any = None,
    show: bool = False,
) -> Figure:
    """Median and a band of percentiles of many runs, one panel for each quantity.

    Other dimensions give one band each, so that values of a parameter, or components, can be
    compared; choose among many with ``data.sel(...)``.

    Parameters
    ----------
    data : xarray.Dataset or xarray.DataArray
        Result of `sweep`, or one of its variables.
    *names : str
        Variables; by default all over `x` and `over`.
    x : str
        Dimension of the horizontal axis.
    over : str
        Dimension of the runs that the band is of.
    band : tuple of float
        Lower and upper percentile.
    units : str or iterable of str, optional
        Units in place of those of SI, as in `Trajectory.plot`.
    file : path, optional
        File to write: PNG, SVG or PDF by its suffix.
    title : str, optional
        Heading; by default none.
    size : tuple of float, optional
        Width and height [inch].
    show : bool
        Whether to open a window.

    Returns
    -------
    matplotlib.figure.Figure
    """
    options, chosen = FigureOptions(title=title, size=size, show=show), ChosenUnits.of(units)
    panels = [_in_chosen_units(chosen, panel, x) for panel in _panels(data, names, x, over)]
    lower, upper = _percentiles(band)
    usual = (_WIDTH, 0.7 + _HEIGHT * len(panels))
    with picture(options, usual, file=file) as figure:
        grid = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for axes, panel in zip(grid, panels, strict=True):
            _draw(axes, panel, x, over, (lower, upper))
        grid[-1].set_xlabel(_label(panels[0][x], x))
    return figure


def _in_chosen_units(units: ChosenUnits, panel: Any, x: str) -> Any:
    """Variable and its dimension x in chosen units, if they are in units of SI."""
    words, values = _converted(units, panel)
    converted = panel.copy(data=values)
    converted.attrs = panel.attrs | words
    if x in panel.coords:
        words, values = _converted(units, panel[x])
        converted = converted.assign_coords({x: (panel[x].dims, values, panel[x].attrs | words)})
    return converted


def _converted(units: ChosenUnits, variable: Any) -> tuple[dict[str, str], Any]:
    """Unit as an attribute, and values; unit and values as they are if the unit is not of SI."""
    unit = str(variable.attrs.get("units", ""))
    try:
        of_si = variable.dtype.kind in "fiu" and parsed_unit(unit)[0] == 1
    except UnitError:  # none, several, or one that is not known
        of_si = False
    if not of_si:
        return {}, variable.values
    name, factor = units.shown(unit)
    return {"units": name}, in_unit(variable.values.astype(float), factor)


def _panels(data: Any, names: tuple[Any, ...], x: str, over: str) -> list[Any]:
    """Variables to draw, each with both dimensions."""
    variables: Mapping[str, Any]
    if hasattr(data, "data_vars"):
        variables = {str(name): value for name, value in data.data_vars.items()}
    elif hasattr(data, "dims") and hasattr(data, "coords"):
        variables = {str(data.name or "value"): data}
    else:
        raise StateError(f"data is {shown(data)}; expected a Dataset, as sweep() returns it")
    usable = {
        n: v for n, v in variables.items() if {x, over} <= set(v.dims) and v.dtype.kind in "fiu"
    }
    if not usable:
        raise StateError(
            f"there is nothing over {x!r} and {over!r}; the variables are {name_list(variables)}: "
            "keep channels over time, or name the dimensions with x= and over="
        )
    for name in names:
        if name not in usable:
            raise StateError(
                f"there is no {shown(name)} over {x!r} and {over!r}; "
                f"{suggestion(str(name), usable)}"
            )
    return [usable[name] for name in (names or usable)]


def _percentiles(band: Any) -> tuple[float, float]:
    try:
        lower, upper = (float(p) for p in band)
    except (TypeError, ValueError):
        lower = upper = np.nan
    if not 0 <= lower < upper <= 100:
        raise StateError(f"band is {shown(band)}; expected two percentiles, such as (5, 95)")
    return lower, upper


def _draw(axes: Axes, panel: Any, x: str, over: str, band: tuple[float, float]) -> None:
    others = [dim for dim in panel.dims if dim not in (x, over)]
    count = int(np.prod([panel.sizes[dim] for dim in others]))
    if count > _MOST:
        raise StateError(
            f"{panel.name!r} has {count} curves over {name_list(others)}; draw at most {_MOST}: "
            "choose with data.sel(...) or data.isel(...)"
        )
    for k, (label, rows) in enumerate(_curves(panel, others, x, over)):
        good = ~np.all(np.isnan(rows), axis=0)
        low, middle, high = np.full((3, rows.shape[1]), np.nan)
        low[good], middle[good], high[good] = np.nanpercentile(
            rows[:, good], (band[0], 50, band[1]), axis=0
        )
        places = panel[x].values
        axes.fill_between(places, low, high, color=COLORS[k], alpha=0.25, lw=0)
        axes.plot(places, middle, color=COLORS[k], label=label or "_")
    n = int(np.sum(~np.all(np.isnan(panel.values.astype(float)), axis=_axes(panel, over))))
    words = f"median and {band[0]:g} to {band[1]:g} % of {n} runs"
    axes.set_title(f"{panel.name}: {words}", color=INK)
    axes.set_ylabel(_label(panel, str(panel.name).rpartition(".")[2].replace("_", " ")))
    axes.margins(x=0)
    if others:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0.0)


def _axes(panel: Any, over: str) -> tuple[int, ...]:
    return tuple(k for k, dim in enumerate(panel.dims) if dim != over)


def _curves(panel: Any, others: list[str], x: str, over: str) -> Iterator[tuple[str, Any]]:
    """Label and rows (run, place) of each band."""
    for place in np.ndindex(*(panel.sizes[dim] for dim in others)):
        chosen = dict(zip(others, place, strict=True))
        one = panel.isel(chosen).transpose(over, x)
        words = [_value(panel, dim, k) for dim, k in chosen.items()]
        yield ", ".join(words), one.values.astype(float)


def _value(panel: Any, dim: str, k: int) -> str:
    """Value of a coordinate in words; components go without the name of their dimension."""
    if dim not in panel.coords:
        return f"{dim} {k}"
    value = panel[dim].values[k]
    if isinstance(value, str):
        return value
    return f"{dim} = {value:g} {panel[dim].attrs.get('units', '')}".rstrip()


def _label(values: Any, name: str) -> str:
    unit = values.attrs.get("units", "")
    return f"{name} [{shown_unit(unit)}]" if unit else name
