"""Checksums of every byte of a file, after its end.

A sealed file is content, a table and a footer, all numbers little-endian::

    content   what other programs read: they ignore what follows
    table     CRC32 of each block of the content (4 bytes each)
    rows      first byte and end of each piece of the content that holds rows (8 bytes each)
    footer    "LsmSeal1", length of the content (8 bytes), length of a block, number of pieces,
              CRC32 of table, rows and footer so far (4 bytes each)

So damage is found before any library that trusts its input sees the bytes, and a piece of a large
file is checked by reading little more than that piece.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO

from ..errors import ResultError
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
    """Checksums of the content of a file.

    Attributes
    ----------
    size : int
        Length of the content [bytes].
    block : int
        Length of a block [bytes].
    table : tuple of int
        CRC32 of each block.
    rows : tuple of int
        First byte and end of one piece of rows after another, ascending.
    """

    size: int
    block: int
    table: tuple[int, ...]
    rows: tuple[int, ...] = ()

    def packed(self) -> bytes:
        """Table, rows and footer."""
        data = struct.pack(f"<{len(self.table)}I{len(self.rows)}Q", *self.table, *self.rows)
        data += _FOOTER.pack(_MAGIC, self.size, self.block, len(self.rows) // 2)
        return data + _CRC.pack(zlib.crc32(data))

    def read(self, file: IO[bytes], start: int, stop: int) -> bytes:
        """Bytes start to stop of the content; ValueError where they are not as they were written.

        Parameters
        ----------
        file : binary file
            Open.
        start, stop : int
            Places in the content.
        """
        return read_blocks(file, 0, self.size, self.block, self.table, start, stop)

    def check(self, file: IO[bytes], *, rows: bool = True) -> None:
        """Look at all bytes; ValueError as in `read`.

        Parameters
        ----------
        file : binary file
            Open.
        rows : bool
            Whether also at blocks that hold nothing but rows.
        """
        inside = list(zip(self.rows[::2], self.rows[1::2], strict=True))
        for place in range(0, self.size, self.block):
            give_way()
            end = min(place + self.block, self.size)
            if rows or not any(start <= place and end <= stop for start, stop in inside):
                self.read(file, place, end)


def damaged(path: PathLike, reason: object) -> ResultError:
    """Error for a file that is not as it was written.

    Parameters
    ----------
    path : path
        The file.
    reason : object
        How that shows.
    """
    words = " ".join(str(reason).split())[:200]
    return ResultError(f"{path} is cut off or damaged ({words}); copy it again, or run again")


def checksums(file: IO[bytes], size: int, block: int) -> tuple[int, ...]:
    """CRC32 of each block of the next bytes of a file.

    Parameters
    ----------
    file : binary file
        Open, at their start.
    size, block : int
        Length of all and of one [bytes].
    """
    found = []
    for place in range(0, size, block):
        give_way()
        found.append(zlib.crc32(file.read(min(block, size - place))))
    return tuple(found)


def read_blocks(
    file: IO[bytes], at: int, size: int, block: int, table: tuple[int, ...], start: int, stop: int
) -> bytes:
    """Bytes of which whole blocks have been checked.

    Parameters
    ----------
    file : binary file
        Open.
    at, size, block, table
        Where the first block begins, length of all and of one, and the CRC32 of each.
    start, stop : int
        What is wanted, counted from the first block.
    """
    first, last = start // block, -(-stop // block)
    file.seek(at + first * block)
    data = memoryview(file.read(min(last * block, size) - first * block))
    for k in range(first, last):
        piece = data[(k - first) * block : (k - first + 1) * block]
        if zlib.crc32(piece) != table[k]:
            raise ValueError(f"bytes {at + k * block} to {at + (k + 1) * block} have changed")
    return bytes(data[start - first * block : stop - first * block])


def seal(path: PathLike, rows: Iterable[tuple[int, int]] = (), *, zipped: bool = False) -> None:
    """Add the checksums of all that a file holds to its end.

    Parameters
    ----------
    path : path
        File that is complete.
    rows : iterable of pairs of int
        First byte and end of the pieces that hold rows.
    zipped : bool
        Whether it is a ZIP archive, of which the seal becomes the comment.
    """
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
    """Seal of an open file; None if there is none, ValueError if it is damaged.

    Parameters
    ----------
    file : binary file
        Open.
    """
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
