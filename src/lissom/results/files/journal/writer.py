"""Writer of the journal of a run, which keeps rows on disk through any interruption.

The format is described in `records`.
"""

from __future__ import annotations

import errno
import os
import tempfile
import warnings
import zlib
from contextlib import suppress
from typing import Any, Self

import numpy as np

from ....errors import ResultError, SimulationWarning
from ....records.packed import pack
from ....records.system import describe
from ....system import System
from ...store import Columns
from ..disk import PathLike, flush_folder, locked, written
from ..versions import FORMAT_VERSION, lissom_version
from .reader import JournalStore
from .records import (
    COUNT,
    CRC,
    MAGIC,
    PIECE,
    PREAMBLE,
    Checkpoint as Checkpoint,
    extent,
    record_head,
)

Array = np.ndarray


class Journal:
    """Writer of a journal; made by `create` or `reopen`, closed by `close` or `with`.

    `last_time`: time of the last row [s].
    """

    def __init__(self, path: PathLike, *, fresh: bool) -> None:
        self.path = written(os.path.abspath(path))
        self.columns = Columns(0, 0)
        self.n_rows = self._n_records = self._end = 0
        self.last_time: float | None = None
        flags = os.O_RDWR | getattr(os, "O_BINARY", 0) | (os.O_CREAT if fresh else 0)
        try:
            self._file = os.open(self.path, flags, 0o666)
        except OSError as error:
            raise ResultError.of(error, path, "write" if fresh else "continue") from None
        try:
            self._lock()
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(
        cls,
        path: PathLike,
        system: System,
        columns: Columns,
        meta: dict[str, Any],
        *,
        overwrite: bool = False,
    ) -> Self:
        """New journal."""
        description, arrays = describe(system)
        text = {
            "lissom_version": lissom_version(),
            "system": description,
            "wrenches": columns.names,
            "meta": meta,
        }
        payload = pack(text, arrays)
        start = PREAMBLE.pack(MAGIC, FORMAT_VERSION)
        if columns != Columns.named(system, columns.names):
            raise ValueError("the columns belong to another system")
        journal = cls(path, fresh=True)
        if os.fstat(journal._file).st_size and not overwrite:
            journal.close()
            raise ResultError(
                f"{path} already exists: it belongs to an earlier run that did not finish; resume "
                "that run, or delete the file to start again"
            )
        journal.columns = columns
        try:
            journal._cut()
            # not flushed: before the first rows nothing would be lost
            journal._write(payload, start + CRC.pack(zlib.crc32(start)), flush=False)
        except BaseException as error:
            journal.close(remove=True)
            if isinstance(error, OSError):
                raise ResultError.of(error, path, "write") from None
            raise
        return journal

    @classmethod
    def reopen(cls, path: PathLike, *, salvage: bool = False) -> Self:
        """Journal of an interrupted run, to be continued after its last complete record.

        Read the checkpoint with a `JournalStore` opened after this call: from then on no other
        run can write the file.
        """
        journal = cls(path, fresh=False)
        try:
            store = JournalStore(path, salvage=salvage)
            journal.columns, journal.n_rows = store.columns, len(store)
            journal.last_time = store.last_time
            journal._n_records, journal._end = store.n_records, store.valid_bytes
            if store.torn or store.damaged:
                journal._cut()
        except BaseException as error:
            journal.close()
            if isinstance(error, OSError) and not isinstance(error, ResultError):
                raise ResultError.of(error, path, "continue") from None
            raise
        return journal

    def append(self, rows: Array, checkpoint: Checkpoint) -> None:
        """Write rows and the checkpoint after them; they are on the disk when this returns.

        `rows` (n, width): new rows.
        """
        block = np.ascontiguousarray(rows, dtype="<f8")
        if block.ndim != 2 or block.shape[1] != self.columns.width:
            raise ValueError(f"rows have shape {block.shape}; expected (n, {self.columns.width})")
        end = pack(checkpoint.notes, checkpoint.arrays)
        self.stay()
        try:
            self._write(b"".join([COUNT.pack(len(block)), block.tobytes(), end]))
            if self._n_records == 2:
                flush_folder(self.path)
        except OSError as error:
            more = f"The journal contains {extent(self.last_time)} and can be resumed"
            raise ResultError.of(error, self.path, "write", more) from None
        self.n_rows += len(block)
        if len(block):
            self.last_time = float(block[-1, 0])

    def close(self, *, remove: bool = False) -> None:
        """Close the file."""
        if self._file < 0:
            return
        if remove and os.name != "nt" and self._is_there():  # while the lock is held
            os.unlink(self.path)
        os.close(self._file)
        self._file = -1
        if remove and os.name == "nt":
            os.unlink(self.path)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def stay(self) -> None:
        """Restore the file if it was deleted.

        The rows are safe as long as the file is open.  If it cannot be restored in its place, it
        is written to a new temporary folder, and `path` is changed accordingly.
        """
        if self._file < 0 or self._is_there():
            return
        before, name = self.path, os.path.basename(self.path)
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._copy(self.path)
        except OSError:
            try:
                self._copy(os.path.join(tempfile.mkdtemp(prefix="lissom-"), name))
            except OSError as error:
                raise ResultError.of(error, tempfile.gettempdir(), "write") from None
        warnings.warn(
            f"{before} was deleted during a run; its rows were restored to {self.path}",
            SimulationWarning,
            stacklevel=2,
        )

    def _copy(self, path: str) -> None:
        """Continue in a new file with the same content."""
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        new = os.open(path, flags, 0o666)
        try:
            locked(new)
            os.lseek(self._file, 0, os.SEEK_SET)
            left = self._end
            while left:
                left -= os.write(new, os.read(self._file, min(left, PIECE)))
            os.fsync(new)
        except BaseException:
            os.close(new)
            os.unlink(path)
            raise
        os.close(self._file)
        self._file, self.path = new, path
        flush_folder(path)

    def _is_there(self) -> bool:
        """Whether the path still refers to the open file."""
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._file), os.stat(self.path))
        return False

    def _lock(self) -> None:
        if not locked(self._file):
            raise ResultError(
                f"cannot write {self.path}: another run is writing it; wait for that run or choose "
                "another file"
            )
        if not self._is_there():
            raise ResultError(f"cannot write {self.path}: another run just removed it; try again")

    def _write(self, payload: bytes, before: bytes = b"", *, flush: bool = True) -> None:
        """Append one record, completely or not at all."""
        if self._file < 0:
            raise ValueError(f"the journal {self.path} is closed")
        data = b"".join([before, record_head(payload, self._n_records), payload])
        rest = memoryview(data)
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            while rest:
                if (n := os.write(self._file, rest)) == 0:
                    raise OSError(errno.ENOSPC, "nothing was written")
                rest = rest[n:]
            if flush:
                os.fsync(self._file)
        except BaseException:
            with suppress(OSError):
                self._cut()
            raise
        self._end += len(data)
        self._n_records += 1

    def _cut(self) -> None:
        os.ftruncate(self._file, self._end)
