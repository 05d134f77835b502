"""Binary form of OUTPUT4 files: records of Fortran; the layout is described in `op4`.

Headers are read one by one, values all at once at the end: there are many of either.
"""

from __future__ import annotations

import struct

import numpy as np

from ..text import refused
from .op4_draft import LONGEST, Array, Draft


class BinaryReader:
    """Reader of the binary form.

    Parameters
    ----------
    path : str
        File, for messages.
    content : bytes
        Its content.
    """

    def __init__(self, path: str, content: bytes) -> None:
        self.path, self.content, self.at = path, content, 0
        self.order, self.word = self._kind()
        self._size = 8  # bytes of a real number
        quarters = np.frombuffer(content, f"{self.order}i4", len(content) // 4)
        self._quarters = quarters.astype(np.int32).data  # indexed quickly

    def _kind(self) -> tuple[str, int]:
        """Byte order and bytes of a word, from the length of the first record."""
        if len(self.content) >= 8:
            for order in "<>":
                (length,) = struct.unpack(f"{order}i", self.content[:4])
                if length in (24, 48):
                    return order, length // 6
        message = "expected an OUTPUT4 file: its first record has 24 or 48 bytes"
        raise refused(self.path, f"{message}; the file is of another kind, or damaged")

    def read(self) -> list[tuple[Draft, Array]]:
        """Matrices with the values at their places."""
        found = []
        while self.at < len(self.content):
            draft = self._header()
            starts: list[int] = []
            while self._column(draft, starts):
                pass
            found.append((draft, self._values(draft, starts)))
        return found

    def _record(self, least: int) -> tuple[int, int]:
        """First and last byte of the next record."""
        start = self.at + 4
        length = self._length(self.at)
        stop = start + length
        fits = least <= length <= len(self.content) - start - 4 and not length % self.word
        if not fits or self._length(stop) != length:
            raise self._refused(f"a record of {length} bytes does not end: cut or damaged", self.at)
        self.at = stop + 4
        return start, stop

    def _length(self, at: int) -> int:
        if at + 4 > len(self.content):
            raise self._refused("the file ends within a record: it is cut", at)
        return self._quarters[at // 4]

    def _whole(self, at: int) -> int:
        """Whole number of one word."""
        if self.word == 4:
            return self._quarters[at // 4]
        return int(struct.unpack_from(f"{self.order}q", self.content, at)[0])

    def _header(self) -> Draft:
        start, stop = self._record(6 * self.word)
        n_column, n_row, form, kind = (self._whole(start + k * self.word) for k in range(4))
        name = self.content[start + 4 * self.word : stop].decode("latin-1").strip().upper()
        draft = Draft(name, n_column, n_row, form, kind)
        if wrong := draft.problem():
            raise self._refused(wrong, start - 4)
        self._size = 8 if self.word == 8 else 4 * draft.n_word
        return draft

    def _column(self, draft: Draft, starts: list[int]) -> bool:
        """Places of one column, and where its values start; False after the last column."""
        word = self.word
        start, stop = self._record(3 * word)
        column, row, n_word = (self._whole(start + k * word) for k in range(3))
        if column == draft.n_column + 1:
            return False
        at = start + 3 * word
        if n_word < 0 or at + n_word * word > stop:
            raise self._refused(f"{n_word} words are announced in a shorter record", start - 4)
        stop = at + n_word * word
        if row > 0:
            self._take(draft, column, row, n_word, at, starts)
            return True
        while at < stop:
            at = self._string(draft, column, at, stop, starts)
        return True

    def _string(self, draft: Draft, column: int, at: int, stop: int, starts: list[int]) -> int:
        """Place of one string; returns that of the next."""
        first = at + (1 + draft.big) * self.word
        if first > stop:
            raise self._refused("a string has no header", at)
        if draft.big:
            length, row = self._whole(at) - 1, self._whole(at + self.word)
        else:
            packed = self._whole(at)
            length, row = packed // LONGEST - 1, packed % LONGEST
        end = first + length * self.word
        if length <= 0 or end > stop:
            raise self._refused(f"a string of {length} words in a shorter column", at)
        self._take(draft, column, row, length, first, starts)
        return end

    def _take(
        self, draft: Draft, column: int, row: int, n_word: int, at: int, starts: list[int]
    ) -> None:
        if wrong := draft.place(column, row, n_word * self.word // self._size):
            raise self._refused(wrong, at)
        starts.append(at // 4)

    def _values(self, draft: Draft, starts: list[int]) -> Array:
        """Real numbers of all places; they begin at any multiple of four bytes."""
        each = self._size // 4
        counts = np.array([count for _, _, count in draft.places], dtype=np.intp)
        counts *= each * (1 + (draft.kind > 2))
        first = np.repeat(np.array(starts, dtype=np.intp) - np.cumsum(counts) + counts, counts)
        quarters = np.frombuffer(self.content, "u4", len(self.content) // 4)
        data = quarters[first + np.arange(len(first))]
        return data.view(f"{self.order}f{4 * each}").astype(float)

    def _refused(self, message: str, at: int) -> Exception:
        return refused(self.path, f"byte {at}: {message}")
