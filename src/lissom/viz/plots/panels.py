"""Panels of a plot over time, of channels by name or the usual ones.

The usual ones are joints, bending, energies with their balance, and loops.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bodies import NormalBody
from ...bodies.nodes import node_called
from ...errors import StateError
from ...results.channels import Channel, resolved
from ...results.display_units import ChosenUnits, in_unit
from ...results.stored_energy import damping_forces, integral, power, power_on_nodes, trapezoids

if TYPE_CHECKING:
    from ...results import Trajectory

Array = np.ndarray

_FEW = 3  # largest number of flexible bodies whose deflection is shown by components
_SMALL = 1e-6  # fraction of the largest component below which a component is not shown
# Fractions of the range of the energy: largest change of the balance with finer rows (its error is
# then much smaller), and largest power that the rows may not account for.
_COARSE, _MISSING = 0.05, 1e-6
_CONSTANT = 1e-6  # part of the largest energy by which those that are called constant may change
_ROUNDING = 1e-12  # part of the potential energy whose change is rounding
_HIGH = 3.0  # potential energy, in ranges of the energies, above which its level is subtracted
_BALANCE = "start + work − losses"
_LOOKED_AT = 7  # rows at which this is checked
# Unit of joint coordinates, or "attitude" -> title, axis label, unit, in the order of the panels.
_JOINTS = {
    "rad": ("Joint angles", "angle", "rad"),
    "attitude": ("Attitudes", "angle", "rad"),
    "m": ("Joint positions", "position", "m"),
    "1": ("Other joint coordinates", "coordinate", "1"),
    "twist rad": ("Twist of gears", "angle", "rad"),
    "twist m": ("Stretch of gears", "length", "m"),
}


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


def usual_panels(run: Trajectory) -> list[Panel]:
    """Default panels of a run."""
    return [*_joints(run), *_deflections(run), _energies(run), *_loops(run)]


def _joints(run: Trajectory) -> list[Panel]:
    """Coordinates of all joints, one panel for each kind; attitudes as angles.

    A joint with an elastic gear is shown as it is beyond the gear, with the twist in its own panel.
    """
    system, lines = run.system, dict[str, list[Line]]()
    gears = {joint: rotor for rotor, joint in system.drives}
    for i, (name, joint) in enumerate(zip(system.names, system.joints, strict=True)):
        if name in gears.values():
            continue
        if name in gears:
            label, unit = joint.coordinates[0]
            lines.setdefault(unit, []).append(Line(name, run[f"{name}.joint_{label}"]))
            lines.setdefault(f"twist {unit}", []).append(Line(name, run[f"{name}.{label}"]))
            continue
        parts, q = joint.coordinates, run.q[:, system.layout.hinge_q(i)]
        if joint.has_quaternion:
            angles = zip(("roll", "pitch", "yaw"), run[f"{name}.hinge_angles"].T, strict=True)
            lines.setdefault("attitude", []).extend(Line(f"{name}.{x}", y) for x, y in angles)
            parts, q = parts[4:], q[:, 4:]
        for k, (label, unit) in enumerate(parts):
            words = name if len(parts) == 1 else f"{name}.{label}"
            lines.setdefault(unit, []).append(Line(words, q[:, k]))
    return [Panel(*look, lines[kind]) for kind, look in _JOINTS.items() if kind in lines]


def _deflections(run: Trajectory) -> list[Panel]:
    """Deflections at the ends of flexible bodies."""
    system = run.system
    bent = [i for i, body in enumerate(system.bodies) if body.n_mode]
    deflections = []
    for i in bent:
        node = _end(system.bodies[i])
        place = f"{system.names[i]}.{node}"
        deflections.append((place, run[f"{place}.deflection"]))
    if not deflections:
        return []
    if len(deflections) > _FEW:
        lines = [Line(place, np.linalg.norm(values, axis=1)) for place, values in deflections]
        return [Panel("Deflection of flexible bodies", "deflection", "m", lines)]
    worth = _SMALL * max(np.abs(values).max() for _, values in deflections)
    lines = [
        Line(f"{place} {axis}", values[:, k])
        for place, values in deflections
        for k, axis in enumerate("xyz")
        if np.abs(values[:, k]).max() > worth
    ]
    title = "Bending, in the axes of the body"
    return [Panel(title, "deflection", "m", lines or [Line(p, v[:, 0]) for p, v in deflections])]


def _end(body: NormalBody) -> str:
    """Name of the node "tip", or name or number of the node that moves most."""
    if "tip" in body.node_names:
        return "tip"
    node = int(np.argmax(np.abs(body.node_shapes[:, 3:]).sum(axis=(1, 2))))
    return node_called(body.node_names, node) or str(node)


def _energies(run: Trajectory) -> Panel:
    """Nonzero energies, their sum, and the expected sum from the work done."""
    kinds = ("kinetic", "potential", "strain", "springs", "rotors")
    parts = {key: run[f"energy.{key}"] for key in kinds if f"energy.{key}" in run}
    curves = {key: values for key, values in parts.items() if np.any(values)}
    if len(curves) != 1:
        curves["total"] = run["energy.total"]
    balance = _balance(run)
    if balance is not None:
        curves[_BALANCE] = balance
    # the level of the potential is arbitrary: it must not hide the other curves
    level = float(parts["potential"][0])
    range_ = max(np.ptp(values) for values in curves.values())
    level = level if abs(level) > _HIGH * range_ > _HIGH * _ROUNDING * abs(level) else 0.0
    levelled = ("potential", "total", _BALANCE)
    lines = [
        Line(key, values - level if key in levelled else values, key == _BALANCE)
        for key, values in curves.items()
    ]
    whole, spread = np.stack([line.values for line in lines]), max(np.ptp(x.values) for x in lines)
    size = float(np.abs(whole).max())
    if not 0 < spread < _CONSTANT * size:
        return Panel("Energies", "energy", "J", lines, level=level)
    ends = (min(1.1 * whole.min(), 0.0), max(1.1 * whole.max(), 0.0))
    title = f"Energies, constant to {decade(spread / size)} of the largest"
    return Panel(title, "energy", "J", lines, level=level, limits=ends)


def _balance(run: Trajectory) -> Array | None:
    """Initial energy plus the work of forces and loads, minus the losses of modal damping.

    None if there is nothing to balance, if the rows are too far apart to integrate, or if they are
    incomplete: earlier versions did not note the inertia of rotors.
    """
    system, store = run.system, run.store
    rate = power(system, store)
    if run.n < 3 or not np.any(rate):
        return None
    fine, coarse = integral(run.time, rate), trapezoids(run.time, rate)
    forces = np.abs(run.force) + np.abs(damping_forces(system, run.v))
    doubt = max(np.abs(fine - coarse).max(), _doubt(run, forces, power_on_nodes(system, store)))
    energy = run.energy
    if doubt > _COARSE * np.ptp(energy.total - energy.springs) or _has_rotors(run):
        return None
    return run["energy.total"][0] + run["energy.work"]


def _doubt(run: Trajectory, forces: Array, loads: Array) -> float:
    """Energy [J] possibly missed between rows: changes of speed that accelerations do not show.

    It detects vibrations faster than the spacing of the rows, which are aliased in the rows alone.
    """
    steps, rates = np.diff(run.time), run.acceleration
    gap = np.abs(np.diff(run.v, axis=0) - steps[:, None] * (rates[1:] + rates[:-1]) / 2)
    sizes = np.abs(run.v).max(axis=0)
    part = np.max(gap / np.maximum(sizes, 1e-3 * sizes.max() + 1e-300), axis=1)
    hidden = np.sum(gap * np.maximum(forces[1:], forces[:-1]), axis=1)
    return float(steps @ (hidden + part * np.maximum(np.abs(loads[1:]), np.abs(loads[:-1]))))


def _has_rotors(run: Trajectory) -> bool:
    """Whether single-axis joints pass on another power than that of forces and noted rotors."""
    rows = np.linspace(0, run.n - 1, min(_LOOKED_AT, run.n)).astype(int)
    few = run.sample(run.time[rows])
    missing, whole = 0.0, 0.0
    noted = dict(run.store.columns.rotors)
    for i, (name, joint) in enumerate(zip(run.system.names, run.system.joints, strict=True)):
        if joint.n_v == 1:
            passed = few[f"{name}.reaction"] @ joint.motion_map(joint.neutral())
            force, rates = few[f"{name}.force"], few[f"{name}.rates"]
            inertia = noted.get(run.system.layout.hinge_v(i).start, 0.0)
            force = force - inertia * few[f"{name}.hinge_acceleration"]
            missing = max(missing, float(np.abs((passed - force) * rates).max()))
            size = np.abs(few[f"{name}.reaction"]).max() + np.abs(force).max()
            whole = max(whole, float(size * np.abs(rates).max()))
    return missing > _MISSING * whole


def _loops(run: Trajectory) -> list[Panel]:
    """Largest gap of the loops, if they are open."""
    if not run.system.constraints or closing_note(run):
        return []
    return [gap_panel("Largest gap of the loops", "gap", "m", [Line("", run["closure"])])]


def closing_note(run: Trajectory) -> str:
    """How well the loops are closed, in words; empty if they are not or if there are none."""
    if not run.system.constraints:
        return ""
    words = closed_words(run["closure"], "m")
    return words and f"loops {words}"
