"""sweep: many runs over parameters, and what they found as one dataset."""

from __future__ import annotations

import importlib
import json
import uuid
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ResultError, SimulationWarning, SweepError, shown
from ..fields import count
from ..results.files.disk import as_path
from ..results.files.versions import lissom_version
from ..sim.run.progress import Bar, time_left
from ..spatial.scalar import reals
from .calls import requested_arguments
from .parameters import MOST_TASKS, checked_samples, draw_samples, sorted_parameters
from .pools import pool_of
from .records import DONE, FAILED, MISSING, Labelled, Record
from .scheduling import Schedule
from .store import StudyFolder, stored_study
from .study import ERROR, RESERVED, STATUS, WARNING, Study
from .tasks import Job


def xarray_module() -> Any:
    """The module xarray, or a SweepError with the remedy."""
    try:
        return importlib.import_module("xarray")
    except ImportError:
        raise SweepError("xarray is not installed; run: pip install 'lissom[xarray]'") from None


def dataset(study: Study, records: Mapping[int, Record]) -> Any:
    """Dataset over the dimensions of the study.

    The first task that is done says which variables there are; one that has others has failed.
    """
    columns = {name: np.full(study.n, "", dtype=object) for name in (STATUS, ERROR, WARNING)}
    columns[STATUS][:] = MISSING
    done = sorted(k for k, x in records.items() if x.status == DONE)
    first = records[done[0]] if done else None
    values: dict[str, list[Any]] = {}
    if first is not None:
        values = {x: [None] * study.n for x in first.variables}
    for k, record in records.items():
        columns[STATUS][k], columns[ERROR][k] = record.status, record.error
        columns[WARNING][k] = record.warning
        if record.status != DONE or first is None:
            continue
        if difference := _difference(first, record):
            columns[STATUS][k], columns[ERROR][k] = FAILED, difference
            continue
        for name, rows in values.items():
            rows[k] = record.variables[name][1]
    columns[STATUS] = columns[STATUS].astype(str)  # the others may be long: no fixed width
    variables: dict[str, Any] = {
        name: (study.dims, x.reshape(study.shape)) for name, x in columns.items()
    }
    coordinates = dict(study.coordinates())
    if first is not None:
        for name, rows in values.items():
            variables[name] = _joined_array(study, first.variables[name], rows)
        coordinates |= first.coordinates
    return xarray_module().Dataset(variables, coordinates, _about(study))


def _about(study: Study) -> dict[str, Any]:
    return {
        "description": study.description(),
        "seed": study.seed,
        **{x: study.notes[x] for x in ("sampling", "model") if x in study.notes},
        "lissom_version": lissom_version(),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }


def _difference(first: Record, record: Record) -> str:
    """How a record differs from the first in kind; "" if it does not."""
    if set(first.variables) != set(record.variables):
        wanted, returned = sorted(first.variables), sorted(record.variables)
        return f"run() returned {returned}, and {wanted} in task {first.task}"
    for name, (dims, values, _) in first.variables.items():
        mine, size = record.variables[name][:2]
        if mine != dims or size.shape != values.shape:
            return (
                f"{name!r} has the shape {_shape(mine, size)}, and {_shape(dims, values)} in task "
                f"{first.task}; give all the same, of trajectories with times=..."
            )
        if (size.dtype.kind == "U") != (values.dtype.kind == "U"):
            here, there = ("text" if x.dtype.kind == "U" else "numbers" for x in (size, values))
            return f"{name!r} is {here}, and {there} in task {first.task}; give all the same"
    for name, (_, values, _) in first.coordinates.items():
        places = record.coordinates.get(name, ((), np.empty(0), {}))[1]
        if not _same(places, values):
            return f"{name!r} has other values than in task {first.task}; give all the same"
    return ""


def _same(places: Array, values: Array) -> bool:
    """Whether coordinates are equal up to rounding, as times of rows are."""
    if places.shape != values.shape or "U" in (places.dtype.kind, values.dtype.kind):
        return np.array_equal(places, values)
    if not values.size:
        return True
    numbers = values.astype(float)
    tolerance = 1e-12 * np.ptp(numbers) + 2 * np.spacing(np.abs(numbers).max())
    return np.allclose(places, values, rtol=0.0, atol=tolerance, equal_nan=True)


