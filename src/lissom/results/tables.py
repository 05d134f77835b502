"""Channels as printed tables, xarray datasets, pandas tables, and text for other programs."""

from __future__ import annotations

import csv
import importlib
import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResultError, StateError, printable, shown
from ..notebook import code, table
from ..printing import WIDTH
from .channels import Channel, resolved
from .contact_channels import contact_names
from .display_units import SI, ChosenUnits
from .envelopes import check_csv, peak_notes, usual_loads
from .files.disk import PathLike, as_path, replacing
from .labels import cell
from .peaks import RowCheck

if TYPE_CHECKING:
    from .trajectory import Trajectory

Array = np.ndarray

_SHOWN = 40  # lines of a printed table

# Default quantities of each body in a table.
_USUAL = frozenset(
    "coordinates modes rates mode_rates force modal_force position quaternion".split()
)


class Channels(Mapping[str, Channel]):
    """Channels by name; prints as a table."""

    def __init__(self, channels: Mapping[str, Channel]) -> None:
        self._channels = dict(channels)

    def __getitem__(self, name: str) -> Channel:
        """Channel of a name."""
        return self._channels[name]

    def __iter__(self) -> Iterator[str]:
        """Names."""
        return iter(self._channels)

    def __len__(self) -> int:
        """Number of channels."""
        return len(self._channels)

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        n, few = len(self), list(self.values())[:_SHOWN]
        more = [f"... and {n - _SHOWN} more"] if n > _SHOWN else []
        rows = [(code(c.name), *_facts(c)) for c in few]
        return table(f"{n} channels", ("name", "shape", "unit", "meaning"), rows, more)

    def __repr__(self) -> str:
        """Name, shape, unit and description, one line per channel."""
        lines = channel_lines(list(self.values())[:_SHOWN], WIDTH - 2)
        if (more := len(self) - _SHOWN) > 0:
            lines.append(
                f"... and {more} more; channels('text') lists those whose names contain 'text'"
            )
        n = len(self)
        heading = f"{n} channel{'' if n == 1 else 's'}"
        return "\n".join([heading, *(f"  {line}" for line in lines)])


def channel_lines(channels: Sequence[Channel], width: int = 1000, units: Any = None) -> list[str]:
    """Name, shape, unit and description of channels, aligned."""
    chosen = ChosenUnits.of(units)
    every = [(c.name, *_facts(c, chosen)) for c in channels]
    widths = [max((len(row[k]) for row in every), default=0) for k in range(3)]
    lines = []
    for *row, description in every:
        start = "  ".join([*(f"{x:{w}s}" for x, w in zip(row, widths, strict=True)), ""])
        words = textwrap.wrap(description, max(width - len(start), 24)) or [""]
        lines += [printable(start + words[0]), *(" " * len(start) + x for x in words[1:])]
    return lines


def _facts(c: Channel, chosen: ChosenUnits = SI) -> tuple[str, str, str]:
    """Shape, unit and description."""
    unit = "; ".join(dict.fromkeys(chosen.shown(x)[0] for x in c.units))
    return "x".join(map(str, c.shape)), f"[{_short(unit)}]", c.description


def _short(unit: str) -> str:
    return unit if len(unit) < 16 else "mixed"


def usual_channels(run: Trajectory, names: tuple[str, ...]) -> list[Channel]:
    """Channels by name, or the usual ones."""
    if names:
        return [resolved(run.system, run.store.columns, name)[0] for name in names]
    usual, loops = [], [one.name for one in run.system.constraints]
    contacts = contact_names(run.store.columns)
    for name, channel in run.channels().items():
        group, _, last = name.rpartition(".")
        of_body = group in run.system.names and last in _USUAL
        of_loop = group in loops and last in ("force", "moment")
        of_contact = group in contacts and last in ("gap", "normal_force")
        if of_body or of_loop or of_contact or group == "energy":
            usual.append(channel)
    return usual


