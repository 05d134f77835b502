"""Panels of a plot over time: named curves, grouped by unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import StateError
from ...results.channels import Channel, resolved
from ...results.display_units import ChosenUnits, in_unit

if TYPE_CHECKING:
    from ...results import Trajectory

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Line:
    """One curve."""

    label: str  # label in the legend; empty if the title of the panel suffices
    values: Array  # (n,) one value for each row
    # whether it is an independent computation of an earlier curve, drawn thin and dashed on it
    balance: bool = False


@dataclass(frozen=True, eq=False)
class Panel:
    """Curves with the same unit over time."""

    title: str  # heading
    quantity: str  # label of the vertical axis, without the unit
    unit: str  # unit as in channels
    lines: list[Line]  # the curves
    logarithmic: bool = False  # whether the vertical axis is logarithmic
    # ends of the vertical axis, so that rounding is not enlarged
    limits: tuple[float, float] | None = None
    level: float = 0.0  # what is taken off the potential and total energy

    @property
    def heading(self) -> str:
        """Title, and what is taken off."""
        off = f"; potential and total less {self.level:.6g} {self.unit}" if self.level else ""
        return self.title + off

    @property
    def label(self) -> str:
        """Label of the vertical axis."""
        return f"{self.quantity} [{shown_unit(self.unit)}]"

    def shown_in(self, units: ChosenUnits) -> Panel:
        """Panel in chosen units."""
        unit, factor = units.shown(self.unit)
        lines = [replace(line, values=in_unit(line.values, factor)) for line in self.lines]
        low, high, level = in_unit(
            np.array([*(self.limits or (0, 0)), self.level]), factor
        ).tolist()
        limits = (low, high) if self.limits else None
        return replace(self, unit=unit, lines=lines, limits=limits, level=level)


def gap_panel(title: str, quantity: str, unit: str, lines: list[Line]) -> Panel:
    """Panel of gaps of loops: if they are closed, it says so instead of enlarging the rounding."""
    if words := closed_words(np.stack([line.values for line in lines]), unit):
        limits = (-10 * _CLOSED, 10 * _CLOSED)
        return Panel(f"{title}: {words}", quantity, unit, lines, limits=limits)
    if all(np.all(line.values >= 0) for line in lines):
        positive = [replace(x, values=np.where(x.values > 0, x.values, np.nan)) for x in lines]
        return Panel(title, quantity, unit, positive, logarithmic=True)
    return Panel(title, quantity, unit, lines)


def closed_words(gaps: Array, unit: str) -> str:
    """How well loops are closed, as "closed to 1e-13 m"; empty if they are not."""
    largest = float(np.nanmax(np.abs(gaps)))
    if largest >= _CLOSED:
        return ""
    return f"closed to {decade(largest)} {shown_unit(unit)}" if largest else "closed exactly"


_CLOSED = 1e-10  # [m or rad], gap of a loop that is taken for closed


def decade(value: float) -> str:
    """Next power of ten above a number, as text."""
    return f"1e{int(np.ceil(np.log10(value)))}"


def shown_unit(unit: str) -> str:
    """Unit with superscript exponents, in the notation of Matplotlib."""
    return re.sub(r"\^(-?[\d.]+)", r"$^{\1}$", unit)


def named_panels(run: Trajectory, names: Sequence[Any]) -> list[Panel]:
    """Panels of channels; those of a sequence share panels, one for each unit."""
    panels = []
    for entry in names:
        group = _group(entry)
        channels = [resolved(run.system, run.store.columns, name)[0] for name in group]
        for channel in channels:
            if not channel.units:
                raise StateError(
                    f"{channel.name!r} has no components, so that there is nothing to plot"
                )
        panels += _by_unit(run, channels)
    return panels


def _group(entry: Any) -> list[Any]:
    if isinstance(entry, str) or not isinstance(entry, Iterable):
        return [entry]  # anything but a name is rejected later
    group = list(entry)
    if not group:
        raise StateError("a group of channels is empty; give at least one name in it")
    return group


def _by_unit(run: Trajectory, channels: list[Channel]) -> list[Panel]:
    """One panel for each unit of the components of channels."""
    lines: dict[str, list[Line]] = {}
    for channel in channels:
        flat = run[channel.name].reshape(run.n, -1)
        for k, unit in enumerate(channel.units):
            label = channel.labels[k] if channel.labels else ""
            if label.isdecimal() and ".mod" in channel.name:
                label = f"mode {label}"
            if len(channels) > 1:
                label = f"{channel.name} {label}" if label else channel.name
            lines.setdefault(unit, []).append(Line(label, flat[:, k]))
    title = ", ".join(channel.name for channel in channels[:4])
    if len(channels) == 1:
        title = f"{title}: {channels[0].description}"
    elif len(channels) > 4:
        title += f" and {len(channels) - 4} more"
    quantity = _quantity(channels)
    if all(_is_gap(channel) for channel in channels):
        return [gap_panel(title, quantity, unit, curves) for unit, curves in lines.items()]
    return [Panel(title, quantity, unit, curves) for unit, curves in lines.items()]


def _is_gap(channel: Channel) -> bool:
    """Whether it is the constraint residual of a loop or coupling, or the largest of all."""
    return channel.name == "closure" or channel.description.startswith("constraint residual")


_WORDS = {
    "q": "coordinates",
    "v": "speeds",
    "closure": "gap",
    "closure_rate": "rate of the gap",
    "center_of_mass": "position",
    "modes": "modal coordinates",
}


def _quantity(channels: list[Channel]) -> str:
    """Name of the quantity in one or two words."""
    words = set()
    for channel in channels:
        first, _, last = channel.name.rpartition(".")
        if first in ("energy", "momentum"):
            last = first
        elif not first and last == channel.name and channel.description.startswith("hinge"):
            last = "coordinates"  # a body's name alone
        elif not first and channel.description.startswith("coordinates of its"):
            last = "coordinates"  # a loop's name alone
        words.add(_WORDS.get(last, last).replace("_", " "))
    return words.pop() if len(words) == 1 else "value"
