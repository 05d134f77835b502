"""Where tasks are done: in this thread, in threads, in processes, or by any executor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any

from ..errors import SweepError, shown
from ..fields import count
from .tasks import (
    Job,
    Task,
    packed_job,
    program_is_a_file,
    warnings_by_thread,
    work,
    work_in_thread,
)

NAMES = ("processes", "threads", "serial")
_BLAS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class Pool(ABC):
    """A place where tasks are done."""

    size: int = 1  # how many are done at a time

    @abstractmethod
    def submit(self, tasks: Sequence[Task]) -> Any:
        """Future of the records of some tasks."""

    def renew(self, error: BaseException) -> None:
        """Go on after a worker has died; by default that is not possible."""
        raise SweepError(
            f"the executor has broken ({type(error).__name__}: {error}); make a new one and call "
            "again, with store= what was done is kept, or use executor='processes', which starts "
            "new workers itself and finds the task they died of"
        ) from None

    def close(self, *, at_once: bool) -> None:  # noqa: B027  (some have nothing to end)
        """End the workers."""


def pool_of(executor: Any, workers: Any, job: Job) -> Pool:
    """Pool of an executor as given by the user.

    `executor`: as of `sweep`; `workers`: as of `sweep`.
    """
    choice = "processes" if executor is None else executor
    n = _workers(workers)
    if isinstance(choice, str):
        if choice not in NAMES:
            raise SweepError(
                f"executor is {choice!r}; expected 'processes', 'threads', 'serial', or an object "
                "with submit(), such as a ProcessPoolExecutor or a Client of Dask"
            )
        if choice == "serial":
            return Serial(job)
        return Processes(job, n) if choice == "processes" else Threads(job, n)
    if workers is not None:
        raise SweepError("workers belongs to executors by name; yours has its own number")
    if callable(getattr(choice, "get_executor", None)):  # a Client of Dask
        return UserExecutor(
            job, choice.get_executor(pure=False), sum(choice.ncores().values()) or 1
        )
    if not callable(getattr(choice, "submit", None)):
        raise SweepError(f"executor is {shown(choice)}; expected an object with submit()")
    return UserExecutor(job, choice, getattr(choice, "_max_workers", None) or n)


def _workers(workers: Any) -> int:
    if workers is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    return count(workers, "workers", 1, 10_000, error=SweepError)


class Serial(Pool):
    """One task after the other, in this thread."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def submit(self, tasks: Sequence[Task]) -> Any:
        """Future that is done."""
        future: Future[Any] = Future()
        future.set_result(work(self.job, tasks))
        return future


class Threads(Pool):
    """Threads of this process."""

    def __init__(self, job: Job, n: int) -> None:
        self.job, self.size = job, n
        self._pool = ThreadPoolExecutor(n)
        self._caught = warnings_by_thread()
        self._caught.__enter__()

    def submit(self, tasks: Sequence[Task]) -> Any:
        """Future of some tasks."""
        return self._pool.submit(work_in_thread, self.job, tasks)

    def close(self, *, at_once: bool) -> None:
        """End the threads; those at work finish their task."""
        self._pool.shutdown(wait=not at_once, cancel_futures=True)
        self._caught.__exit__(None, None, None)


class UserExecutor(Pool):
    """An executor of the user's, who closes it."""

    def __init__(self, job: Job, executor: Any, n: int) -> None:
        self.size, self._pool = n, executor
        self._threads = isinstance(executor, ThreadPoolExecutor)
        self._job: Any = job if self._threads else packed_job(job)
        self._caught = warnings_by_thread() if self._threads else nullcontext()
        self._caught.__enter__()

    def submit(self, tasks: Sequence[Task]) -> Any:
        """Future of some tasks."""
        do = work_in_thread if self._threads else work
        try:
            future = self._pool.submit(do, self._job, list(tasks))
        except BrokenExecutor:
            raise
        except Exception as error:
            raise SweepError(
                f"the executor takes no tasks ({type(error).__name__}: {error}); give one that is "
                "open and has the method submit(function, *arguments)"
            ) from None
        if not callable(getattr(future, "add_done_callback", None)):
            raise SweepError(
                f"submit() of the executor returned {shown(future)}; expected a future with "
                "add_done_callback() and result(), as of concurrent.futures"
            )
        return future

    def close(self, *, at_once: bool) -> None:  # noqa: ARG002
        """Leave the executor as it is."""
        self._caught.__exit__(None, None, None)


class Processes(Pool):
    """Worker processes, started for the sweep; they end with this process, even if it is killed."""

    def __init__(self, job: Job, n: int) -> None:
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            sys.exit(1)  # a worker that imports an unguarded main program; its parent explains
        self.size = n
        self._job = packed_job(job)
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # threads of Numba do not survive a fork
        return ProcessPoolExecutor(self.size, context, initializer=_start_worker)

    def submit(self, tasks: Sequence[Task]) -> Any:
        """Future of some tasks."""
        with _one_thread_each(), _importable_program():
            return self._pool.submit(work, self._job, list(tasks))

    def renew(self, error: BaseException) -> None:  # noqa: ARG002
        """New processes in place of those that died."""
        self.close(at_once=True)
        self._pool = self._new()
        try:
            with _one_thread_each(), _importable_program():
                ready = self._pool.submit(_ready)
            ready.result()
        except BrokenExecutor:
            raise SweepError(
                "worker processes cannot start; in a program, put what calls sweep() under "
                "if __name__ == '__main__': (they import the program), or use executor='threads'"
            ) from None

    def close(self, *, at_once: bool) -> None:
        """End the processes."""
        processes = list((getattr(self._pool, "_processes", None) or {}).values())
        self._pool.shutdown(wait=not at_once, cancel_futures=True)
        if at_once:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()


def _ready() -> bool:
    return True


def _start_worker() -> None:
    """Start of a worker: Ctrl-C is for the parent, whose end is the end of the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: Any) -> None:
    parent.join()
    os._exit(1)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Start processes whose linear algebra uses one thread, unless the user said otherwise."""
    added = [x for x in _BLAS if x not in os.environ]
    os.environ.update(dict.fromkeys(added, "1"))
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _importable_program() -> Iterator[None]:
    """Start processes that do not look for a program that came from standard input."""
    main = sys.modules["__main__"]
    path = getattr(main, "__file__", None)
    if path is None or program_is_a_file():
        yield
        return
    del main.__file__
    try:
        yield
    finally:
        main.__file__ = path
