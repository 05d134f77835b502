"""Storage of the rows of a run while it runs: memory, or a journal on disk."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from ...errors import ResultError
from ...results.event_records import EventRecord
from ...results.files.journal.reader import JournalStore
from ...results.files.journal.writer import Checkpoint, Journal
from ...results.files.shield import shielded
from ...results.store import Columns, MemoryStore, Store
from ...system import System
from .memory import RESERVE, available_memory

Array = np.ndarray

# Rows are written to disk after this time [s], or when they reach this many bytes.
PERIOD, BYTES = 1.0, 8 << 20
LOOK = 32 << 20  # bytes of rows between two checks of the available memory


class RunRecord(Protocol):
    """Storage of the rows of a run."""

    happened: list[EventRecord]  # events of the part of the run that is already stored
    inputs: dict[str, str]  # inputs that determine the run, see `inputs`

    def add(self, rows: Array) -> None:
        """Append rows."""

    def keep(self, checkpoint: Any, *, now: bool = False, whole: bool = False) -> None:
        """Write the rows so far if it is time, with a checkpoint from the function `checkpoint`.

        `now`: the run is over; `whole`: `finish` follows, which writes all rows.
        """

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """Close the record; `whole`: the run is complete and not to be resumed."""

    def abandon(self) -> None:
        """Release files."""


class MemoryRecord:
    """Rows in memory."""

    def __init__(self, columns: Columns, inputs: dict[str, str], n_rows: int = 0) -> None:
        self.columns, self.inputs = columns, inputs
        self.happened: list[EventRecord] = []
        self._rows = np.empty((n_rows, columns.width))
        self._n = self._looked = 0

    @property
    def rows(self) -> Array:
        """All rows so far."""
        return self._rows[: self._n]

    def add(self, rows: Array) -> None:
        """Append rows; a MemoryError leaves the earlier rows intact."""
        end = self._n + len(rows)
        if end > len(self._rows):
            self._grow(end)
        self._rows[self._n : end] = rows
        self._n = end

    def _grow(self, n_rows: int) -> None:
        """Enlarge the array, in place where possible, within the available memory."""
        width, more = self.columns.width, len(self._rows) // 8
        if 8 * width * more > LOOK:
            more = int(min(more, max(0.0, available_memory() - RESERVE) / (8 * width)))
        wanted = max(n_rows, len(self._rows) + more, 1024)
        self._rows.resize((wanted, width), refcheck=False)

    def keep(self, checkpoint: Any, *, now: bool = False, whole: bool = False) -> None:
        """Raise MemoryError while enough is left to end the run; the system gives no warning."""
        held = 8 * self._n * self.columns.width
        if held - self._looked < LOOK:
            return
        self._looked = held
        if (left := available_memory()) < min(held, RESERVE):
            raise MemoryError(f"{held / 1e9:.3g} GB of rows stored, {left / 1e6:.3g} MB available")

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """Store of all rows."""
        self._rows.resize((self._n, self.columns.width), refcheck=False)
        return MemoryStore(self.columns, self._rows)

    def abandon(self) -> None:
        """Nothing to do."""


class FileRecord:
    """Rows in a journal NAME.nc.part, which becomes NAME.nc when the run is over."""

    def __init__(self, path: str, system: System, journal: Journal, inputs: dict[str, str]) -> None:
        self.inputs = inputs
        # absolute: a user function may change the working directory during the run
        self.path, self.system, self.journal = os.path.abspath(path), system, journal
        self.happened: list[EventRecord] = []
        self._waiting: list[Array] = []
        self._bytes = 0
        self._last = time.monotonic()
        self._end: Checkpoint | None = None  # of a whole run whose rows are all still in memory

    def add(self, rows: Array) -> None:
        """Append rows."""
        if len(rows):
            self._waiting.append(rows)
            self._bytes += rows.nbytes

    def keep(self, checkpoint: Any, *, now: bool = False, whole: bool = False) -> None:
        """Write the rows so far to disk if it is time."""
        if not now and self._bytes < BYTES and time.monotonic() - self._last < PERIOD:
            return
        if whole and self._waiting and not self.journal.n_rows:
            self._end = checkpoint()
        elif self._waiting:
            self._append(checkpoint())
        self._last = time.monotonic()

    def _append(self, checkpoint: Checkpoint) -> None:
        self.journal.append(np.concatenate(self._waiting), checkpoint)
        self._waiting, self._bytes = [], 0

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """The journal, or the NetCDF file that it has become."""
        with shielded():
            from ...results.files.netcdf.reader import NetcdfStore
            from ...results.files.netcdf.writer import write_netcdf

            self.journal.stay()
            if whole:
                write_netcdf(self.path, self.system, self._all_rows(), meta)
                self.journal.close(remove=True)
                return NetcdfStore(self.path, trusted=True, system=self.system)
            if self._end is not None:  # the file could not be written
                with suppress(ResultError):
                    self._append(self._end)
            store = JournalStore(self.journal.path, system=self.system)
            self._write_outcome(store, meta)
            self.journal.close()
            return store

    def _all_rows(self) -> Store:
        """Rows of a whole run: still in memory, or in the journal."""
        if self._end is not None:
            return MemoryStore(self.journal.columns, np.concatenate(self._waiting))
        return JournalStore(self.journal.path, system=self.system)

    def _write_outcome(self, store: JournalStore, meta: dict[str, Any]) -> None:
        """Add the outcome of the run to the journal."""
        if (last := store.checkpoint) is None:
            return
        ended = {"ended": {key: meta[key] for key in ("status", "message")}}
        with suppress(ResultError):  # the disk may be the reason for the end
            nothing = np.zeros((0, self.journal.columns.width))
            self.journal.append(nothing, Checkpoint(last.arrays, {**last.notes, **ended}))
            store.refresh()

    def abandon(self) -> None:
        """Release the journal; it can be resumed."""
        self.journal.close()
