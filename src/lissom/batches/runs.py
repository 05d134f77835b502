"""Results of many runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import LissomError, ResultError, shown, suggestion
from ..results.store import Columns, MemoryStore
from ..results.tables import labelled, xarray_dataset
from ..results.trajectory import Trajectory
from ..system import System

Array = np.ndarray
AT_END = 2  # rows at the time of a failure that ends a run


class OneRun(NamedTuple):
    """Rows of a run with their columns, None if it could not start, and its metadata.

    error: what kept it from starting.
    """

    columns: Columns | None
    rows: Array | None
    meta: dict[str, Any]
    error: LissomError | None = None


def unfinished(status: str, message: str, error: LissomError | None = None) -> OneRun:
    """A run that could not start."""
    return OneRun(None, None, {"status": status, "message": message, "statistics": {}}, error)


class Runs(Sequence[Trajectory]):
    """Results of `simulate_batch`: a sequence of trajectories, and arrays over all of them.

    ``runs[k]`` is the trajectory of run k, without rows if it could not start;
    ``runs["body.position"]`` is a channel of all runs, as arrays of `part`; ``runs[2:5]`` or
    ``runs[runs.status == "finished"]`` are some of them.

    Parameters
    ----------
    systems : sequence of System
        The mechanism, or its variants.
    runs : list of OneRun
        Rows and metadata.

    Attributes
    ----------
    status : array of str (k,)
        "finished", "event", or why a run ended early.
    message : tuple of str
        The same in words.
    """

    def __init__(self, systems: Sequence[System], runs: list[OneRun]) -> None:
        self._systems, self._runs = systems, runs
        self.status = np.array([x.meta["status"] for x in runs], dtype=str)
        self.message = tuple(str(x.meta["message"]) for x in runs)

    def _system(self, k: int) -> System:
        return self._systems[k if len(self._systems) > 1 else 0]

    def _columns(self, k: int) -> Columns:
        return self._runs[k].columns or Columns.of(self._system(k))

    def _rows(self, k: int) -> Array:
        rows = self._runs[k].rows
        return np.zeros((0, self._columns(k).width)) if rows is None else rows

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, str):
            return self._channel(k)
        try:
            places = np.arange(len(self))[k]
            if places.ndim > 1 or isinstance(k, tuple):
                raise TypeError
        except (IndexError, TypeError, ValueError):
            words = f"there is no run {shown(k)}; there are {len(self)}, numbered from 0"
            raise (IndexError if isinstance(k, (int, np.integer)) else ResultError)(words) from None
        return self._subset(places) if places.ndim else self._trajectory(int(places))

    def _trajectory(self, k: int) -> Trajectory:
        store = MemoryStore(self._columns(k), self._rows(k))
        return Trajectory(self._system(k), store, self._runs[k].meta)

    def _subset(self, places: Array) -> Runs:
        systems = [self._system(k) for k in places] if len(self._systems) > 1 else self._systems
        return Runs(systems or self._systems[:1], [self._runs[k] for k in places])

    def __iter__(self) -> Iterator[Trajectory]:
        return (self._trajectory(k) for k in range(len(self)))

    def __repr__(self) -> str:
        words = [f"{int((self.status == x).sum())} {x}" for x in sorted(set(self.status))]
        of = f"<{len(self)} runs of {self._systems[0].name or 'a system'!r}"
        return f"{of}: {', '.join(words)}>" if words else f"{of}>"

    @property
    def time(self) -> Array:
        """Times of the rows (rows,) [s], which all runs must share; rows at events do not count."""
        return self._common_times()[0].copy()

    def _common_times(self) -> tuple[Array, list[Array]]:
        """Times of the rows, and the rows of each run at the first of them, as far as it came."""
        due = [self._output_rows(k) for k in range(len(self))]
        times = [self._rows(k)[x, 0] for k, x in enumerate(due)]
        done = [x for x, status in zip(times, self.status, strict=True) if status == "finished"]
        full = max(done or times, key=len, default=np.zeros(0))
        tolerance = _time_tolerance(full)
        reached: list[Array] = []
        for k, run_times in enumerate(times):
            n = min(len(run_times), len(full))
            same = np.flatnonzero(np.abs(run_times[:n] - full[:n]) > tolerance)
            m = int(same[0]) if len(same) else n
            if len(run_times) - m > AT_END:
                raise ResultError(
                    f"run {k} has rows at other times than the others; give output_step= or step=, "
                    "or take each trajectory by itself: runs[k]"
                )
            reached.append(due[k][:m])
        return full, reached

    def _output_rows(self, k: int) -> Array:
        """Rows of a run at times of output, not those of events; of two at a time the second."""
        t, meta = self._rows(k)[:, 0], self._runs[k].meta
        tolerance, extra = _time_tolerance(t), np.isin(t, [x for x, _ in meta.get("events", ())])
        if step := meta.get("output_step"):
            start = meta["start"]
            grid = np.minimum(start + np.round((t - start) / step) * step, start + meta["duration"])
            extra &= np.abs(t - grid) > tolerance
        return np.flatnonzero(~extra & (np.diff(t, append=np.inf) > tolerance))

    def _longest(self) -> Trajectory:
        """A run that came as far as any other; one without rows, where there are no runs."""
        some = self if len(self) else Runs(self._systems, [unfinished("", "")])
        return some._trajectory(max(range(len(some)), key=lambda k: len(some._rows(k))))

    def _channel(self, name: str) -> Array:
        """A channel of all runs (k, rows, ...); NaN in rows that a run did not reach."""
        full, reached = self._common_times()
        by_run = {
            k: np.asarray(self._trajectory(k)[name], float)[n]
            for k, n in enumerate(reached)
            if len(n)
        }
        shapes = {x.shape[1:] for x in by_run.values()} or {self._longest()[name].shape[1:]}
        if len(shapes) > 1:
            raise ResultError(f"{name!r} has other shapes in other runs; take them one by one")
        out = np.full((len(self), len(full), *shapes.pop()), np.nan)
        for k, values in by_run.items():
            out[k, : len(values)] = values
        return out

    def _field_slices(self, name: Any) -> tuple[int, list[slice]]:
        """Numbers of a field, and its place in the rows of each run."""
        columns = [self._columns(k) for k, x in enumerate(self._runs) if x.columns is not None]
        columns = columns or [Columns.of(self._systems[0])]
        sizes = set()
        for layout in columns:
            if name not in layout.slices:
                words = f"there is no {shown(name)} in the rows of all runs"
                raise ResultError(f"{words}; {suggestion(str(name), layout.fields)}")
            piece = layout.slices[name]
            sizes.add(piece.stop - piece.start)
        if len(sizes) > 1:
            raise ResultError(f"{name!r} has other sizes in other runs; take each by itself")
        nothing = slice(0, 0)
        places = [nothing if x.columns is None else x.columns.slices[name] for x in self._runs]
        return sizes.pop(), places

    def part(self, name: str) -> Array:
        """Numbers of all runs, (k, rows, n); NaN in rows that a run did not reach.

        Parameters
        ----------
        name : str
            "q", "v", "acceleration", "force" or "wrench".
        """
        full, reached = self._common_times()
        size, pieces = self._field_slices(name)
        out = np.full((len(self), len(full), size), np.nan)
        for k, n in enumerate(reached):
            if len(n):
                out[k, : len(n)] = self._rows(k)[n, pieces[k]]
        return out

    def last(self, name: str) -> Array:
        """Numbers at the end of each run, (k, n).

        Parameters
        ----------
        name : str
            As for `part`, or "time".
        """
        size, pieces = self._field_slices(name)
        out = np.full((len(self), size), np.nan)
        for k in range(len(self)):
            if len(rows := self._rows(k)):
                out[k] = rows[-1, pieces[k]]
        return out

    @property
    def q(self) -> Array:
        """Coordinates (k, rows, n_q)."""
        return self.part("q")

    @property
    def v(self) -> Array:
        """Speeds (k, rows, n_v)."""
        return self.part("v")

    def to_xarray(self, *names: str) -> Any:
        """Dataset of xarray of all runs, over "run" and "time"; `to_netcdf` of it writes a file.

        Parameters
        ----------
        *names : str
            Channels; by default those of `Trajectory.to_xarray`.

        Returns
        -------
        xarray.Dataset
            The channels, NaN in rows that a run did not reach, `status` and `message`.
        """
        channels, coordinates = labelled(self._longest(), names)
        variables: dict[str, Any] = {
            "status": ("run", self.status),
            "message": ("run", np.array(self.message, dtype=object)),
        }
        for name, (dims, _, attributes) in channels.items():
            variables[name] = (["run", *dims], self._channel(name), attributes)
        places = {"run": np.arange(len(self)), "time": (*coordinates["time"][:1], self.time)}
        places["time"] += coordinates["time"][2:]
        return xarray_dataset(variables, coordinates | places, {"system": self._systems[0].name})

    @property
    def statistics(self) -> dict[str, Array]:
        """Numbers of steps, evaluations and the like, (k,) each."""
        by_run = [x.meta["statistics"] for x in self._runs]
        whole: Mapping[str, Any] = max(by_run, key=len, default={})
        names = [name for name, x in whole.items() if isinstance(x, (int, float))]
        return {name: np.array([x.get(name, np.nan) for x in by_run]) for name in names}


def _time_tolerance(times: Array) -> float:
    """Difference of two times that are not the same."""
    if not times.size:
        return 0.0
    return float(1e-12 * np.ptp(times) + 2 * np.spacing(np.abs(times).max()))
