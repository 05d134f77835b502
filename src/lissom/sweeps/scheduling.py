"""Distribution of tasks to a pool: in chunks, with another try where a worker dies."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from typing import Any

from ..errors import SweepError
from .pools import Pool
from .records import Record, failed
from .study import Study

CHUNK = 0.2  # [s], work that is sent at a time
AHEAD = 2  # chunks for each worker, so that none waits
_POLL = 0.2  # [s]; Ctrl-C is noticed within this time
_DIED = "the process that ran it died twice (killed, out of memory, or os._exit)"


class Schedule:
    """Tasks on their way through a pool.

    A task whose worker died, or whose future failed, is tried once more, alone.
    """

    def __init__(
        self, pool: Pool, study: Study, tasks: Iterable[int], take: Callable[[Record], None]
    ) -> None:
        self.pool, self.study, self.take = pool, study, take
        self._waiting = deque(tasks)
        self._to_repeat: deque[int] = deque()
        self._in_flight: dict[Any, tuple[int, ...]] = {}
        self._alone = False
        self._completed: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._seconds, self._done = 0.0, 0

    def run(self) -> None:
        """Do all tasks."""
        while self._waiting or self._to_repeat or self._in_flight:
            self._fill()
            try:
                future = self._completed.get(timeout=_POLL)
            except queue.Empty:
                continue
            self._handle_completed(future)

    def cancel(self) -> None:
        """Take back what is on its way and has not begun, for executors that go on."""
        for future in list(self._in_flight):
            with suppress(Exception):
                future.cancel()

    def _fill(self) -> None:
        if self._to_repeat:
            if not self._in_flight:
                self._send((self._to_repeat.popleft(),), alone=True)
            return
        while self._waiting and len(self._in_flight) < AHEAD * self.pool.size and not self._alone:
            count = min(self._chunk(), len(self._waiting))
            self._send(tuple(self._waiting.popleft() for _ in range(count)))
            if self.pool.size == 1 and not self._completed.empty():
                return

    def _chunk(self) -> int:
        """Number of tasks that take a fifth of a second; fewer towards the end."""
        if not self._done:
            return 1
        most = CHUNK * self._done / max(self._seconds, 1e-9)
        fair = len(self._waiting) / (2 * AHEAD * self.pool.size)
        return max(1, int(min(most, fair)))

    def _send(self, tasks: tuple[int, ...], *, alone: bool = False) -> None:
        self._alone = alone
        tasks_with_values = [(k, self.study.values(k)) for k in tasks]
        try:
            future = self.pool.submit(tasks_with_values)
        except BrokenExecutor as error:
            self._broken(error, tasks)
            return
        self._in_flight[future] = tasks
        future.add_done_callback(self._completed.put)

    def _handle_completed(self, future: Any) -> None:
        tasks, alone = self._in_flight.pop(future), self._alone
        self._alone = False
        try:
            records = future.result()
        except BrokenExecutor as error:
            self._alone = alone
            self._broken(error, tasks)
        except SweepError:
            raise  # of the job, not of these tasks
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            self._retry(tasks, words, alone=alone)
        else:
            self._take_records(records)

    def _take_records(self, records: Iterable[Record]) -> None:
        for record in records:
            self._seconds += record.seconds
            self._done += 1
            self.take(record)

    def _retry(self, tasks: tuple[int, ...], error: str, *, alone: bool) -> None:
        if alone:
            self._take_records(failed(tasks, error))
        else:
            self._to_repeat.extend(tasks)

    def _broken(self, error: BaseException, tasks: tuple[int, ...]) -> None:
        """A worker died: all that was on its way is tried again, task by task."""
        alone, self._alone = self._alone, False
        self._retry(tasks, _DIED, alone=alone)
        while self._in_flight:
            future = self._completed.get()
            others = self._in_flight.pop(future)
            try:
                self._take_records(future.result())
            except Exception:
                self._to_repeat.extend(others)
        self.pool.renew(error)
