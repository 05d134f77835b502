"""The journal of a run: rows on the disk as they come, whole again after any interruption.

A file is a preamble and records, all numbers little-endian::

    preamble   8 bytes of magic, format version, CRC32 of these twelve bytes
    record     24 bytes of head, payload
    head       "LsmR", CRC32 of the payload, length of the payload (8 bytes), number of the record,
               CRC32 of the twenty bytes before
    payload 0  packed system, columns and notes of the run
    payload k  number of rows (8 bytes), rows of float64, packed checkpoint

"Packed" is as in `files.pack`.  Records are numbered from 0, written at once and flushed to the
disk.  What follows the last whole record is a torn tail, unless a whole head comes later still:
then the file was damaged.
"""

from __future__ import annotations

import errno
import os
import shutil
import struct
import zlib
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, Self

import numpy as np

from ..errors import ResultError
from ..system import System
from .described import FORMAT_VERSION, describe, lissom_version, restore
from .files import PathLike, check_version, flush_folder, pack, unpack
from .store import Columns

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["MAGIC", "Checkpoint", "Journal", "JournalStore", "check_space"]

Array = np.ndarray

MAGIC = b"\x89lissomj"
_PREAMBLE = struct.Struct("<8sI")
_HEAD = struct.Struct("<4sIQI")
_COUNT = struct.Struct("<Q")
_CRC = struct.Struct("<I")
_MARK = b"LsmR"
_START, _HEAD_SIZE = _PREAMBLE.size + _CRC.size, _HEAD.size + _CRC.size
_PIECE = 1 << 20  # bytes that a reader holds at once


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What a run needs to go on after the rows so far.

    Attributes
    ----------
    arrays : dict of arrays
        Numbers, kept to the last bit.
    notes : dict
        What JSON can hold.
    """

    arrays: dict[str, Array] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)


def check_space(path: PathLike, bytes_needed: float) -> None:
    """Refuse a run whose results will not fit on the disk.

    Parameters
    ----------
    path : path
        File that will be written.
    bytes_needed : float
        All that will be written there.  The journal of a run and the file that it becomes are on
        the disk together for a moment: count both.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise ResultError.of(error, path, "write") from None
    if free < bytes_needed:
        raise ResultError(
            f"cannot write {path}: {_size(bytes_needed)} are needed and {_size(free)} are free on "
            "the disk; free some space, choose a path on another disk or store fewer rows "
            "(a larger output_step)"
        )


def _extent(of: Journal | JournalStore) -> str:
    return "no rows yet" if of.last_time is None else f"results to t = {of.last_time:.9g} s"


def _size(n: float) -> str:
    return f"{n / 1e9:.3g} GB" if n >= 1e9 else f"{n / 1e6:.3g} MB"


