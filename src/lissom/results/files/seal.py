"""Checksums of every byte of a file, appended to its end.

A sealed file consists of content, a table, rows and a footer, all numbers little-endian::

    content   read by other programs, which ignore the rest
    table     CRC32 of each block of the content (4 bytes each)
    rows      first byte and end of each piece of the content that holds rows (8 bytes each)
    footer    "LsmSeal1", length of the content (8 bytes), length of a block, number of pieces,
              CRC32 of table, rows and footer so far (4 bytes each)

So damage is detected before a library that trusts its input sees the bytes, and a part of a large
file is verified by reading little more than that part.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from ...errors import ResultError
from .disk import PathLike
from .shield import give_way

_FOOTER = struct.Struct("<8sQII")
_CRC = struct.Struct("<I")
_MAGIC = b"LsmSeal1"
_SMALLEST, _MOST_BLOCKS, _MOST_PIECES = 1 << 16, 1 << 13, 1 << 8
_END = _FOOTER.size + _CRC.size
_MOST = 4 * _MOST_BLOCKS + 16 * _MOST_PIECES + _END


@dataclass(frozen=True)
class Seal:
    """Checksums of the content of a file."""

    size: int  # length of the content [bytes]
    block: int  # length of a block [bytes]
    table: tuple[int, ...]  # CRC32 of each block
    rows: tuple[int, ...] = ()  # first byte and end of each piece of rows, ascending

    def packed(self) -> bytes:
        """Table, rows and footer."""
        data = struct.pack(f"<{len(self.table)}I{len(self.rows)}Q", *self.table, *self.rows)
        data += _FOOTER.pack(_MAGIC, self.size, self.block, len(self.rows) // 2)
        return data + _CRC.pack(zlib.crc32(data))

    def read(self, file: IO[bytes], start: int, stop: int) -> bytes:
        """Bytes start to stop of the content; ValueError if they have changed since writing."""
        return read_blocks(file, 0, self.size, self.block, self.table, start, stop)

    def check(self, file: IO[bytes], *, rows: bool = True) -> None:
        """Verify all bytes; ValueError as in `read`."""
        inside = list(zip(self.rows[::2], self.rows[1::2], strict=True))
        for place in range(0, self.size, self.block):
            give_way()
            end = min(place + self.block, self.size)
            if rows or not any(start <= place and end <= stop for start, stop in inside):
                self.read(file, place, end)


def damaged(path: PathLike, reason: object) -> ResultError:
    """Error for a damaged file."""
    words = " ".join(str(reason).split())[:200]
    return ResultError(f"{path} is truncated or damaged ({words}); copy it again, or run again")


def checksums(file: IO[bytes], size: int, block: int) -> tuple[int, ...]:
    """CRC32 of each block of the next bytes of a file.

    `size`, `block`: total length and length of a block [bytes].
    """
    table = []
    for place in range(0, size, block):
        give_way()
        table.append(zlib.crc32(file.read(min(block, size - place))))
    return tuple(table)


def read_blocks(
    file: IO[bytes], base: int, size: int, block: int, table: tuple[int, ...], start: int, stop: int
) -> bytes:
    """Bytes of a file, after verification of all blocks that contain them."""
    first, last = start // block, -(-stop // block)
    file.seek(base + first * block)
    data = memoryview(file.read(min(last * block, size) - first * block))
    for k in range(first, last):
        piece = data[(k - first) * block : (k - first + 1) * block]
        if zlib.crc32(piece) != table[k]:
            raise ValueError(f"bytes {base + k * block} to {base + (k + 1) * block} have changed")
    return bytes(data[start - first * block : stop - first * block])


def seal(path: PathLike, rows: Iterable[tuple[int, int]] = (), *, zipped: bool = False) -> None:
    """Append the checksums of a complete file to its end."""
    pieces = tuple(x for piece in sorted(rows) for x in piece)
    with open(path, "rb+") as file:
        size = os.fstat(file.fileno()).st_size
        block = _SMALLEST
        while size > block * _MOST_BLOCKS:
            block *= 2
        if zipped:  # the last two bytes of an archive are the length of its comment
            file.seek(size - 2)
            file.write(struct.pack("<H", _length(size, block, len(pieces) // 2)))
            file.flush()
        file.seek(0)
        data = Seal(size, block, checksums(file, size, block), pieces).packed()
        file.seek(size)
        file.write(data)


def _length(size: int, block: int, n_piece: int) -> int:
    """Bytes of a seal."""
    return 4 * -(-size // block) + 16 * n_piece + _END


def read_seal(file: IO[bytes]) -> Seal | None:
    """Seal of an open file; None if there is none, ValueError if it is damaged."""
    length = file.seek(0, os.SEEK_END)
    file.seek(max(0, length - _MOST))
    tail = file.read()
    if len(tail) < _END or tail[-_END : -_END + 8] != _MAGIC:
        return None
    _, size, block, n_piece = _FOOTER.unpack(tail[-_END : -_CRC.size])
    if block < _SMALLEST or size + (n := _length(size, block, n_piece)) != length:
        raise ValueError("its length has changed")
    data = tail[-n:]
    if zlib.crc32(data[: -_CRC.size]) != _CRC.unpack(data[-_CRC.size :])[0]:
        raise ValueError("the checksums at its end have changed")
    n_block = -(-size // block)
    numbers = struct.unpack(f"<{n_block}I{2 * n_piece}Q", data[:-_END])
    return Seal(size, block, numbers[:n_block], numbers[n_block:])
