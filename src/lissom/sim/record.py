"""Where the rows of a run go while it runs: to memory, or to a journal on the disk."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from ..errors import ResultError
from ..results.journal import Checkpoint, Journal
from ..results.journal_store import JournalStore
from ..results.netcdf import write_netcdf
from ..results.netcdf_store import NetcdfStore
from ..results.store import Columns, MemoryStore, Store
from ..system import System

__all__ = ["FileRecord", "MemoryRecord", "Record"]

Array = np.ndarray

# Rows reach the disk after this time or when there are so many bytes of them.
PERIOD, BYTES = 1.0, 8 << 20


class Record(Protocol):
    """What a run writes its rows to.

    Attributes
    ----------
    happened : list of (time, event)
        Events of the part of the run that is there already.
    """

    happened: list[tuple[float, str]]

    def add(self, rows: Array) -> None:
        """Take rows."""

    def keep(self, checkpoint: Any, *, now: bool = False) -> None:
        """Secure the rows so far, with a function that makes the checkpoint, if it is time."""

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """Close; `whole`: the run is over and shall not be resumed."""

    def abandon(self) -> None:
        """Let go of files."""


class MemoryRecord:
    """Rows in memory.

    Parameters
    ----------
    columns : Columns
        What they hold.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.happened: list[tuple[float, str]] = []
        self._rows: list[Array] = []

    def add(self, rows: Array) -> None:
        """Take rows."""
        if len(rows):
            self._rows.append(rows)

    def keep(self, checkpoint: Any, *, now: bool = False) -> None:
        """Nothing to do."""

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """All rows."""
        empty = np.zeros((0, self.columns.width))
        return MemoryStore(self.columns, np.concatenate([empty, *self._rows]))

    def abandon(self) -> None:
        """Nothing to do."""


class FileRecord:
    """Rows in a journal NAME.nc.part, which becomes NAME.nc when the run is over.

    Parameters
    ----------
    path : str
        NAME.nc.
    system : System
        What is simulated.
    journal : Journal
        Open journal.
    """

    def __init__(self, path: str, system: System, journal: Journal) -> None:
        # absolute: a function of the user may change the folder during the run
        self.path, self.system, self.journal = os.path.abspath(path), system, journal
        self.happened: list[tuple[float, str]] = []
        self._waiting: list[Array] = []
        self._bytes = 0
        self._last = time.monotonic()

    def add(self, rows: Array) -> None:
        """Take rows."""
        if len(rows):
            self._waiting.append(rows)
            self._bytes += rows.nbytes

    def keep(self, checkpoint: Any, *, now: bool = False) -> None:
        """Write the rows so far to the disk if it is time."""
        if not now and self._bytes < BYTES and time.monotonic() - self._last < PERIOD:
            return
        if self._waiting:
            given: Checkpoint = checkpoint()
            self.journal.append(np.concatenate(self._waiting), given)
            self._waiting, self._bytes = [], 0
        self._last = time.monotonic()

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """The journal, or the NetCDF file that it has become."""
        part = self.journal.path
        if not whole:
            store = JournalStore(part)
            self._tell(store, meta)
            self.journal.close()
            return store
        write_netcdf(self.path, self.system, JournalStore(part), meta)
        self.journal.close(remove=True)
        return NetcdfStore(self.path)

    def _tell(self, store: JournalStore, meta: dict[str, Any]) -> None:
        """Add to the journal how the run ended, for those who read it later."""
        if (last := store.checkpoint) is None:
            return
        ended = {"ended": {key: meta[key] for key in ("status", "message")}}
        with suppress(ResultError):  # the disk may be what ended it
            nothing = np.zeros((0, self.journal.columns.width))
            self.journal.append(nothing, Checkpoint(last.arrays, {**last.notes, **ended}))
            store.refresh()

    def abandon(self) -> None:
        """Let go of the journal; it can be resumed."""
        self.journal.close()


def journal_path(path: Any) -> tuple[str, str]:
    """NAME.nc and NAME.nc.part from either."""
    text = os.fspath(path)
    name = text.removesuffix(".part")
    return name, name + ".part"