def _shape(dims: tuple[str, ...], values: Array) -> str:
    return "(" + ", ".join(f"{d}: {n}" for d, n in zip(dims, values.shape, strict=True)) + ")"


def _joined_array(
    study: Study, kind: Labelled, rows: list[Any]
) -> tuple[Any, Array, dict[str, str]]:
    """One array of all tasks; where tasks are missing whole numbers become floats with NaN."""
    dims, sample, attributes = kind
    present = [k for k, x in enumerate(rows) if x is not None]
    dtype = np.result_type(*{rows[k].dtype for k in present})
    empty: Any = ""
    if dtype.kind != "U" and len(present) < len(rows):
        dtype, empty = np.result_type(dtype, float), np.nan
    array = np.full((study.n, *sample.shape), empty, dtype) if len(present) < len(rows) else None
    if array is None:
        array = np.empty((study.n, *sample.shape), dtype)
    for k in present:
        array[k] = rows[k]
    return (*study.dims, *dims), array.reshape(study.shape + sample.shape), attributes


Array = np.ndarray


def sweep(
    build: Any,
    parameters: Mapping[Any, Any],
    run: Any,
    executor: Any = None,
    *,
    samples: int | None = None,
    seed: int | None = None,
    sampling: str = "random",
    channels: Sequence[str] | None = None,
    times: Any = None,
    store: Any = None,
    retry_failed: bool = False,
    tasks: Iterable[int] | None = None,
    workers: int | None = None,
    units: Mapping[str, str] | None = None,
    notes: Mapping[str, Any] | None = None,
    progress: bool | None = None,
) -> Any:
    """Runs over all values of parameters, as one dataset.

    Parameters
    ----------
    build : callable
        Makes the mechanism from the parameters that it names, ``build(mass, length)``, or from all
        of them, ``build(values)``.  A Model is compiled; a System is made once for all tasks with
        the same arguments.  Anything else goes to `run` as it is.
    parameters : mapping
        By name: a list, array or range, whose values make an axis of the grid; a distribution,
        drawn `samples` times (`Normal`, `Uniform`, `LogNormal`, `Triangular`, `Choice`, or a frozen
        one of SciPy); or one value.  A tuple of names with rows of values changes them together.
    run : callable
        Does one run: ``run(system)``, which may also take `values` (a mapping), `rng` (a
        random generator of its own) and parameters by name.  Returns a number, a mapping of
        numbers and arrays, ``(dims, array)`` or ``(dims, array, attributes)``; a Trajectory; or a
        Dataset of xarray.
    executor : None, str or object
        "processes" (the default), "threads", "serial"; or any object with the method ``submit`` of
        `concurrent.futures`, or a Client of Dask.
    samples : int, optional
        Number of samples of the distributions, for each point of the grid the same ones; without
        distributions, number of runs with other random streams.
    seed : int, optional
        Seed of samples and random streams; by default a new one, or that of the store.
    sampling : {"random", "latin_hypercube", "sobol"}
        How samples are drawn.
    channels : sequence of str, optional
        What is kept of a Trajectory.
    times : array, optional
        Times at which channels are kept [s]; by default every `output_step` of the run.
        After the end of a run that an event ended they are NaN.
    store : path, optional
        Folder that keeps the results task by task.  The same call does what is missing there.
    retry_failed : bool
        Whether tasks that failed are repeated.
    tasks : iterable of int, optional
        Numbers of the tasks to do, by default all: with a shared store, the share of one job.
    workers : int, optional
        Number of processes or threads; by default one for each processor.
    units : mapping, optional
        Units of parameters, for the dataset.
    notes : mapping, optional
        Whatever else distinguishes this study from others in the same store, as text or numbers.
    progress : bool, optional
        Whether to show progress; by default on a terminal.

    Returns
    -------
    xarray.Dataset
        Variables over the parameters and "sample"; `status` ("done", "failed", "missing"), `error`
        and `warning` of each task.
    """
    xarray_module()
    study = _study(parameters, samples, seed, sampling, channels, times, store, units, notes)
    for_build, for_run = requested_arguments(build, run, study.names)
    job = Job(
        build,
        run,
        for_build,
        for_run,
        study.seed,
        None if channels is None else tuple(study.notes["channels"]),
        None if times is None else np.array(times, dtype=float),
        (*study.names, *study.dims, *RESERVED),
        uuid.uuid4().hex,
    )
    wanted = _wanted(tasks, study.n)
    folder = None if store is None else StudyFolder(store, study)
    records = {} if folder is None else folder.records()
    repeat = {FAILED} if retry_failed else set()
    missing = [k for k in wanted if k not in records or records[k].status in repeat]
    done = _Progress(study, records, folder, progress)
    finished = _run_tasks(job, study, missing, done, executor, workers) if missing else True
    results = dataset(study, records)
    _warn_of_failures(results, len(missing), finished=finished, stored=folder is not None)
    return results