def labelled(
    run: Trajectory, names: tuple[str, ...], units: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Variables and coordinates of channels by name: dimensions, values, attributes."""
    chosen = ChosenUnits.of(units)
    (clock,), times = chosen.columns(run.time[:, None], ("s",))
    shared = {("x", "y", "z"): "axis", ("w", "x", "y", "z"): "quaternion"}
    variables: dict[str, Any] = {}
    coordinates: dict[str, Any] = {"time": (["time"], times[:, 0], {"units": clock})}
    for c in usual_channels(run, names):
        if c.name == "time":
            continue  # a coordinate
        dims = [shared.get(c.labels, f"{c.name}.component")] if c.shape else []
        if len(c.shape) == 2:
            dims = ["axis", "own_axis"]
        for dim, n in zip(dims, c.shape, strict=True):
            labels = list(c.labels) if n == len(c.labels) else ["x", "y", "z"]
            coordinates[dim] = ([dim], labels, {})
        words, flat = chosen.columns(run[c.name].reshape(run.n, math.prod(c.shape)), c.units)
        attributes = {"units": "; ".join(dict.fromkeys(words)), "long_name": c.description}
        variables[c.name] = (["time", *dims], flat.reshape(run[c.name].shape), attributes)
    return variables, coordinates


def to_xarray(run: Trajectory, names: tuple[str, ...], units: Any = None) -> Any:
    """Dataset of xarray; see `Trajectory.to_xarray`."""
    about = {"system": run.system.name, "status": str(run.status), "message": run.message}
    variables, coordinates = labelled(run, names, units)
    check = RowCheck(run)
    for name, (_, _, attributes) in variables.items():
        if notes := peak_notes(run, [name], check):
            attributes["note"] = "; ".join(notes)
    return xarray_dataset(variables, coordinates, about)


def xarray_dataset(
    variables: Mapping[str, Any], coordinates: Mapping[str, Any], about: Mapping[str, Any]
) -> Any:
    """Dataset of xarray, or an error that says how to install it."""
    return _module("xarray").Dataset(variables, coordinates, about)


def to_pandas(run: Trajectory, names: tuple[str, ...], units: Any = None) -> Any:
    """DataFrame of pandas; see `Trajectory.to_pandas`."""
    pandas = _module("pandas")
    (_, time, _), *columns = table_columns(run, usual_channels(run, names), units)
    table = pandas.DataFrame(
        {name: values for name, values, _ in columns}, index=pandas.Index(time, name="time")
    )
    table.attrs["units"] = {name: unit for name, _, unit in columns}
    return table


def checked_names(channels: Any) -> tuple[str, ...] | None:
    """Names of channels as the user gave them; None stays None.

    `channels`: the names.
    """
    if channels is None:
        return None
    names = [channels] if isinstance(channels, str) else channels
    if not isinstance(names, Iterable) or not (checked := tuple(names)):
        raise StateError(f'channels is {shown(channels)}; expected names, such as ["arm.angle"]')
    return checked


def table_columns(
    run: Trajectory, channels: Sequence[Channel], units: Any
) -> list[tuple[str, Array, str]]:
    """Name, values and unit of the columns of a table: the time, then all components."""
    chosen = ChosenUnits.of(units)
    (clock,), times = chosen.columns(run.time[:, None], ("s",))
    columns = [("time", times[:, 0], clock)]
    for c in channels:
        if c.name == "time":
            continue
        words, flat = chosen.columns(run[c.name].reshape(run.n, math.prod(c.shape)), c.units)
        names = [f"{c.name}.{label}" if label else c.name for label in c.labels or ("",)]
        columns += zip(names, flat.T, words, strict=False)
    return columns


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed; run: pip install 'lissom[xarray]'") from error


# Text for other programs

_SECTION = "on the part before the section from the part beyond it; a pull is positive"
_SIGNS = {
    "reaction": "on the body from its joint, moment about the origin of the body",
    "interface_load": "on the body from all that is attached to the node, moment about the node",
    "section_force": _SECTION,
    "section_moment": _SECTION,
    "load": "of the loads on the node",
}


def load_table(
    run: Trajectory, path: PathLike, names: Sequence[str], times: Any, units: Any = None
) -> None:
    """Write loads over time; see `Trajectory.load_table`."""
    check_csv(path)
    usual = (name for name in usual_loads(run) if not name.endswith(".stress") and name in run)
    chosen = names or list(usual)  # a frame has no section at its root
    channels = [resolved(run.system, run.store.columns, name)[0] for name in chosen]
    rows = run if times is None else run.sample(times)
    columns = table_columns(rows, channels, units)
    notes = _notes(run, channels, si=units is None)
    write_table(path, columns, notes)


def channel_table(
    run: Trajectory, path: PathLike, names: Sequence[str] | None, units: Any = None
) -> None:
    """Write channels over time as text: names with units, then numbers in full precision.

    `names`: channels; None: those of `Trajectory.to_pandas`.
    """
    name = as_path(path)
    if not name.lower().endswith(".csv"):
        raise ResultError(
            f"cannot save {name}: channels and units are for tables, NAME.csv; files of other "
            "formats hold whole runs in SI units"
        )
    write_table(path, table_columns(run, usual_channels(run, tuple(names or ())), units))


def write_table(
    path: PathLike, columns: Sequence[tuple[str, Array, str]], notes: Sequence[str] = ()
) -> None:
    """Write columns with a line of names and units."""
    numbers = np.stack([values for _, values, _ in columns], axis=1)
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in notes)
        headings = [cell(f"{name} [{unit}]") for name, _, unit in columns]
        csv.writer(file, lineterminator="\n").writerow(headings)
        file.writelines(",".join(map(repr, row)) + "\n" for row in numbers.tolist())


def _notes(run: Trajectory, channels: Sequence[Any], *, si: bool) -> list[str]:
    """Meaning of the columns: what acts on what, and in which axes."""
    units = "SI units, " if si else ""
    lines = [f"loads of {run.system.name or 'a system'}; {units}moments before forces"]
    for channel in channels:
        key = channel.name.rpartition(".")[2]
        kind = key.removesuffix("_world").removesuffix("_parent")
        signs = f"; {_SIGNS[kind]}" if kind in _SIGNS else ""
        lines.append(f"{channel.name}: {channel.description}{signs}")
    lines += run.peak_notes(*(channel.name for channel in channels))
    return [" ".join(line.split()) for line in lines]
