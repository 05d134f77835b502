"""The work of one task, wherever it is done."""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LissomError, SweepError, printable
from ..model import Model
from ..system import System
from .calls import Arguments
from .outputs import MisuseError, outputs
from .records import DONE, FAILED, Record
from .study import Scalar

Array = np.ndarray
Task = tuple[int, dict[str, Scalar]]  # its number and its parameters

# What simulate() and simulate_batch() say.
_INTERRUPTED = ("the run ended early (interrupted)", "the runs ended early (interrupted)")
_LONGEST = 2000  # characters of an error or a warning
_HERE = str(Path(__file__).parents[1])

# Systems by the arguments of build, of each thread; few, for they may be large.
_BUILT = threading.local()
_MOST_BUILT = 8

_SAID = threading.local()  # warnings of the task that a thread is at
_OF_PROGRAMMERS = (DeprecationWarning, PendingDeprecationWarning, ResourceWarning)


@dataclass(frozen=True)
class Job:
    """What all tasks have in common."""

    # build, run: the user's functions
    build: Any
    run: Any
    # for_build, for_run: what they ask for
    for_build: Arguments
    for_run: Arguments
    seed: int  # seed of the study
    channels: tuple[str, ...] | None  # channels of trajectories
    times: Array | None  # times at which they are kept [s]
    reserved: tuple[str, ...]  # names that results may not have
    identity: str  # distinguishes this job from others in a worker


def stream(seed: int, task: int) -> np.random.Generator:
    """Random generator of a task, independent of those of all others."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1, task)))


def packed_job(job: Job) -> bytes:
    """A job as bytes for another process; a SweepError where it cannot be sent."""
    try:
        pickled = pickle.dumps(job)
        if not _from_notebook(job):
            return pickled
        reason = "it is defined in a notebook, at the prompt or in standard input"
    except Exception as error:  # whatever the user's objects raise
        reason = f"{type(error).__name__}: {error}"
    try:
        import cloudpickle
    except ImportError:
        raise SweepError(
            f"build or run cannot be sent to other processes ({reason}); define them with def in a "
            "file and import it, or: pip install cloudpickle, or: executor='threads'"
        ) from None
    try:
        return bytes(cloudpickle.dumps(job))
    except Exception as error:
        raise SweepError(
            f"build or run cannot be sent to other processes ({type(error).__name__}: {error}); "
            "let them make what they need, or use executor='threads'"
        ) from None


def program_is_a_file() -> bool:
    """Whether the main program is one that other processes can import."""
    main = sys.modules["__main__"]
    return bool(getattr(main, "__spec__", None)) or os.path.exists(
        getattr(main, "__file__", None) or ""
    )


def _from_notebook(job: Job) -> bool:
    """Whether a function is of a main program that other processes cannot import."""
    return not program_is_a_file() and any(
        getattr(x, "__module__", "") == "__main__" for x in (job.build, job.run)
    )


@lru_cache(maxsize=4)
def _unpacked(data: bytes) -> Job:
    try:
        job = pickle.loads(data)
    except Exception as error:
        raise SweepError(
            f"build or run cannot be found by other processes ({type(error).__name__}: {error}); "
            "define them at the top of a file that can be imported there, or use executor='threads'"
        ) from None
    assert isinstance(job, Job)
    return job


def work(job: Job | bytes, tasks: Sequence[Task]) -> list[Record]:
    """Do some tasks; failures become records, and so do warnings."""
    with warnings_by_thread():
        return work_in_thread(job, tasks)


def work_in_thread(job: Job | bytes, tasks: Sequence[Task]) -> list[Record]:
    """The same within `warnings_by_thread` of another thread."""
    whole = _unpacked(job) if isinstance(job, bytes) else job
    return [_record_of_task(whole, task, values) for task, values in tasks]


@contextmanager
def warnings_by_thread() -> Iterator[None]:
    """Let every thread that is at a task keep its warnings; those of others are shown."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def keep(message: Warning | str, category: type[Warning], *more: Any, **named: Any) -> None:
            texts = getattr(_SAID, "texts", None)
            if texts is None:
                show(message, category, *more, **named)
            elif not issubclass(category, _OF_PROGRAMMERS):
                texts.append(str(message))

        warnings.simplefilter("always")
        warnings.showwarning = keep
        yield


def _record_of_task(job: Job, task: int, values: dict[str, Scalar]) -> Record:
    start = time.perf_counter()
    texts: list[str] = []
    _SAID.texts = texts
    try:
        variables, coordinates = _result(job, task, values)
        groups: dict[str, Any] = {"variables": variables, "coordinates": coordinates}
        status, error, misused = DONE, "", False
    except MisuseError as wrong:
        groups, status, error, misused = {}, FAILED, str(wrong), True
    except KeyboardInterrupt:
        raise
    except BaseException as wrong:  # of SystemExit and those of other languages, too
        groups, status, error, misused = {}, FAILED, _words(wrong), False
    finally:
        _SAID.texts = None
    if any(x.startswith(_INTERRUPTED) for x in texts):
        raise KeyboardInterrupt  # they took the Ctrl-C for themselves
    return Record(
        task,
        status,
        error[:_LONGEST],
        printable("; ".join(dict.fromkeys(texts)))[:_LONGEST],
        **groups,
        misused=misused,
        seconds=time.perf_counter() - start,
    )


def _result(job: Job, task: int, values: dict[str, Scalar]) -> Any:
    system = _system_of_task(job, values)
    returned = job.run(system, **job.for_run.of(values, lambda: stream(job.seed, task)))
    return outputs(returned, job.channels, job.times, job.reserved)


def _system_of_task(job: Job, values: dict[str, Scalar]) -> Any:
    """What `build` returns, compiled; a system is kept for tasks with the same arguments."""
    systems = _BUILT.__dict__.setdefault("systems", {})
    key = (job.identity, job.for_build.key(values))
    if key in systems:
        return systems[key]
    system = job.build(**job.for_build.of(values, lambda: None))
    if system is None:
        raise MisuseError("build() returned None; return a Model or a System")
    if isinstance(system, Model):
        system = system.compile()
    if isinstance(system, System):
        if len(systems) >= _MOST_BUILT:
            del systems[next(iter(systems))]
        systems[key] = system
    return system


def _words(error: BaseException) -> str:
    """Exception as one line, with the place in the user's program."""
    try:
        text = printable(" ".join(str(error).split()))
    except Exception:
        text = "it cannot say why"
    words = f"{type(error).__name__}: {text}" if text else type(error).__name__
    if isinstance(error, LissomError):
        return words
    outside = [x for x in traceback.extract_tb(error.__traceback__) if _HERE not in x.filename]
    return (
        f"{words} ({Path(outside[-1].filename).name}, line {outside[-1].lineno})"
        if outside
        else words
    )
