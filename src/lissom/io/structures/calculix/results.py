"""Results of CalculiX in files NAME.frd, in text form."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....printing import Shown
from ..text import MOST_NUMBER, Lines, number, path_text, whole

Array = NDArray[np.float64]

_KINDS = {0: "static", 1: "time", 2: "modal", 3: "buckling", 4: "user"}
_MOST_COMPONENTS = 50
_WIDTHS = {0: 5, 1: 10}  # columns of a node number, by format
_STRESS_ORDER = ("SXX", "SYY", "SZZ", "SYZ", "SZX", "SXY")


@dataclass(frozen=True, eq=False)
class Result(Shown):
    """One field of results.

    Attributes
    ----------
    name : str
        "DISP", "STRESS" and the like.
    kind : str
        "static", "time", "modal", "buckling" or "user".
    value : float
        Time, or frequency of a mode [cycles per unit of time].
    step : int
        Number of the step or of the mode.
    components : tuple of str
        "D1", "D2", "D3" and the like.
    numbers : array (n,) of int
        Node numbers.
    values : array (n, components)
        In the units of the file.
    """

    name: str
    kind: str
    value: float
    step: int
    components: tuple[str, ...]
    numbers: NDArray[np.intp]
    values: Array

    def ordered(self) -> Array:
        """Stresses in the order xx, yy, zz, yz, zx, xy, else the values as they are."""
        if set(self.components) != set(_STRESS_ORDER):
            return self.values
        return self.values[:, [self.components.index(name) for name in _STRESS_ORDER]]


@dataclass(frozen=True, eq=False)
class Results(Shown):
    """Content of a file NAME.frd, in its units.

    Attributes
    ----------
    path : str
    numbers : array (n,) of int
        Node numbers.
    positions : array (n, 3)
    fields : tuple of Result
        In their order.
    unused : tuple of str
        Content that is not used, by line.
    """

    path: str
    numbers: NDArray[np.intp]
    positions: Array
    fields: tuple[Result, ...]
    unused: tuple[str, ...]

    def named(self, name: str) -> list[Result]:
        """Fields of one name, such as "DISP" or "STRESS".

        Parameters
        ----------
        name : str
            Upper case.
        """
        return [one for one in self.fields if one.name == name]

    def pairs(self) -> list[tuple[Result, Result]]:
        """Displacements and stresses of the same step or mode."""
        stresses = {(x.kind, x.step, x.value): x for x in self.named("STRESS")}
        keys = ((x.kind, x.step, x.value) for x in self.named("DISP"))
        return [
            (x, stresses[key])
            for x, key in zip(self.named("DISP"), keys, strict=True)
            if key in stresses
        ]


def read_frd(path: str | os.PathLike[str]) -> Results:
    """Read a results file of CalculiX.

    Parameters
    ----------
    path : path
        NAME.frd in text form, as ``*NODE FILE`` and ``*EL FILE`` write it.

    Raises
    ------
    ModelFileError
        If it is binary, cut or damaged; with file and line.
    """
    return _ResultReader(Lines.of(path_text(path), "results of CalculiX (*NODE FILE)")).results()


class _ResultReader:
    """Goes through the lines; `at` is the next one."""

    def __init__(self, lines: Lines) -> None:
        self.lines, self.at = lines, 0
        self.unused: list[str] = []

    def results(self) -> Results:
        """All blocks."""
        lines = self.lines
        numbers, positions = np.zeros(0, dtype=np.intp), np.zeros((0, 3))
        fields = []
        if not lines.texts[0].startswith("    1C"):
            raise lines.refused(0, "expected results of CalculiX, which begin with 1C")
        last = next(k for k in range(len(lines) - 1, -1, -1) if lines.texts[k].strip())
        if not lines.texts[last].startswith(" 9999"):
            raise lines.refused(last, "the file ends without its last line 9999: it is cut")
        while self.at < len(lines) and not (text := lines.texts[self.at]).startswith(" 9999"):
            self.at += 1
            if text.startswith("    2C"):
                numbers, positions = self._block(self._count(text[6:36]), 3, self._format(text))
            elif text.startswith("    3C"):
                self._skip("elements")
            elif text.startswith("  100C"):
                fields.append(self._field(text))
            elif not text.startswith("    1"):
                message = f"{lines.quoted(text, self.at - 1)} found; expected a block 2C, 3C, 100C"
                raise lines.refused(self.at - 1, message)
        if self.at == len(lines):
            raise lines.refused(self.at, "the file ends without its last line 9999: it is cut")
        blocks = tuple(fields)
        return Results(lines.path, numbers, positions, blocks, tuple(self.unused))

    def _format(self, text: str) -> int:
        """Columns of a node number."""
        code = whole(text[73:75].strip() or "0")
        if code not in _WIDTHS:
            message = f"format {text[73:75].strip()!r}; only text is read: write with *NODE FILE"
            raise self.lines.refused(self.at - 1, f"{message}, not *NODE OUTPUT")
        return _WIDTHS[code]

    def _count(self, text: str) -> int:
        return self.lines.integer(text, self.at - 1, "the number of nodes", 0)

    def _skip(self, what: str) -> None:
        start = self.at
        while self.at < len(self.lines) and not self.lines.texts[self.at].startswith(" -3"):
            self.at += 1
        self._end(start, what)

    def _end(self, start: int, what: str) -> None:
        if self.at >= len(self.lines) or not self.lines.texts[self.at].startswith(" -3"):
            message = f"the block of {what} of line {self.lines.numbers[start]} has no end -3"
            raise self.lines.refused(self.at, f"{message}: the file is cut or damaged")
        self.at += 1

    def _block(self, count: int, n_value: int, width: int) -> tuple[NDArray[np.intp], Array]:
        """Lines " -1" with node number and up to six values, " -2" with further ones."""
        lines, start = self.lines, self.at
        if count > len(lines) - start:
            left = len(lines) - start
            message = f"{count} nodes are announced, {left} lines follow: the file is cut"
            raise lines.refused(start - 1, message)
        if columns := _table(lines.texts[start : start + count], n_value, width):
            self.at += count
            self._end(start, "nodes")
            return columns
        numbers, values = np.zeros(count, dtype=np.intp), np.zeros((count, n_value))
        for row in range(count):
            text = self._next(" -1")
            numbers[row] = lines.integer(text[3 : 3 + width], self.at - 1, "a node number")
            row_values = self._values(text[3 + width :])
            while len(row_values) < n_value:
                more = self._values(self._next(" -2")[3 + width :])
                row_values += more
            if len(row_values) != n_value:
                message = f"{len(row_values)} values found; expected {n_value}"
                raise lines.refused(self.at - 1, message)
            values[row] = row_values
        self._end(start, "nodes")
        return numbers, values

    def _next(self, mark: str) -> str:
        k = min(self.at, len(self.lines) - 1)
        text = self.lines.texts[k] if self.at < len(self.lines) else ""
        if not text.startswith(mark):
            message = f"{self.lines.quoted(text, k)} found; expected a line{mark}"
            raise self.lines.refused(k, f"{message}: the file is cut or damaged")
        self.at += 1
        return text

    def _values(self, text: str) -> list[float]:
        values = []
        text = text.rstrip()
        for k in range(0, max(len(text), 1), 12):
            value = number(text[k : k + 12])
            if value is None or len(text) - k < 12:
                word = self.lines.quoted(text[k : k + 12], self.at - 1)
                raise self.lines.refused(self.at - 1, f"{word} found; expected a finite number")
            values.append(value)
        return values

    def _field(self, text: str) -> Result:
        """One block 100C: its header, components and values."""
        lines, head = self.lines, self.at - 1
        value = lines.real(text[12:24], head, "time or frequency")
        count, width = self._count(text[24:36]), self._format(text)
        kind = _KINDS.get(whole(text[56:58]) or 0, "user")
        step = lines.integer(text[58:63], head, "the number of the step", 0)
        title = self._next(" -4").split()
        n_component = whole(title[2]) if len(title) > 2 else None
        if n_component is None or not 1 <= n_component <= _MOST_COMPONENTS:
            raise lines.refused(self.at - 1, "expected name and number of components")
        components = []
        for _ in range(n_component):
            words = self._next(" -5").split()
            if len(words) < 2:
                raise lines.refused(self.at - 1, "expected the name of a component")
            if len(words) < 7 or words[6] != "1ALL":  # a length, which is not stored
                components.append(words[1])
        numbers, values = self._block(count, len(components), width)
        return Result(title[1], kind, value, step, tuple(components), numbers, values)


def _table(texts: list[str], n_value: int, width: int) -> tuple[NDArray[np.intp], Array] | None:
    """Numbers and values of lines " -1" of equal length; None where one is not such a line."""
    content = "".join(texts)
    length = 3 + width + 12 * n_value
    if not texts or "_" in content or not content.isascii() or {len(x) for x in texts} != {length}:
        return None
    letters = np.frombuffer(content.encode(), "S1").reshape(-1, length)
    head = np.ascontiguousarray(letters[:, : 3 + width])
    try:
        if not (head[:, :3] == [b" ", b"-", b"1"]).all():
            return None
        numbers = np.ascontiguousarray(head[:, 3:]).view(f"S{width}").ravel().astype(np.int64)
        values = np.ascontiguousarray(letters[:, 3 + width :]).view("S12").astype(float)
    except ValueError:
        return None
    if numbers.min() < 1 or numbers.max() > MOST_NUMBER or not np.isfinite(values).all():
        return None
    return numbers.astype(np.intp), values
