"""One task of the study of a model file: its run with other values, and what is kept of it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from ....errors import SimulationWarning, StateError, SweepError
from ....printing import Shown
from ....results import Trajectory
from ....results.envelopes import row_peak_notes
from ....results.tables import labelled
from ....sweeps.outputs import MisuseError, check_ended, output_grid, sampled_channels
from ..addresses import Path, changed
from ..includes import document_of
from ..source import SUFFIXES, Source, failed
from ..units import base_units
from .closed_start import closed_start
from .simulation import ModelRun, run_of

Array = np.ndarray

MOST_TIMES = 1_000_000  # at which channels are kept: more rows would not fit into the memory


@lru_cache(maxsize=4)
def _parsed(path: str, text: str) -> Source:
    return SUFFIXES[os.path.splitext(path)[1].lower()](path, text)


def set_values(
    targets: Mapping[str, tuple[tuple[Path, ...], Any]], values: Mapping[str, Any]
) -> dict[Path, Any]:
    """New values by path, with their units, so that dimensions are checked."""
    by_path: dict[Path, Any] = {}
    for name, value in values.items():
        paths, powers = targets[name]
        by_path |= dict.fromkeys(paths, _as_written(value, powers))
    return by_path


def _as_written(value: Any, powers: Any) -> Any:
    """Value as a file has it: with its unit, or a whole number as such."""
    if powers is not None:
        return f"{float(value)!r} {base_units(powers)}"
    return int(value) if isinstance(value, float) and value.is_integer() else value


@dataclass(frozen=True, eq=False)
class FileBuild(Shown):
    """Makes the run of a model file with other values."""

    # path, text: the file
    path: str
    text: str
    data: dict[str, Any]  # its content
    # paths in the file and powers of the unit, by parameter
    targets: Mapping[str, tuple[tuple[Path, ...], Any]]
    code: bool  # whether functions named in the file may be run

    def __call__(self, **values: Any) -> ModelRun:
        """Run with these values; a ModelFileError with all problems."""
        data = changed(self.data, set_values(self.targets, values))
        source = Source(self.path, self.text, data, lambda: _parsed(self.path, self.text).places)
        run, problems = run_of(document_of(source), functions=True, code=self.code)
        if run is None or problems:
            raise failed(sorted(problems))
        return closed_start(run)[0]


@dataclass(frozen=True, eq=False)
class FileRun(Shown):
    """Simulates the run of a file, and keeps channels over time and reduced outputs."""

    channels: tuple[str, ...]  # channels over time
    outputs: Mapping[str, tuple[str, str | None, str]]  # channel, component and reduction by name
    # times of the rows [s]; None without an output step, or if there are too many
    times: Array | None
    n_time: float = 0.0  # how many there are

    def keeping(self, channels: Sequence[str]) -> FileRun:
        """The same with other channels."""
        return replace(self, channels=tuple(channels))

    def check(self) -> None:
        """Refuse a study that keeps nothing, or channels over time without times."""
        if not self.channels and not self.outputs:
            raise SweepError(
                "the study keeps nothing: give channels or outputs in the section [sweep], or "
                "channels=[...] (--channels)"
            )
        whole = self.channels or any(x[2] == "whole" for x in self.outputs.values())
        if whole and self.n_time > MOST_TIMES:
            raise SweepError(too_many_times(self.n_time))
        if whole and self.times is None:
            raise SweepError("channels over time need output_step in the section [simulation]")

    def description(self) -> list[Any]:
        """What is kept, for JSON."""
        times = None if self.times is None else self.times.tolist()
        return [list(self.channels), {k: list(x) for k, x in self.outputs.items()}, times]

    def __call__(self, run: ModelRun) -> dict[str, Any]:
        """Simulate, and return what is kept by name."""
        done = run.simulate(progress=False)
        check_ended(done)
        try:
            return self._variables(done)
        except StateError as error:  # a channel that is not there
            raise MisuseError(str(error)) from None

    def _variables(self, done: Trajectory) -> dict[str, Any]:
        variables: dict[str, Any] = {}
        if self.channels:
            variables |= self._over_time(done, self.channels)
        for name, (channel, component, reduce) in self.outputs.items():
            if reduce == "whole":
                variables |= _renamed_channel(
                    name, channel, component, self._over_time(done, (channel,))
                )
            else:
                groups = labelled(done, (channel,))
                variables |= _reduced(name, channel, component, reduce, done.time, groups)
        peaks = [x for x, _, reduce in self.outputs.values() if reduce in _PEAKS]
        for note in row_peak_notes(done, list(dict.fromkeys(peaks))):
            warnings.warn(f"peaks are taken over rows: {note}", SimulationWarning, stacklevel=2)
        return variables

    def _over_time(self, run: Trajectory, channels: tuple[str, ...]) -> dict[str, Any]:
        assert self.times is not None  # `check` has looked
        variables, coordinates = sampled_channels(run, channels, self.times)
        return {**coordinates, **variables}


def n_time(settings: Mapping[str, Any]) -> float:
    """Number of the times of the rows of a run with an output step, 0 without one."""
    step = settings.get("output_step")
    return float(settings["duration"]) / float(step) if step else 0.0


def too_many_times(n: float) -> str:
    """Message about too many times at which channels are kept."""
    return (
        f"channels are kept over time, at {n:.3g} times; at most {MOST_TIMES:,} are kept: give a "
        "larger output_step or a shorter duration in the section [simulation], or outputs reduced "
        "over time"
    )


def output_times(settings: Mapping[str, Any]) -> Array | None:
    """Times of the rows of a run with an output step, None without one or if they are too many."""
    if not 0 < n_time(settings) <= MOST_TIMES:
        return None
    return output_grid({"start": 0.0, **settings})


def _renamed_channel(
    name: str, channel: str, component: str | None, variables: dict[str, Any]
) -> dict[str, Any]:
    """Whole channel under another name."""
    dims, values, attributes = variables.pop(channel)
    dims, values = _picked(dims, values, component, variables)
    return {**variables, name: (dims, values, attributes)}


def _reduced(
    name: str, channel: str, component: str | None, reduce: str, times: Array, groups: Any
) -> dict[str, Any]:
    variables, coordinates = groups
    dims, values, attributes = variables[channel]
    axes = {x: (tuple(d), np.asarray(v), a) for x, (d, v, a) in coordinates.items() if x != "time"}
    dims, values = _picked(tuple(dims), np.asarray(values), component, axes)
    attributes = {**attributes, "long_name": f"{reduce} of {channel} over time"}
    return {**axes, name: (dims[1:], _REDUCTIONS[reduce](values, times), attributes)}


def _picked(
    dims: tuple[str, ...], values: Array, component: str | None, axes: dict[str, Any]
) -> tuple[tuple[str, ...], Array]:
    """One component, or the length of a vector; the axis leaves the coordinates."""
    if component is None:
        return dims, values
    if len(dims) != 2:
        raise SweepError(f"component {component!r} is of a channel without components; omit it")
    labels = [str(x) for x in axes.pop(dims[1])[1]]
    if component == "norm":
        return dims[:1], np.linalg.norm(values, axis=1)
    if component not in labels:
        raise SweepError(f"there is no component {component!r}; known: {', '.join(labels)}, norm")
    return dims[:1], values[:, labels.index(component)]


def _mean(values: Array, times: Array) -> Array:
    if len(times) < 2 or times[-1] == times[0]:
        return np.asarray(values[-1])
    middle = (values[1:] + values[:-1]) / 2
    return np.asarray(np.tensordot(np.diff(times), middle, 1) / (times[-1] - times[0]))


_PEAKS = ("max", "min", "peak")
_REDUCTIONS: dict[str, Any] = {
    "max": lambda x, _: x.max(axis=0),
    "min": lambda x, _: x.min(axis=0),
    "peak": lambda x, _: np.abs(x).max(axis=0),
    "final": lambda x, _: x[-1],
    "mean": _mean,
    "rms": lambda x, t: np.sqrt(_mean(x**2, t)),
}