def gather(store: Any) -> Any:
    """What a store holds so far, as one dataset.

    Parameters
    ----------
    store : path
        Folder of a `sweep`, which may still be at work.

    Returns
    -------
    xarray.Dataset
        As of `sweep`; tasks that are not done have the status "missing".
    """
    path = Path(as_path(store))
    study = stored_study(path)
    if study is None:
        raise ResultError(f"{path}: there is no sweep; give the folder of sweep(store=...)")
    return dataset(study, StudyFolder(path, study).records())


class _Progress:
    """Records as they come: kept, stored, counted."""

    def __init__(
        self,
        study: Study,
        records: dict[int, Record],
        store: StudyFolder | None,
        wanted: bool | None,
    ) -> None:
        self.records, self.store = records, store
        self.good = sum(x.status == DONE for x in records.values())
        self.bad = len(records) - self.good
        self.bar = SweepBar(study.n, len(records), wanted)

    def take(self, record: Record) -> None:
        if record.misused and not self.good:
            raise SweepError(f"task {record.task}: {record.error}")
        self.good += record.status == DONE
        self.bad += record.status == FAILED
        self.records[record.task] = record
        if self.store is not None:
            self.store.append(record)
        self.bar.show(len(self.records), self.bad)

    def close(self) -> None:
        self.bar.close()
        if self.store is not None:
            self.store.close()


def _run_tasks(
    job: Job, study: Study, missing: list[int], done: _Progress, executor: Any, workers: Any
) -> bool:
    """Do tasks; False if Ctrl-C ended that."""
    pool = pool_of(executor, workers, job)
    schedule = Schedule(pool, study, missing, done.take)
    try:
        schedule.run()
    except KeyboardInterrupt:
        schedule.cancel()
        pool.close(at_once=True)
        return False
    except BaseException:
        schedule.cancel()
        pool.close(at_once=True)
        raise
    finally:
        done.close()
    pool.close(at_once=False)
    return True


def _study(
    parameters: Any,
    samples: Any,
    seed: Any,
    sampling: Any,
    channels: Any,
    times: Any,
    store: Any,
    units: Mapping[str, str] | None,
    notes: Mapping[str, Any] | None,
) -> Study:
    axes, drawn, fixed = sorted_parameters(parameters)
    count = checked_samples(samples, drawn)
    before = None if store is None else stored_study(Path(as_path(store)))
    seed = _seed(seed, before)
    more: dict[str, Any] = _checked_notes(notes)
    more |= {"sampling": sampling} if drawn else {}
    more |= {} if channels is None else {"channels": _channels(channels)}
    more |= {} if times is None else {"times": _times(times).tolist()}
    values = draw_samples(drawn, count or 0, sampling, seed)
    names = [*(name for axis in axes for name in axis.names), *drawn, *fixed]
    study = Study(axes, values, fixed, count, seed, _checked_units(units or {}, names), more)
    if study.n > MOST_TASKS:
        raise SweepError(f"{study.description()} are too many; use at most {MOST_TASKS}")
    return study


