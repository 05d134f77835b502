"""Frames of a run in progress, from the rows written so far."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...results.interpolation import sampled_rows
from ...results.store import Columns, MemoryStore, Store, block_size
from ...results.trajectory import Trajectory
from ...system import System
from ..scene.numbers import LARGEST

Array = np.ndarray


class GrowingFrames:
    """Evenly spaced frames over the whole duration, up to the current time of the run.

    The times are fixed in advance, so that there are never more frames than requested.  The newest
    row follows as a temporary frame, replaced by the next one.

    Parameters
    ----------
    system : System
        Simulated system.
    columns : Columns
        Columns of a row.
    start, step : float
        Time of the first frame, and between frames [s].
    """

    def __init__(self, system: System, columns: Columns, start: float, step: float) -> None:
        self.system, self.columns, self.start, self.step = system, columns, start, step
        self._frames = np.zeros((0, columns.width))
        self._newest = np.zeros((0, columns.width))
        self._next = 0  # number of the next frame
        self._read = 0  # rows of the run read so far

    def __len__(self) -> int:
        """Number of final frames."""
        return len(self._frames)

    def take(self, store: Store) -> None:
        """Read the new rows.

        Parameters
        ----------
        store : Store
            All rows so far, including those of earlier calls.
        """
        n, size = len(store), block_size(self.columns)
        while self._read < n:
            begin, stop = max(0, self._read - 1), min(n, self._read + size)
            fields = (store.read(name, begin, stop) for name in self.columns.fields)
            rows = np.concatenate([x.reshape(stop - begin, -1) for x in fields], axis=1)
            self._sample(rows[np.all(np.abs(rows) < LARGEST, axis=1)])
            self._read = stop

    def _sample(self, rows: Array) -> None:
        """Add frames between consecutive rows."""
        if not len(rows):
            return
        time = rows[:, 0]
        slack = 1e-9 * self.step
        last = int(np.floor((time[-1] - self.start + slack) / self.step))
        wanted = self.start + self.step * np.arange(self._next, last + 1)
        if len(wanted):
            store = MemoryStore(self.columns, rows)
            inside = np.clip(wanted, time[0], time[-1])
            found = sampled_rows(self.system, store, time, inside)
            self._frames = np.concatenate([self._frames, found])
            self._next = last + 1
        beyond = not len(self._frames) or time[-1] > self._frames[-1, 0] + slack
        self._newest = rows[-1:] if beyond else rows[:0]

    def trajectory(self, first: int, meta: dict[str, Any]) -> tuple[Trajectory, int]:
        """Frames from a given number on, with the newest row last, and the number of the first one.

        There is at least one if the run has any rows.

        Parameters
        ----------
        first : int
            Number of the first requested frame.
        meta : dict
            Notes about the run.
        """
        rows = np.concatenate([self._frames, self._newest])
        first = min(first, max(0, len(rows) - 1))
        return Trajectory(self.system, MemoryStore(self.columns, rows[first:]), meta), first
