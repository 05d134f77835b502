"""Results of many runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import ResultError
from ..results.store import Columns, MemoryStore
from ..results.trajectory import Trajectory
from ..system import System

Array = np.ndarray
AT_EVENT = 2  # rows at the time of an event that ends a run


class OneRun(NamedTuple):
    """Rows of a run with their columns, None if it could not start, and its metadata."""

    columns: Columns | None
    rows: Array | None
    meta: dict[str, Any]


def unfinished(status: str, message: str) -> OneRun:
    """A run that could not start."""
    return OneRun(None, None, {"status": status, "message": message, "statistics": {}})


class Runs(Sequence[Trajectory]):
    """Results of `simulate_batch`: a sequence of trajectories, and arrays over all of them.

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
        known = (x.columns for x in runs if x.columns is not None)
        self._columns = next(known, None) or Columns.of(systems[0])
        self.status = np.array([x.meta["status"] for x in runs])
        self.message = tuple(str(x.meta["message"]) for x in runs)

    def _rows(self, k: int) -> Array:
        rows = self._runs[k].rows
        return np.zeros((0, self._columns.width)) if rows is None else rows

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, k: Any) -> Any:
        if isinstance(k, slice):
            return [self[i] for i in range(len(self))[k]]
        found = self._runs[k]
        if found.rows is None:
            raise ResultError(f"run {k} has no rows: {found.meta['message']}")
        system = self._systems[k if len(self._systems) > 1 else 0]
        return Trajectory(system, MemoryStore(self._columns, found.rows), found.meta)

    def __iter__(self) -> Iterator[Trajectory]:
        return (self[k] for k in range(len(self)))

    def __repr__(self) -> str:
        words = [f"{int((self.status == x).sum())} {x}" for x in sorted(set(self.status))]
        return f"<{len(self)} runs of {self._systems[0].name or 'a system'!r}: {', '.join(words)}>"

    @property
    def time(self) -> Array:
        """Times of the rows (rows,) [s], which all runs must share; rows at events do not count."""
        return self._common()[0].copy()

    def _common(self) -> tuple[Array, list[int]]:
        """Times of the rows, and how many of them each run has reached."""
        times = [self._rows(k)[:, 0] for k in range(len(self))]
        done = [x for x, status in zip(times, self.status, strict=True) if status == "finished"]
        full = max(done or times, key=len)
        reached: list[int] = []
        for k, own in enumerate(times):
            n = min(len(own), len(full))
            same = np.flatnonzero(np.abs(own[:n] - full[:n]) > 1e-12 * max(1.0, abs(full[-1])))
            m = int(same[0]) if len(same) else n
            if len(own) - m > AT_EVENT:
                raise ResultError(
                    f"run {k} has rows at other times than the others; give output_step= or step=, "
                    "or take each trajectory by itself: runs[k]"
                )
            reached.append(m)
        return full, reached

    def part(self, name: str) -> Array:
        """Numbers of all runs, (k, rows, n); NaN in rows that a run did not reach.

        Parameters
        ----------
        name : str
            "q", "v", "acceleration", "force" or "wrench".
        """
        full, reached = self._common()
        piece = self._columns.slices[name]
        out = np.full((len(self), len(full), piece.stop - piece.start), np.nan)
        for k, n in enumerate(reached):
            out[k, :n] = self._rows(k)[:n, piece]
        return out

    def last(self, name: str) -> Array:
        """Numbers at the end of each run, (k, n).

        Parameters
        ----------
        name : str
            As for `part`, or "time".
        """
        piece = self._columns.slices[name]
        out = np.full((len(self), piece.stop - piece.start), np.nan)
        for k in range(len(self)):
            if len(rows := self._rows(k)):
                out[k] = rows[-1, piece]
        return out

    @property
    def q(self) -> Array:
        """Coordinates (k, rows, n_q)."""
        return self.part("q")

    @property
    def v(self) -> Array:
        """Speeds (k, rows, n_v)."""
        return self.part("v")

    @property
    def statistics(self) -> dict[str, Array]:
        """Numbers of steps, evaluations and the like, (k,) each."""
        found = [x.meta["statistics"] for x in self._runs]
        whole = max(found, key=len)
        names = [name for name, x in whole.items() if isinstance(x, (int, float))]
        return {name: np.array([x.get(name, np.nan) for x in found]) for name in names}
