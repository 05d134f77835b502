"""sweep: many runs over parameters, and what they found as one dataset."""

from __future__ import annotations

import json
import uuid
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ResultError, SimulationWarning, SweepError, shown
from ..results.files.disk import as_path
from ..spatial.scalar import reals
from .calls import asked
from .dataset import dataset, xarray_module
from .parameters import MOST_TASKS, checked_samples, sampled, sorted_out
from .pools import pool_of
from .progress import SweepBar
from .records import DONE, FAILED, Record
from .scheduling import Schedule
from .store import Store, stored_study
from .study import RESERVED, Study
from .tasks import Job

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
    for_build, for_run = asked(build, run, study.names)
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
    kept = None if store is None else Store(store, study)
    records = {} if kept is None else kept.records()
    repeat = {FAILED} if retry_failed else set()
    missing = [k for k in wanted if k not in records or records[k].status in repeat]
    done = _Progress(study, records, kept, progress)
    finished = _worked(job, study, missing, done, executor, workers) if missing else True
    found = dataset(study, records)
    _tell(found, len(missing), finished=finished, stored=kept is not None)
    return found


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
    return dataset(study, Store(path, study).records())


class _Progress:
    """Records as they come: kept, stored, counted."""

    def __init__(
        self, study: Study, records: dict[int, Record], store: Store | None, wanted: bool | None
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


def _worked(
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
    axes, drawn, fixed = sorted_out(parameters)
    count = checked_samples(samples, drawn)
    before = None if store is None else stored_study(Path(as_path(store)))
    seed = _seed(seed, before)
    more: dict[str, Any] = _checked_notes(notes)
    more |= {"sampling": sampling} if drawn else {}
    more |= {} if channels is None else {"channels": _channels(channels)}
    more |= {} if times is None else {"times": _times(times).tolist()}
    values = sampled(drawn, count or 0, sampling, seed)
    known = [*(name for axis in axes for name in axis.names), *drawn, *fixed]
    study = Study(axes, values, fixed, count, seed, _checked_units(units or {}, known), more)
    if study.n > MOST_TASKS:
        raise SweepError(f"{study.description()} are too many; use at most {MOST_TASKS}")
    return study


def _seed(given: Any, before: Study | None) -> int:
    if given is None:
        fresh = int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))
        return fresh if before is None else before.seed
    whole = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if not whole or not 0 <= given < 2**63:
        raise SweepError(f"seed is {shown(given)}; expected a whole number from 0")
    return int(given)


def _channels(given: Any) -> list[str]:
    several = isinstance(given, Iterable) and not isinstance(given, str)
    found: list[Any] = list(given) if several else [given]
    if not several or not all(isinstance(x, str) for x in found):
        raise SweepError(f"channels is {shown(given)}; expected a list of names")
    return found


def _times(given: Any) -> Array:
    try:
        times = reals(given)
    except (TypeError, ValueError):
        times = np.empty(0)
    if (
        times.ndim != 1
        or not len(times)
        or not np.all(np.isfinite(times))
        or np.any(np.diff(times) <= 0)
    ):
        raise SweepError(f"times is {shown(given)}; expected increasing times [s]")
    return times


def _checked_notes(given: Any) -> dict[str, Any]:
    try:
        notes = dict(given or {})
        json.dumps(notes)
    except (TypeError, ValueError):
        raise SweepError(f"notes is {shown(given)}; expected text and numbers by name") from None
    return notes


def _checked_units(given: Any, names: Sequence[str]) -> dict[str, str]:
    if not isinstance(given, Mapping) or not all(isinstance(x, str) for x in given.values()):
        raise SweepError(
            f"units is {shown(given)}; expected text by name, such as {{'mass': 'kg'}}"
        )
    if unknown := set(given) - set(names):
        raise SweepError(f"units names {sorted(map(str, unknown))[0]!r}, which is not a parameter")
    return dict(given)


def _wanted(tasks: Any, n: int) -> list[int]:
    if tasks is None:
        return list(range(n))
    given = list(tasks) if isinstance(tasks, Iterable) else [tasks]
    whole = [isinstance(k, (int, np.integer)) and not isinstance(k, bool) for k in given]
    if not all(whole) or not isinstance(tasks, Iterable):
        raise SweepError(f"tasks is {shown(tasks)}; expected numbers, such as range(100)")
    wanted = sorted({int(k) for k in given})
    if wanted and not (0 <= wanted[0] and wanted[-1] < n):
        off = wanted[0] if wanted[0] < 0 else wanted[-1]
        raise SweepError(f"tasks has {off}; there are {n} tasks, numbered from 0 to {n - 1}")
    return wanted


def _tell(found: Any, missing: int, *, finished: bool, stored: bool) -> None:
    """Warn of an interruption, of failures and of warnings."""
    status, n = found["status"].values.ravel(), found["status"].size
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
        said = found[name].values.ravel()
        places = np.flatnonzero(said != "")
        if len(places):
            k = int(places[0])
            text = f"{len(places)} of {n} tasks {words}; task {k}: {said[k]}"
            warnings.warn(text, SimulationWarning, stacklevel=3)
