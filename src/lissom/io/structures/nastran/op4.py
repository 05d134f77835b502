"""Matrices in Nastran's OUTPUT4 form: text or binary, dense or sparse, either byte order.

A matrix is a header (columns, rows, form, type, name), its columns, and a last column that is one
too many.  A dense column has its first row and its values.  A sparse one has row 0 and strings of
values, each with its length in words L and its first row, either packed in one word

  row + 65536 (L + 1)                                                                         (1)

or, in the form BIGMAT, which negative numbers of rows announce, as the two words L + 1 and row.
Source: MSC Nastran DMAP Programmer's Guide, module OUTPUT4.
"""

from __future__ import annotations

import math
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..text import Lines, path_text, read_bytes, refused, whole


def read_op4(path: str | os.PathLike[str]) -> Mapping[str, sparse.csc_array]:
    """Matrices of an OUTPUT4 file, by name.

    Parameters
    ----------
    path : path
        Text or binary, dense or sparse, of either byte order.

    Returns
    -------
    dict of sparse arrays

    Raises
    ------
    ModelFileError
        If it is cut, damaged or no such file; with line or byte.
    """
    name = path_text(path)
    is_binary = b"\0" in read_bytes(name, 4096)
    drafts = (BinaryReader(name, read_bytes(name)) if is_binary else TextReader(name)).read()
    matrices: dict[str, sparse.csc_array] = {}
    for draft, values in drafts:
        if draft.name in matrices:
            raise refused(name, f"matrix {draft.name} is there twice; write each once")
        if wrong := draft.not_finite(values):
            raise refused(name, wrong)
        matrices[draft.name] = draft.matrix(values)
    return matrices


# Binary form: records of Fortran.
#
# Headers are read one by one, values all at once at the end: there are many of either.


class BinaryReader:
    """Reader of the binary form."""

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
        matrices = []
        while self.at < len(self.content):
            draft = self._header()
            starts: list[int] = []
            while self._column(draft, starts):
                pass
            matrices.append((draft, self._values(draft, starts)))
        return matrices

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


_FORMAT = re.compile(r"(\d*)[ED](\d+)\.\d+", re.IGNORECASE)


_STRANGE = str.maketrans("", "", "0123456789+-.eEdD \t")  # what it leaves is in no number


def _is_header(text: str) -> bool:
    """Whether a line is the header of a matrix, which ends with the format of its values."""
    return "." not in text[:8] and whole(text[:8]) is not None and bool(_FORMAT.search(text, 40))


def _check_lines(lines: Lines) -> None:
    """Find in a moment what reading would take long to find: a missing end, words in numbers."""
    texts = lines.texts
    heads = [k for k, x in enumerate(texts) if len(x) > 40 and "." not in x[:8] and _is_header(x)]
    if not heads or heads[0]:
        return  # read it to say where it is no such file
    for first, stop in zip(heads, [*heads[1:], len(texts)], strict=True):
        if "".join(texts[first + 1 : stop]).translate(_STRANGE):
            k = next(k for k in range(first + 1, stop) if texts[k].translate(_STRANGE))
            word = lines.quoted(texts[k], k)
            raise lines.refused(k, f"{word} found; expected finite numbers alone")
        end = whole(texts[first][:8]) or 0
        whole_numbers = (k for k in range(stop - 1, first, -1) if _is_whole(texts[k]))
        last = next(whole_numbers, first)
        if 0 < end <= MOST_ROWS and (last == first or _three(texts[last])[0] != str(end + 1)):
            message = f"the file ends within matrix {texts[first][32:40].strip()}: it is cut"
            raise lines.refused(stop - 1, f"{message}, for its last column is not {end + 1}")


def _is_whole(text: str) -> bool:
    """Whether a line has whole numbers only."""
    return "." not in text and bool(text.strip())


def _three(text: str) -> list[str]:
    """Numbers of a column's header: words, or eight characters each where they touch."""
    words = text.split()
    return words if len(words) == 3 else [text[k : k + 8].strip() for k in (0, 8, 16)]