def _seed(seed: Any, before: Study | None) -> int:
    if seed is None:
        fresh = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
        return fresh if before is None else before.seed
    return count(seed, "seed", 0, 2**63 - 1, error=SweepError)


def _channels(channels: Any) -> list[str]:
    several = isinstance(channels, Iterable) and not isinstance(channels, str)
    names: list[Any] = list(channels) if several else [channels]
    if not several or not all(isinstance(x, str) for x in names):
        raise SweepError(f"channels is {shown(channels)}; expected a list of names")
    return names


def _times(values: Any) -> Array:
    try:
        times = reals(values)
    except (TypeError, ValueError):
        times = np.empty(0)
    if (
        times.ndim != 1
        or not len(times)
        or not np.all(np.isfinite(times))
        or np.any(np.diff(times) <= 0)
    ):
        raise SweepError(f"times is {shown(values)}; expected increasing times [s]")
    return times


def _checked_notes(entries: Any) -> dict[str, Any]:
    try:
        notes = dict(entries or {})
        json.dumps(notes)
    except (TypeError, ValueError):
        raise SweepError(f"notes is {shown(entries)}; expected text and numbers by name") from None
    return notes


def _checked_units(units: Any, names: Sequence[str]) -> dict[str, str]:
    if not isinstance(units, Mapping) or not all(isinstance(x, str) for x in units.values()):
        raise SweepError(
            f"units is {shown(units)}; expected text by name, such as {{'mass': 'kg'}}"
        )
    if unknown := set(units) - set(names):
        raise SweepError(f"units names {sorted(map(str, unknown))[0]!r}, which is not a parameter")
    return dict(units)


def _wanted(tasks: Any, n: int) -> list[int]:
    if tasks is None:
        return list(range(n))
    numbers = list(tasks) if isinstance(tasks, Iterable) else [tasks]
    whole = [isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in numbers]
    if not all(whole) or not isinstance(tasks, Iterable):
        raise SweepError(f"tasks is {shown(tasks)}; expected numbers, such as range(100)")
    wanted = sorted({int(k) for k in numbers})
    if wanted and not (0 <= wanted[0] and wanted[-1] < n):
        off = wanted[0] if wanted[0] < 0 else wanted[-1]
        raise SweepError(f"tasks has {off}; there are {n} tasks, numbered from 0 to {n - 1}")
    return wanted


def _warn_of_failures(results: Any, missing: int, *, finished: bool, stored: bool) -> None:
    """Warn of an interruption, of failures and of warnings."""
    status, n = results["status"].values.ravel(), results["status"].size
    if not finished:
        left = int(np.sum(status == "missing"))
        more = "the same call goes on" if stored else "with store= it could go on"
        warnings.warn(
            f"the sweep was interrupted: {left} of {n} tasks are missing; {more}",
            SimulationWarning,
            stacklevel=3,
        )
    if not missing:
        return
    for name, words in (("error", "failed"), ("warning", "warned")):
        texts = results[name].values.ravel()
        places = np.flatnonzero(texts != "")
        if len(places):
            k = int(places[0])
            text = f"{len(places)} of {n} tasks {words}; task {k}: {texts[k]}"
            warnings.warn(text, SimulationWarning, stacklevel=3)


class SweepBar(Bar):
    """Bar with the tasks done, their rate and the time left.

    `wanted`: as for `Bar`.
    """

    def __init__(self, total: int, before: int, wanted: bool | None) -> None:
        super().__init__("sweep", 0, total, wanted)
        self.resume_at(before)
        self._failed = 0

    def show(self, done: int, failed: int) -> None:
        """Show the progress."""
        self._failed = failed
        self.update(done)

    def words(self, t: float, speed: float) -> str:
        """Tasks done and failed, their rate, time left."""
        parts = [f"{t} of {self.end}"]
        parts += [f"{self._failed} failed"] if self._failed else []
        if speed > 0:
            parts += [f"{speed:.3g}/s", time_left((self.end - t) / speed)]
        return "  ".join(parts)
