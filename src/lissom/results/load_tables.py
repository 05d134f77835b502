"""Loads and other channels over time as text for other programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResultError
from .channels import resolved
from .envelopes import check_csv, usual_loads
from .files.disk import PathLike, as_path, replacing
from .labels import cell
from .tables import table_columns, usual_channels

if TYPE_CHECKING:
    from .trajectory import Trajectory

Array = np.ndarray

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
    table = np.stack([values for _, values, _ in columns], axis=1)
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in notes)
        headings = [cell(f"{name} [{unit}]") for name, _, unit in columns]
        csv.writer(file, lineterminator="\n").writerow(headings)
        file.writelines(",".join(map(repr, row)) + "\n" for row in table.tolist())


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