class TextReader:
    """Reader of the text form."""

    def __init__(self, path: str) -> None:
        self.lines, self.at = Lines.of(path, "an OUTPUT4 file"), 0
        _check_lines(self.lines)
        self.width, self.draft = 0, Draft("", 0, 0, 0, 0)
        self.values: list[float] = []

    def read(self) -> list[tuple[Draft, Array]]:
        """Matrices with the values at their places."""
        matrices = []
        while self.at < len(self.lines):
            if not self._line().strip():
                continue
            self.at -= 1
            self._header()
            self.values = []
            while self._column():
                pass
            matrices.append((self.draft, np.array(self.values)))
        return matrices

    def _header(self) -> None:
        text = self._line()
        sizes = [whole(text[k : k + 8]) for k in (0, 8, 16, 24)]
        match = _FORMAT.search(text[40:])
        if None in sizes or match is None or not 1 <= int(match[2][:3]) <= 80:
            message = "expected the header of a matrix: columns, rows, form, type, name, format"
            raise self._refused(message)
        n_column, n_row, form, kind = (x or 0 for x in sizes)
        self.width = int(match[2][:3])
        self.draft = Draft(text[32:40].strip().upper(), n_column, n_row, form, kind)
        if wrong := self.draft.problem():
            raise self._refused(wrong)

    def _column(self) -> bool:
        """Read one column; False after the last one."""
        column, row, n_word = (self._integer(word) for word in _three(self._line()))
        if column == self.draft.n_column + 1:
            self._values()
            return False
        if row > 0:
            self._take(column, row, self._values(), n_word)
            return True
        while n_word > 0:
            n_word -= self._string(column)
        if n_word < 0:
            raise self._refused("a string is longer than its column")
        return True

    def _string(self, column: int) -> int:
        """Read one string; returns its words with its header."""
        words = self._line().split()
        if len(words) != 1 + self.draft.big:
            raise self._refused(f"expected the header of a string, {1 + self.draft.big} numbers")
        if self.draft.big:
            length, row = self._integer(words[0]) - 1, self._integer(words[1])
        else:
            packed = self._integer(words[0])
            length, row = packed // LONGEST - 1, packed % LONGEST
        self._take(column, row, self._values(), length)
        return length + 1 + self.draft.big

    def _take(self, column: int, row: int, values: list[float], n_word: int) -> None:
        if n_word not in (len(values), self.draft.n_word * len(values)) or not values:
            raise self._refused(f"{len(values)} values found, {n_word} words announced: it is cut")
        if wrong := self.draft.place(column, row, len(values)):
            raise self._refused(wrong)
        self.values += values

    def _values(self) -> list[float]:
        """Values up to the next line of whole numbers, which has no decimal point."""
        numbers: list[float] = []
        texts, width, at, stop = self.lines.texts, self.width, self.at, len(self.lines)
        while at < stop and "." in (text := texts[at])[:40]:
            if _is_header(text):
                break
            text = text.rstrip()
            try:
                values = [float(text[k : k + width]) for k in range(0, len(text), width)]
                if "_" in text or not math.isfinite(sum(values)):
                    raise ValueError
            except ValueError:  # Fortran's exponents, or a fault
                values = self._numbers(text, at)
            numbers += values
            at += 1
        self.at = at
        return numbers

    def _numbers(self, text: str, at: int) -> list[float]:
        words = [text[k : k + self.width] for k in range(0, len(text), self.width)]
        return [self.lines.real(word, at, "a value") for word in words]

    def _line(self) -> str:
        if self.at >= len(self.lines):
            raise self._refused(f"the file ends within matrix {self.draft.name}: it is cut")
        self.at += 1
        return self.lines.texts[self.at - 1]

    def _integer(self, text: str) -> int:
        if text.isdecimal() and text.isascii() and len(text) <= 9:
            return int(text)
        return self.lines.integer(text, self.at - 1, "a number of the column's header", 0)

    def _refused(self, message: str) -> Exception:
        return self.lines.refused(max(self.at - 1, 0), message)


Array = NDArray[np.float64]

MOST_ROWS = 20_000_000  # an empty matrix of as many columns takes 160 MB
LONGEST = 65536  # rows of a matrix whose strings have packed headers
_SYMMETRIC = 6


@dataclass(eq=False)
class Draft:
    """Matrix that is being read."""

    name: str
    n_column: int
    n_row: int
    form: int  # 2 is rectangular, 6 symmetric
    kind: int  # 1 and 2 are real, 3 and 4 complex, single and double
    big: bool = False  # form BIGMAT of strings
    # column, first row and number of the values of each string, counted from 1
    places: list[tuple[int, int, int]] = field(default_factory=list)

    def problem(self) -> str:
        """What is wrong with the header; empty if nothing is."""
        self.big = self.big or self.n_row < 0 or self.n_row >= LONGEST
        self.n_row = abs(self.n_row)
        if not (0 < self.n_column <= MOST_ROWS and 0 < self.n_row <= MOST_ROWS):
            size = f"a matrix of {self.n_row} rows and {self.n_column} columns"
            return f"{size}; expected 1 to {MOST_ROWS} of either"
        if self.kind not in (1, 2, 3, 4):
            return f"type {self.kind}; expected 1 to 4"
        return ""

    @property
    def n_word(self) -> int:
        """Words of four bytes of a number."""
        return 2 - self.kind % 2

    def place(self, column: int, row: int, count: int) -> str:
        """Announce values of a column; returns what is wrong."""
        if self.kind > 2:
            if count % 2:
                return f"column {column} of {self.name} ends with a real part"
            count //= 2
        last = row + count - 1
        if not (count and 1 <= column <= self.n_column and 1 <= row and last <= self.n_row):
            size = f"{self.n_row} rows and {self.n_column} columns"
            return f"values in rows {row} to {last} of column {column}; {self.name} has {size}"
        if self.places:
            before, first, length = self.places[-1]
            if column < before or (column == before and row < first + length):
                return f"column {column}, row {row} of {self.name} is not after those before it"
        self.places.append((column, row, count))
        return ""

    def not_finite(self, values: Array) -> str:
        """Where a value is not a finite number; empty if all are."""
        bad = np.flatnonzero(~np.isfinite(values))
        if not len(bad):
            return ""
        ends = np.cumsum([count for _, _, count in self.places]) * (1 + (self.kind > 2))
        column = self.places[int(np.searchsorted(ends, bad[0], side="right"))][0]
        return f"column {column} of {self.name} has a value that is not finite"

    def matrix(self, values: Array) -> sparse.csc_array:
        """Finished matrix; parameters as for `not_finite`."""
        shape = (self.n_row, self.n_column)
        if not self.places:
            return sparse.csc_array(shape)
        entries = values if self.kind <= 2 else values[0::2] + 1j * values[1::2]
        columns, rows, counts = np.array(self.places).T
        start = np.repeat(rows - 1 - np.cumsum(counts) + counts, counts)
        row, column = start + np.arange(len(entries)), np.repeat(columns - 1, counts)
        is_nonzero = entries != 0
        value, row, column = entries[is_nonzero], row[is_nonzero], column[is_nonzero]
        matrix = sparse.csc_array(sparse.coo_array((value, (row, column)), shape=shape))
        one_sided = self.form == _SYMMETRIC and ((row <= column).all() or (row >= column).all())
        if one_sided:
            matrix = matrix + matrix.T - sparse.diags_array(matrix.diagonal())
        return sparse.csc_array(matrix)