class Journal:
    """Writer of a journal; made by `create` or `reopen`, closed by `close` or `with`.

    Attributes
    ----------
    path : str
        The file.
    columns : Columns
        What a row holds.
    n_rows : int
        Rows so far.
    last_time : float or None
        Time of the last row [s].
    """

    def __init__(self, path: PathLike, *, fresh: bool) -> None:
        self.path = os.path.abspath(path)
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
        """New journal.

        Parameters
        ----------
        path : path
            File, by custom NAME.nc.part.
        system : System
            What is simulated.
        columns : Columns
            What a row holds.
        meta : dict
            Notes about the run that JSON can hold.
        overwrite : bool
            Whether to replace a journal that is there, the rest of an earlier run.
        """
        description, arrays = describe(system)
        text = {
            "lissom_version": lissom_version(),
            "system": description,
            "wrenches": columns.wrenches,
            "meta": meta,
        }
        payload = pack(text, arrays)
        start = _PREAMBLE.pack(MAGIC, FORMAT_VERSION)
        if (columns.n_q, columns.n_v) != (system.n_q, system.n_v):
            raise ValueError("the columns are those of another system")
        journal = cls(path, fresh=True)
        if os.fstat(journal._file).st_size and not overwrite:
            journal.close()
            raise ResultError(
                f"{path} exists already: an earlier run that did not finish left it; resume that "
                "run, or delete the file to start anew"
            )
        journal.columns = columns
        try:
            journal._cut()
            journal._write(payload, start + _CRC.pack(zlib.crc32(start)))
            flush_folder(journal.path)
        except BaseException as error:
            journal.close(remove=True)
            if isinstance(error, OSError):
                raise ResultError.of(error, path, "write") from None
            raise
        return journal

    @classmethod
    def reopen(cls, path: PathLike, *, salvage: bool = False) -> Self:
        """Journal of an interrupted run, to go on with after its last whole record.

        Read the checkpoint through a `JournalStore` made after this: from here on no other run
        can write the file.

        Parameters
        ----------
        path : path
            The file; a torn tail is cut off.
        salvage : bool
            Whether to go on before a damaged record, which loses all that comes after it.
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
        """Write rows and what the run needs to go on after them; on the disk when this returns.

        Parameters
        ----------
        rows : array (n, width)
            New rows.
        checkpoint : Checkpoint
            State of the run after them.
        """
        given = np.ascontiguousarray(rows, dtype="<f8")
        if given.ndim != 2 or given.shape[1] != self.columns.width:
            raise ValueError(f"rows have shape {given.shape}, not (n, {self.columns.width})")
        end = pack(checkpoint.notes, checkpoint.arrays)
        try:
            self._write(b"".join([_COUNT.pack(len(given)), given.tobytes(), end]))
        except OSError as error:
            more = f"The journal holds {_extent(self)} and can be resumed"
            raise ResultError.of(error, self.path, "write", more) from None
        self.n_rows += len(given)
        if len(given):
            self.last_time = float(given[-1, 0])

    def close(self, *, remove: bool = False) -> None:
        """Let go of the file.

        Parameters
        ----------
        remove : bool
            Whether to delete it, when its rows are in another file.
        """
        if self._file < 0:
            return
        if remove and os.name != "nt":  # before the lock is given up, so that no other run has it
            with suppress(FileNotFoundError):
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

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResultError(
                f"cannot write {self.path}: another run is writing it; wait for that run or choose "
                "another file"
            ) from None
        except OSError:
            pass  # a file system without locks
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._file), os.stat(self.path)):
                return
        raise ResultError(f"cannot write {self.path}: another run just removed it; try again")

    def _write(self, payload: bytes, before: bytes = b"") -> None:
        """One record behind the last one, all of it or nothing."""
        if self._file < 0:
            raise ValueError(f"the journal {self.path} is closed")
        head = _HEAD.pack(_MARK, zlib.crc32(payload), len(payload), self._n_records)
        data = b"".join([before, head, _CRC.pack(zlib.crc32(head)), payload])
        rest = memoryview(data)
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            while rest:
                if (n := os.write(self._file, rest)) == 0:
                    raise OSError(errno.ENOSPC, "nothing was written")
                rest = rest[n:]
            os.fsync(self._file)
        except BaseException:
            with suppress(OSError):
                self._cut()
            raise
        self._end += len(data)
        self._n_records += 1

    def _cut(self) -> None:
        os.ftruncate(self._file, self._end)


class JournalStore:
    """Rows of a journal, read from the disk where they are asked for.

    Every record is checked once, on opening.  A journal that is being written can be opened: it
    shows the rows so far.

    Parameters
    ----------
    path : path
        The file.
    salvage : bool
        Whether to read what comes before a damaged record instead of refusing the file.

    Attributes
    ----------
    system : System
        What was simulated.
    columns : Columns
        What a row holds.
    meta : dict
        Notes about the run.
    checkpoint : Checkpoint or None
        Where the run can go on, if there are rows.
    last_time : float or None
        Time of the last row [s].
    torn : bool
        Whether an unfinished record at the end is left out.
    damaged : bool
        Whether records are left out because an earlier one is damaged.
    valid_bytes, n_records : int
        Length and number of the whole records.
    """

    def __init__(self, path: PathLike, *, salvage: bool = False) -> None:
        self.path = os.path.abspath(path)
        self.checkpoint: Checkpoint | None = None
        self.last_time: float | None = None
        self.torn = self.damaged = False
        # First row and place in the file of each record of rows.
        self._first: list[int] = []
        self._places: list[int] = []
        self._n_rows = 0
        try:
            with open(self.path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                self.valid_bytes = self._read_header(file, size)
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

    def read(self, field: str, start: int = 0, stop: int | None = None) -> Array:
        """Field of rows start to stop: (n,) for "time", (n, k) for the others."""
        row, end, _ = slice(start, stop).indices(self._n_rows)
        piece, width = self.columns.slices[field], self.columns.width
        result = np.empty((max(0, end - row), piece.stop - piece.start))
        if result.size:
            first, step = row, max(1, _PIECE // (8 * width))
            with self._opened() as file:
                while row < end:
                    k = bisect_right(self._first, row) - 1
                    last = self._first[k + 1] if k + 1 < len(self._first) else self._n_rows
                    until = min(end, last, row + step)
                    file.seek(self._places[k] + 8 * width * (row - self._first[k]))
                    rows = np.frombuffer(file.read(8 * width * (until - row)), "<f8")
                    result[row - first : until - first] = rows.reshape(-1, width)[:, piece]
                    row = until
        return result[:, 0] if field == "time" else result

    def _opened(self) -> IO[bytes]:
        try:
            file = open(self.path, "rb")
        except OSError:
            raise ResultError(
                f"{self.path} is gone: perhaps its run has finished and the results are in "
                f"{self.path.removesuffix('.part')}; open that file"
            ) from None
        whole = os.fstat(file.fileno()).st_size >= self.valid_bytes
        if whole and file.read(len(self._stamp)) == self._stamp:
            return file
        file.close()
        raise ResultError(f"{self.path} now holds another run; open it again")

    def _read_header(self, file: IO[bytes], size: int) -> int:
        """Length of preamble and header."""
        self._stamp = file.read(_START + _HEAD_SIZE)
        start = self._stamp[:_START]
        if start[:8] != MAGIC[: len(start)]:
            raise ResultError(f"{self.path} is not a journal of lissom; choose another file")
        damaged = ResultError(
            f"the header of {self.path} is cut off or damaged, so that nothing in it can be read; "
            "delete the file and run again"
        )
        if len(start) < _START or _CRC.unpack(start[-4:])[0] != zlib.crc32(start[:-4]):
            raise damaged
        check_version(self.path, _PREAMBLE.unpack(start[:-4])[1])
        length = _whole_record(file, _START, size, 0)
        if length is None:
            raise damaged
        file.seek(_START + _HEAD_SIZE)
        try:
            text, arrays = unpack(file.read(length))
            self.system = restore(text["system"], arrays)
            wrenches = tuple(map(str, text["wrenches"]))
            self.columns = Columns(self.system.n_q, self.system.n_v, wrenches)
            self.meta: dict[str, Any] = dict(text["meta"])
        except (KeyError, TypeError, ValueError, ResultError):
            raise damaged from None
        return _START + _HEAD_SIZE + length

    def _scan(self, file: IO[bytes], size: int, salvage: bool) -> None:
        """Index of the whole records, and what comes after them."""
        row_bytes, checkpoint = 8 * self.columns.width, b""
        while (length := _whole_record(file, self.valid_bytes, size, self.n_records)) is not None:
            place = self.valid_bytes + _HEAD_SIZE + _COUNT.size
            file.seek(place - _COUNT.size)
            (n,) = _COUNT.unpack(file.read(_COUNT.size))
            rest = length - _COUNT.size - n * row_bytes
            if rest < 0:
                break
            self._first.append(self._n_rows)
            self._places.append(place)
            self._n_rows += n
            self.n_records += 1
            self.valid_bytes += _HEAD_SIZE + length
            if n:
                file.seek(place + (n - 1) * row_bytes)
                (self.last_time,) = struct.unpack("<d", file.read(8))
            file.seek(place + n * row_bytes)
            checkpoint = file.read(rest)
        if self._places:
            notes, arrays = unpack(checkpoint)
            self.checkpoint = Checkpoint(arrays, notes)
        self.damaged = self.valid_bytes < size and _head_follows(file, self.valid_bytes)
        self.torn = self.valid_bytes < size and not self.damaged
        if self.damaged and not salvage:
            raise ResultError(
                f"{self.path} is damaged at byte {self.valid_bytes} (record {self.n_records}); the "
                f"{self._n_rows} rows before it ({_extent(self)}) can still be read: open it with "
                "salvage=True"
            )


def _whole_record(file: IO[bytes], offset: int, size: int, number: int) -> int | None:
    """Length of the payload of a record, if it is whole."""
    file.seek(offset)
    head = file.read(_HEAD_SIZE)
    if not _is_head(head):
        return None
    _, crc, length, its_number = _HEAD.unpack(head[:-4])
    if its_number != number or offset + _HEAD_SIZE + length > size:
        return None
    found = 0
    for left in range(length, 0, -_PIECE):
        found = zlib.crc32(file.read(min(left, _PIECE)), found)
    return length if found == crc else None


def _is_head(head: bytes) -> bool:
    whole = len(head) == _HEAD_SIZE and head.startswith(_MARK)
    return whole and _CRC.unpack(head[-4:])[0] == zlib.crc32(head[:-4])


def _head_follows(file: IO[bytes], offset: int) -> bool:
    """Whether the head of a record comes anywhere after the one that begins at offset."""
    file.seek(offset + 1)
    data = b""
    while piece := file.read(_PIECE):
        data = data[-_HEAD_SIZE + 1 :] + piece
        at = data.find(_MARK)
        while at >= 0:
            if _is_head(data[at : at + _HEAD_SIZE]):
                return True
            at = data.find(_MARK, at + 1)
    return False
