"""File format of the journal of a run.

A file consists of a preamble and records, all numbers little-endian::

    preamble   8 bytes of magic, format version, CRC32 of these twelve bytes
    record     24 bytes of head, payload
    head       "LsmR", CRC32 of the payload, length of the payload (8 bytes), number of the record,
               CRC32 of the twenty bytes before
    payload 0  packed system, columns and notes of the run
    payload k  number of rows (8 bytes), rows of float64, packed checkpoint

"Packed" means `packed.pack`.  Records are numbered from 0, written in one piece and flushed to the
disk.  Bytes after the last complete record are an interrupted write, unless another complete head
follows: then the file is damaged.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import IO, Any

import numpy as np

from ..seal import read_blocks

Array = np.ndarray

MAGIC = b"\x89lissomj"
PREAMBLE = struct.Struct("<8sI")
_HEAD = struct.Struct("<4sIQI")
COUNT = struct.Struct("<Q")
CRC = struct.Struct("<I")
_MARK = b"LsmR"
START, HEAD_SIZE = PREAMBLE.size + CRC.size, _HEAD.size + CRC.size
PIECE = 1 << 18  # bytes that are read and checked at a time


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """State needed to continue a run."""

    arrays: dict[str, Array] = field(default_factory=dict)  # numbers, stored bit for bit
    notes: dict[str, Any] = field(default_factory=dict)  # JSON-compatible data


def record_head(payload: bytes, number: int) -> bytes:
    """Head of a record."""
    head = _HEAD.pack(_MARK, zlib.crc32(payload), len(payload), number)
    return head + CRC.pack(zlib.crc32(head))


@dataclass(frozen=True)
class Payload:
    """Position of the payload of a record, and the CRC32 of each piece of `PIECE` bytes."""

    at: int
    length: int
    table: tuple[int, ...]
    piece: int

    def read(self, file: IO[bytes], start: int, stop: int) -> bytes:
        """Bytes start to stop; ValueError if they have changed since the record was checked."""
        return read_blocks(file, self.at, self.length, self.piece, self.table, start, stop)


def whole_record(file: IO[bytes], offset: int, size: int, number: int) -> Payload | None:
    """Payload of a record, or None if the record is incomplete."""
    file.seek(offset)
    head = file.read(HEAD_SIZE)
    if not _is_head(head):
        return None
    _, crc, length, its_number = _HEAD.unpack(head[:-4])
    if its_number != number or offset + HEAD_SIZE + length > size:
        return None
    checksum, table = 0, []
    for left in range(length, 0, -PIECE):
        data = file.read(min(left, PIECE))
        checksum = zlib.crc32(data, checksum)
        table.append(zlib.crc32(data))
    payload = Payload(offset + HEAD_SIZE, length, tuple(table), PIECE)
    return payload if checksum == crc else None


def _is_head(head: bytes) -> bool:
    whole = len(head) == HEAD_SIZE and head.startswith(_MARK)
    return whole and CRC.unpack(head[-4:])[0] == zlib.crc32(head[:-4])


def head_follows(file: IO[bytes], offset: int, size: int) -> bool:
    """Whether there is the head of a record after the one at offset, before byte `size`.

    A run may write on and on behind that: what it writes is not read.
    """
    file.seek(offset + 1)
    left, data = size - offset - 1, b""
    while piece := file.read(min(left, PIECE)):
        left -= len(piece)
        data = data[-HEAD_SIZE + 1 :] + piece
        at = data.find(_MARK)
        while at >= 0:
            if _is_head(data[at : at + HEAD_SIZE]):
                return True
            at = data.find(_MARK, at + 1)
    return False


def extent(last_time: float | None) -> str:
    """Description of the time range of the rows.

    `last_time`: time of the last row [s].
    """
    return "no rows yet" if last_time is None else f"results to t = {last_time:.9g} s"
