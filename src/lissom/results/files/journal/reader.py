"""Reader of the journal of a run, finished or not; format in `records`."""

from __future__ import annotations

import os
import struct
import time
import zlib
from bisect import bisect_right
from typing import IO, Any

import numpy as np

from ....errors import ResultError
from ....records.packed import unpack
from ....records.system import restore
from ....system import System
from ...store import Columns
from ..disk import PathLike, open_regular
from ..seal import damaged
from ..versions import check_version
from .records import (
    COUNT,
    CRC,
    HEAD_SIZE,
    MAGIC,
    PIECE,
    PREAMBLE,
    START,
    Checkpoint,
    Payload,
    extent,
    head_follows,
    whole_record,
)

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Array = np.ndarray

STALE = 10.0  # [s], after which a journal on a file system without locks counts as abandoned


def is_being_written(path: PathLike) -> bool:
    """Whether a run is currently writing the journal."""
    try:
        with open_regular(path) as file:
            if fcntl is None:
                return time.time() - os.fstat(file.fileno()).st_mtime < STALE
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    except OSError:
        pass  # missing, or on a file system without locks
    return False


class JournalStore:
    """Rows of a journal, read from the disk on demand.

    Every record is checked when the journal is opened.  A journal that is being written can be
    opened and contains the rows so far.

    `checkpoint`: state from which the run can be continued, if there are rows; `last_time`: time of
    the last row [s].
    """

    def __init__(
        self, path: PathLike, *, salvage: bool = False, system: System | None = None
    ) -> None:
        self.path = os.path.abspath(path)
        self.checkpoint: Checkpoint | None = None
        self.last_time: float | None = None
        self.torn = self.damaged = False
        # First row and payload of each record of rows.
        self._first: list[int] = []
        self._payloads: list[Payload] = []
        self._n_rows = 0
        try:
            with open(self.path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                self.valid_bytes = self._read_header(file, size, system)
                self.n_records = 1
                self._scan(file, size, salvage)
        except ResultError:
            raise
        except OSError as error:
            raise ResultError.of(error, path, "read") from None
        except ValueError as error:
            raise ResultError(f"{path} is damaged ({error}); run again") from None

    def __len__(self) -> int:
        """Number of rows."""
        return self._n_rows

    @property
    def notes(self) -> dict[str, Any]:
        """Notes about the run, with its events so far and, if it has ended, how it ended."""
        run_notes = {"status": "unfinished", **self.meta}
        if self.checkpoint is not None:
            notes = self.checkpoint.notes
            run_notes |= {key: notes[key] for key in ("events", "impulses") if key in notes}
            run_notes |= notes.get("ended", {})
        return run_notes

    def read(self, field: str, start: int = 0, stop: int | None = None) -> Array:
        """Field of rows start to stop: (n,) for "time", (n, k) for the others."""
        row, end, _ = slice(start, stop).indices(self._n_rows)
        piece, width = self.columns.slices[field], self.columns.width
        result = np.empty((max(0, end - row), piece.stop - piece.start))
        if result.size:
            first, step = row, max(1, PIECE // (8 * width))
            with self._opened() as file:
                while row < end:
                    k = bisect_right(self._first, row) - 1
                    last = self._first[k + 1] if k + 1 < len(self._first) else self._n_rows
                    until = min(end, last, row + step)
                    rows = self._rows(file, k, row - self._first[k], until - self._first[k])
                    result[row - first : until - first] = rows[:, piece]
                    row = until
        return result[:, 0] if field == "time" else result

    def _rows(self, file: IO[bytes], k: int, start: int, stop: int) -> Array:
        """Rows of record k, checked again in case the file has changed."""
        width = self.columns.width
        places = (COUNT.size + 8 * width * row for row in (start, stop))
        try:
            data = self._payloads[k].read(file, *places)
        except ValueError as error:
            raise damaged(self.path, error) from None
        return np.frombuffer(data, "<f8").reshape(-1, width)

    def refresh(self) -> bool:
        """Read rows written since the last call; return whether there are new records.

        Each record is checked once.  A record that is still being written is read next time.
        """
        before = self.n_records
        try:
            with self._opened() as file:
                self._index(file, os.fstat(file.fileno()).st_size)
        except OSError as error:
            if isinstance(error, ResultError):
                raise
            raise ResultError.of(error, self.path, "read") from None
        return self.n_records > before

    def _opened(self) -> IO[bytes]:
        try:
            file = open(self.path, "rb")
        except OSError:
            raise ResultError(
                f"{self.path} no longer exists: if its run has finished, the results are in "
                f"{self.path.removesuffix('.part')}; load that file"
            ) from None
        whole = os.fstat(file.fileno()).st_size >= self.valid_bytes
        if whole and file.read(len(self._stamp)) == self._stamp:
            return file
        file.close()
        raise ResultError(f"{self.path} now contains another run; load it again")

    def _read_header(self, file: IO[bytes], size: int, system: System | None) -> int:
        """Length of preamble and header."""
        self._stamp = file.read(START + HEAD_SIZE)
        start = self._stamp[:START]
        if start[:8] != MAGIC[: len(start)]:
            raise ResultError(
                f"{self.path} is not a journal of lissom; give a .nc.part file of a run"
            )
        cut_off = ResultError(
            f"the header of {self.path} is truncated or damaged, so that no rows can be read; "
            "delete the file and run again"
        )
        if len(start) < START or CRC.unpack(start[-4:])[0] != zlib.crc32(start[:-4]):
            raise cut_off
        check_version(self.path, PREAMBLE.unpack(start[:-4])[1])
        payload = whole_record(file, START, size, 0)
        if payload is None:
            raise cut_off
        try:
            text, arrays = unpack(payload.read(file, 0, payload.length))
            self.system = system or restore(text["system"], arrays, source=self.path)
            self.columns = Columns.named(self.system, text["wrenches"])
            self.meta: dict[str, Any] = dict(text["meta"])
        except (KeyError, TypeError, ValueError):
            raise cut_off from None
        return START + HEAD_SIZE + payload.length

    def _index(self, file: IO[bytes], size: int) -> None:
        """Index the complete records that are not indexed yet."""
        row_bytes, checkpoint = 8 * self.columns.width, b""
        while (payload := whole_record(file, self.valid_bytes, size, self.n_records)) is not None:
            (n,) = COUNT.unpack(payload.read(file, 0, COUNT.size))
            end = COUNT.size + n * row_bytes
            if end > payload.length:
                break
            self._first.append(self._n_rows)
            self._payloads.append(payload)
            self._n_rows += n
            self.n_records += 1
            self.valid_bytes += HEAD_SIZE + payload.length
            if n:
                (self.last_time,) = struct.unpack(
                    "<d", payload.read(file, end - row_bytes, end)[:8]
                )
            checkpoint = payload.read(file, end, payload.length)
        if checkpoint:
            notes, arrays = unpack(checkpoint)
            self.checkpoint = Checkpoint(arrays, notes)

    def _scan(self, file: IO[bytes], size: int, salvage: bool) -> None:
        """Index the complete records, and examine what follows them."""
        self._index(file, size)
        self.damaged = self.valid_bytes < size and head_follows(file, self.valid_bytes, size)
        self.torn = self.valid_bytes < size and not self.damaged
        if self.damaged and not salvage:
            raise ResultError(
                f"{self.path} is damaged at byte {self.valid_bytes} (record {self.n_records}); the "
                f"{self._n_rows} rows before it ({extent(self.last_time)}) can still be read with "
                "Trajectory.load(path, salvage=True)"
            )
