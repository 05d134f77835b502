"""Matrix of an OUTPUT4 file that is being read."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

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
