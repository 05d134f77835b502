"""Loads over time as text for other programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .channels import resolved
from .envelopes import check_csv, usual_loads
from .files.disk import PathLike, replacing

if TYPE_CHECKING:
    from .trajectory import Trajectory

_SECTION = "on the part before the section from the part beyond it; a pull is positive"
_SIGNS = {
    "reaction": "on the body from its joint, moment about the origin of the body",
    "interface_load": "on the body from all that is attached to the node, moment about the node",
    "section_force": _SECTION,
    "section_moment": _SECTION,
    "load": "of the loads on the node",
}


def load_table(run: Trajectory, path: PathLike, names: Sequence[str], times: Any) -> None:
    """Write loads over time; see `Trajectory.load_table`."""
    check_csv(path)
    usual = (name for name in usual_loads(run) if not name.endswith(".stress") and name in run)
    chosen = names or list(usual)  # a frame has no section at its root
    channels = [resolved(run.system, run.store.columns, name)[0] for name in chosen]
    rows = run if times is None else run.sample(times)
    columns, headings = [rows.time[:, None]], ["time [s]"]
    for channel in channels:
        columns.append(rows[channel.name].reshape(rows.n, -1))
        parts = zip(channel.labels or ("",), channel.units, strict=True)
        headings += [f"{channel.name}{f'.{x}' if x else ''} [{unit}]" for x, unit in parts]
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {line}\n" for line in _notes(run, channels))
        csv.writer(file, lineterminator="\n").writerow(headings)
        table = np.concatenate(columns, axis=1)
        file.writelines(",".join(map(repr, row)) + "\n" for row in table.tolist())


def _notes(run: Trajectory, channels: Sequence[Any]) -> list[str]:
    """Meaning of the columns: what acts on what, and in which axes."""
    lines = [f"loads of {run.system.name or 'a system'}; SI units, moments before forces"]
    for channel in channels:
        key = channel.name.rpartition(".")[2]
        kind = key.removesuffix("_world").removesuffix("_parent")
        signs = f"; {_SIGNS[kind]}" if kind in _SIGNS else ""
        lines.append(f"{channel.name}: {channel.description}{signs}")
    return [" ".join(line.split()) for line in lines]
