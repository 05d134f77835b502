"""Matrices in Nastran's OUTPUT4 form: text or binary, dense or sparse, either byte order.

A matrix is a header (columns, rows, form, type, name), its columns, and a last column that is one
too many.  A dense column has its first row and its values.  A sparse one has row 0 and strings of
values, each with its length in words L and its first row, either packed in one word

  row + 65536 (L + 1)                                                                         (1)

or, in the form BIGMAT, which negative numbers of rows announce, as the two words L + 1 and row.
Source: MSC Nastran DMAP Programmer's Guide, module OUTPUT4.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..text import Lines, path_text, read_bytes, refused, whole

MOST_ROWS = 20_000_000  # an empty matrix of as many columns takes 160 MB
SYMMETRIC = 6
_LONGEST = 65536
_FORMAT = re.compile(r"(\d*)[ED](\d+)\.\d+", re.IGNORECASE)


@dataclass(eq=False)
class Draft:
    """Matrix that is being read.

    Attributes
    ----------
    name : str
    n_column, n_row : int
    form : int
        2 is rectangular, 6 symmetric.
    kind : int
        1 and 2 are real, 3 and 4 complex, single and double.
    big : bool
        Form BIGMAT of strings.
    """

    name: str
    n_column: int
    n_row: int
    form: int
    kind: int
    big: bool = False
    rows: list[NDArray[np.intp]] = field(default_factory=list)
    columns: list[NDArray[np.intp]] = field(default_factory=list)
    values: list[NDArray[np.inexact]] = field(default_factory=list)

    def problem(self) -> str:
        """What is wrong with the header; empty if nothing is."""
        self.big = self.big or self.n_row < 0 or self.n_row >= _LONGEST
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

    def add(self, column: int, row: int, values: NDArray[np.inexact]) -> str:
        """Add values of a column; returns what is wrong.

        Parameters
        ----------
        column, row : int
            First place, counted from 1.
        values : array
            Real; those of a complex matrix alternate with imaginary ones.
        """
        if self.kind > 2:
            if len(values) % 2:
                return f"column {column} of {self.name} ends with a real part"
            values = values[0::2] + 1j * values[1::2]
        within = 1 <= column <= self.n_column and 1 <= row <= self.n_row - len(values) + 1
        if not within or not len(values):
            last = row + len(values) - 1
            size = f"{self.n_row} rows and {self.n_column} columns"
            return f"values in rows {row} to {last} of column {column}; {self.name} has {size}"
        if self.columns and (column, row) <= (self.columns[-1][-1] + 1, self.rows[-1][-1] + 1):
            return f"column {column}, row {row} of {self.name} is not after those before it"
        if not np.isfinite(values).all():
            return f"column {column} of {self.name} has a value that is not finite"
        self.rows.append(np.arange(row - 1, row - 1 + len(values)))
        self.columns.append(np.full(len(values), column - 1, dtype=np.intp))
        self.values.append(values)
        return ""

    def matrix(self) -> sparse.csc_array:
        """Finished matrix."""
        shape = (self.n_row, self.n_column)
        if not self.values:
            return sparse.csc_array(shape)
        parts = [np.concatenate(x) for x in (self.values, self.rows, self.columns)]
        kept = parts[0] != 0
        value, row, column = (part[kept] for part in parts)
        found = sparse.csc_array(sparse.coo_array((value, (row, column)), shape=shape))
        one_sided = self.form == SYMMETRIC and ((row <= column).all() or (row >= column).all())
        if one_sided:
            found = found + found.T - sparse.diags_array(found.diagonal())
        return sparse.csc_array(found)


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
    content = read_bytes(name)
    if not content.strip():
        raise refused(name, "the file is empty; expected an OUTPUT4 file")
    drafts = _Text(name).read() if b"\0" not in content[:4096] else _Binary(name, content).read()
    found: dict[str, sparse.csc_array] = {}
    for draft in drafts:
        if draft.name in found:
            raise refused(name, f"matrix {draft.name} is there twice; write each once")
        found[draft.name] = draft.matrix()
    return found


class _Text:
    """Reader of the text form."""

    def __init__(self, path: str) -> None:
        self.lines, self.at = Lines.of(path, "an OUTPUT4 file"), 0
        self.width, self.draft = 0, Draft("", 0, 0, 0, 0)

    def read(self) -> list[Draft]:
        found = []
        while self.at < len(self.lines):
            if not self._line().strip():
                continue
            self.at -= 1
            self._header()
            while self._column():
                pass
            found.append(self.draft)
        return found

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
        text = self._line()
        words = text.split()
        if len(words) != 3:
            words = [text[k : k + 8] for k in (0, 8, 16)]
        column, row, n_word = (self._integer(word) for word in words)
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
            length, row = packed // _LONGEST - 1, packed % _LONGEST
        self._take(column, row, self._values(), length)
        return length + 1 + self.draft.big

    def _take(self, column: int, row: int, values: list[float], n_word: int) -> None:
        if n_word not in (len(values), self.draft.n_word * len(values)) or not values:
            raise self._refused(f"{len(values)} values found, {n_word} words announced: it is cut")
        if wrong := self.draft.add(column, row, np.array(values)):
            raise self._refused(wrong)

    def _values(self) -> list[float]:
        """Values up to the next line of whole numbers, which has no decimal point."""
        found: list[float] = []
        while self.at < len(self.lines) and "." in (text := self.lines.texts[self.at])[:40]:
            if _FORMAT.search(text[40:]) and whole(text[:8]) is not None:
                break  # header of the next matrix, whose format has a point
            self.at += 1
            text = text.rstrip()
            for k in range(0, len(text), self.width):
                word = text[k : k + self.width]
                found.append(self.lines.real(word, self.at - 1, "a value"))
        return found

    def _line(self) -> str:
        if self.at >= len(self.lines):
            raise self._refused(f"the file ends within matrix {self.draft.name}: it is cut")
        self.at += 1
        return self.lines.texts[self.at - 1]

    def _integer(self, text: str) -> int:
        return self.lines.integer(text, self.at - 1, "a number of the column's header", 0)

    def _refused(self, message: str) -> Exception:
        return self.lines.refused(max(self.at - 1, 0), message)


class _Binary:
    """Reader of the binary form: records of Fortran with their lengths before and after."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path, self.content, self.at = path, content, 0
        self.order, self.word = self._kind()

    def _kind(self) -> tuple[str, int]:
        """Byte order and bytes of a word, from the length of the first record."""
        if len(self.content) >= 8:
            for order in "<>":
                (length,) = struct.unpack(f"{order}i", self.content[:4])
                if length in (24, 48):
                    return order, length // 6
        message = "expected an OUTPUT4 file: its first record has 24 or 48 bytes"
        raise refused(self.path, f"{message}; the file is of another kind, or damaged")

    def read(self) -> list[Draft]:
        found = []
        while self.at < len(self.content):
            draft = self._header()
            while self._column(draft):
                pass
            found.append(draft)
        return found

    def _record(self, least: int) -> tuple[bytes, int]:
        """Next record and its place."""
        start = self.at
        length = self._length(start)
        stop = start + 4 + length
        if not least <= length <= len(self.content) - start - 8 or self._length(stop) != length:
            raise self._refused(f"a record of {length} bytes does not end: cut or damaged", start)
        self.at = stop + 4
        return self.content[start + 4 : stop], start

    def _length(self, at: int) -> int:
        if at + 4 > len(self.content):
            raise self._refused("the file ends within a record: it is cut", at)
        return int(struct.unpack_from(f"{self.order}i", self.content, at)[0])

    def _header(self) -> Draft:
        record, start = self._record(6 * self.word)
        n_column, n_row, form, kind = self._integers(record, 0, 4)
        name = record[4 * self.word :].decode("latin-1").strip().upper()
        draft = Draft(name, n_column, n_row, form, kind)
        if wrong := draft.problem():
            raise self._refused(wrong, start)
        return draft

    def _integers(self, record: bytes, at: int, count: int) -> list[int]:
        kind = f"{self.order}i{self.word}"
        return [int(x) for x in np.frombuffer(record, kind, count, at * self.word)]

    def _column(self, draft: Draft) -> bool:
        record, start = self._record(3 * self.word)
        column, row, n_word = self._integers(record, 0, 3)
        if column == draft.n_column + 1:
            return False
        if n_word < 0 or (3 + n_word) * self.word > len(record):
            raise self._refused(f"{n_word} words are announced in a shorter record", start)
        if row > 0:
            self._take(draft, column, row, record, 3, n_word, start)
            return True
        at = 3
        while at < 3 + n_word:
            at = self._string(draft, column, record, at, 3 + n_word, start)
        return True

    def _string(
        self, draft: Draft, column: int, record: bytes, at: int, stop: int, start: int
    ) -> int:
        """Read one string; returns the place of the next."""
        if at + 1 + draft.big > stop:
            raise self._refused("a string has no header", start)
        if draft.big:
            length, row = self._integers(record, at, 2)
            length -= 1
        else:
            (packed,) = self._integers(record, at, 1)
            length, row = packed // _LONGEST - 1, packed % _LONGEST
        at += 1 + draft.big
        if not 0 < length <= stop - at:
            raise self._refused(f"a string of {length} words in a shorter column", start)
        self._take(draft, column, row, record, at, length, start)
        return at + length

    def _take(
        self, draft: Draft, column: int, row: int, record: bytes, at: int, n_word: int, start: int
    ) -> None:
        size = 8 if self.word == 8 else 4 * draft.n_word
        count = n_word * self.word // size
        values = np.frombuffer(record, f"{self.order}f{size}", count, at * self.word)
        if wrong := draft.add(column, row, values.astype(float)):
            raise self._refused(wrong, start)

    def _refused(self, message: str, at: int) -> Exception:
        return refused(self.path, f"byte {at}: {message}")
