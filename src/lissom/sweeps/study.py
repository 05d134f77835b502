"""A study: the values of all its tasks, and its description on disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from ..errors import name_list

Scalar = bool | int | float | str

SAMPLE = "sample"  # dimension of samples
STATUS, ERROR, WARNING = "status", "error", "warning"  # variables about the tasks
RESERVED = ("system", "values", "rng", "task", SAMPLE, STATUS, ERROR, WARNING)


@dataclass(frozen=True)
class GridAxis:
    """A dimension of the grid: one parameter, or several that change together."""

    dim: str  # name of the dimension
    names: tuple[str, ...]  # parameters
    values: tuple[tuple[Scalar, ...], ...]  # values of each parameter

    def __len__(self) -> int:
        """Number of values."""
        return len(self.values[0])


@dataclass(frozen=True)
class Study:
    """Values of all tasks: the grid, the last axis of which are the samples.

    Tasks are numbered in this order, the last axis fastest.
    """

    axes: tuple[GridAxis, ...]  # the grid
    # samples by parameter; each task of the grid sees the same
    drawn: Mapping[str, tuple[Scalar, ...]]
    fixed: Mapping[str, Scalar]  # parameters with one value
    samples: int | None  # number of samples; None for a grid alone
    seed: int  # seed of samples and of the random streams
    units: Mapping[str, str] = field(default_factory=dict)  # units by parameter
    # what else makes the results: sampling, channels, times, model file
    notes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters."""
        grid = (name for axis in self.axes for name in axis.names)
        return (*grid, *self.drawn, *self.fixed)

    @property
    def dims(self) -> tuple[str, ...]:
        """Dimensions."""
        return tuple(x.dim for x in self.axes) + (() if self.samples is None else (SAMPLE,))

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension."""
        return tuple(map(len, self.axes)) + (() if self.samples is None else (self.samples,))

    @property
    def n(self) -> int:
        """Number of tasks."""
        return int(np.prod(self.shape, dtype=object))

    def values(self, task: int) -> dict[str, Scalar]:
        """Parameters of a task."""
        place = [int(k) for k in np.unravel_index(task, self.shape)] if self.shape else []
        by_name: dict[str, Scalar] = {}
        for axis, k in zip(self.axes, place, strict=False):
            by_name |= {
                name: column[k] for name, column in zip(axis.names, axis.values, strict=True)
            }
        by_name |= {name: column[place[-1]] for name, column in self.drawn.items()}
        return by_name | dict(self.fixed)

    def coordinates(self) -> dict[str, tuple[Any, Any, dict[str, str]]]:
        """Coordinates of a dataset by name: dimensions, values, attributes."""
        by_name: dict[str, tuple[Any, Any, dict[str, str]]] = {}
        for axis in self.axes:
            for name, column in zip(axis.names, axis.values, strict=True):
                by_name[name] = ((axis.dim,), np.array(column), self._units(name))
        for name, column in self.drawn.items():
            by_name[name] = ((SAMPLE,), np.array(column), self._units(name))
        for name, value in self.fixed.items():
            by_name[name] = ((), value, self._units(name))
        return by_name

    def _units(self, name: str) -> dict[str, str]:
        return {"units": self.units[name]} if self.units.get(name) else {}

    def description(self) -> str:
        """One line: the dimensions and their sizes."""
        sizes = zip(self.dims, self.shape, strict=True)
        words = ", ".join(f"{name} ({n})" for name, n in sizes)
        tasks = f"{self.n} task{'s' * (self.n != 1)}"
        return f"{tasks} over {words}" if words else tasks

    def to_json(self) -> dict[str, Any]:
        """Dictionary for JSON."""
        return json.loads(json.dumps(asdict(self)))

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """Study from the dictionary of `to_json`."""
        axes = tuple(
            GridAxis(x["dim"], tuple(x["names"]), tuple(map(tuple, x["values"])))
            for x in data["axes"]
        )
        drawn = {name: tuple(values) for name, values in data["drawn"].items()}
        rest = {x: data[x] for x in ("fixed", "samples", "seed", "units", "notes")}
        return cls(axes, drawn, **rest)

    @property
    def fingerprint(self) -> str:
        """Digest of all that makes the tasks."""
        text = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def difference(self, other: Study) -> str:
        """What another study has otherwise, in words; "" if nothing."""
        if self.fingerprint == other.fingerprint:
            return ""
        if set(self.names) != set(other.names):
            return f"its parameters are {name_list(other.names)}"
        if self.samples != other.samples:
            return f"it has samples={other.samples}"
        if self.seed != other.seed:
            return f"its seed is {other.seed}"
        mine, theirs = self.coordinates(), other.coordinates()
        for name, (_, values, _) in mine.items():
            if not np.array_equal(values, theirs[name][1]):
                return f"parameter {name!r} has other values there"
        for key in {*self.notes, *other.notes}:
            if self.notes.get(key) != other.notes.get(key):
                return f"its {key} is not the same"
        return "its parameters are in another order"
