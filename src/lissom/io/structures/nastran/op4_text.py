"""Text form of OUTPUT4 files; the layout is described in `op4`."""

from __future__ import annotations

import math
import re

import numpy as np

from ..text import Lines, whole
from .op4_draft import LONGEST, MOST_ROWS, Array, Draft

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
    """Reader of the text form.

    Parameters
    ----------
    path : str
        File.
    """

    def __init__(self, path: str) -> None:
        self.lines, self.at = Lines.of(path, "an OUTPUT4 file"), 0
        _check_lines(self.lines)
        self.width, self.draft = 0, Draft("", 0, 0, 0, 0)
        self.values: list[float] = []

    def read(self) -> list[tuple[Draft, Array]]:
        """Matrices with the values at their places."""
        found = []
        while self.at < len(self.lines):
            if not self._line().strip():
                continue
            self.at -= 1
            self._header()
            self.values = []
            while self._column():
                pass
            found.append((self.draft, np.array(self.values)))
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
        found: list[float] = []
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
            found += values
            at += 1
        self.at = at
        return found

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
