"""Rows: numbers that stand together in a flat array, declared once and read by name.

    class WheelRow(NamedRow):
        body: Number  # number of its body
        rim: Offset  # floats: its rim

In a kernel `wheel = WheelRow(ints, o)` is the row at ints[o], and `WheelRow(ints, o, k)` the k-th
of a table that begins there; `wheel.rim` is one load, `wheel.body = 3` one store.  The row is an
address, so that its array must be an argument of the kernel, which lives longer.  In Python the
same class reads and writes the array, and a `RowTable` has a column for each name.

For Numba a row is a type of its own (`numba_rows`): a name is then one expression to type, where an
array, an offset, a position and a mask are seven.
"""

from __future__ import annotations

import sys
from collections import namedtuple
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from ..compiling import LIBRARY, PLAIN, intrinsic

# Offsets are read through this mask, which tells the compiler that they are not negative, so that
# no index needs Python's wrap-around.
POSITIVE = (1 << 47) - 1

# What a name stands for.  An Offset is not negative.  In arrays of floating-point numbers three,
# six (xx, xy, xz, yy, yz, zz) and nine (row by row) of them are read and written as a tuple.
Number: TypeAlias = Any
Offset: TypeAlias = Any
Vector: TypeAlias = Any
Symmetric: TypeAlias = Any
Matrix: TypeAlias = Any
SIZES = {"Number": 1, "Offset": 1, "Vector": 3, "Symmetric": 6, "Matrix": 9}


class _Slotted(type):
    """Classes whose objects take no other names, so that a misspelt one is an error."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> Any:
        return super().__new__(cls, name, bases, {"__slots__": (), **members})


class NamedRow(metaclass=_Slotted):
    """Row of an array; a subclass declares its names in order, another row may be one of them."""

    __slots__ = ("_array", "_start")
    kinds: ClassVar[dict[str, str | type[NamedRow]]]
    places: ClassVar[dict[str, int]]
    size: ClassVar[int]

    def __init_subclass__(cls) -> None:
        module = vars(sys.modules[cls.__module__])
        cls.kinds, cls.places, cls.size = {}, {}, 0
        for name, kind in cls.__annotations__.items():
            cls.kinds[name] = kind if kind in SIZES else module[kind]
            cls.places[name] = cls.size
            setattr(cls, name, _in_python(cls.size, cls.kinds[name]))
            cls.size += size_of(cls.kinds[name])
        if LIBRARY is None and not PLAIN:  # else Numba need not be there
            from .numba_rows import register

            register(cls)

    def __init__(self, array: Any, start: int, k: int = 0) -> None:
        self._array, self._start = array, start + k * self.size

    @classmethod
    def of(cls, **values: int) -> Self:
        """Row of integers by name, zero where nothing is said, in an array of its own."""
        row = cls(np.zeros(cls.size, dtype=np.int64), 0)
        for name, value in values.items():
            row._array[cls.places[name]] = value
        return row

    def copy(self) -> Self:
        """The same row in an array of its own."""
        return type(self)(self.numbers.copy(), 0)

    @property
    def numbers(self) -> Any:
        """Its numbers in the array; not a copy."""
        return self._array[self._start : self._start + self.size]

    @classmethod
    def table(cls, numbers: Any) -> RowTable:
        """Rows in a whole array; not a copy."""
        return RowTable(cls, numbers)


class RowTable:
    """Rows of one layout: `table[i]` is a row, `table.rim` what all rows have under that name."""

    __slots__ = ("_layout", "_numbers")

    def __init__(self, layout: type[NamedRow], numbers: Any) -> None:
        self._layout, self._numbers = layout, numbers

    def __len__(self) -> int:
        return len(self._numbers) // self._layout.size

    def __getitem__(self, i: int) -> Any:
        return self._layout(self._numbers, 0, i)

    def __iter__(self) -> Iterator[Any]:
        return map(self.__getitem__, range(len(self)))

    def __getattr__(self, name: str) -> Any:
        return self._numbers[self._layout.places[name] :: self._layout.size]


def pieces(array: Any, places: NamedRow) -> Any:
    """Pieces of an array by name: each ends where the next one begins, the last at `end`."""
    ends = places.numbers.tolist()
    return tuple_of_pieces(type(places))(*(array[a:b] for a, b in pairwise(ends)))


def cut_as(layout: type[NamedRow]) -> Callable[..., Any]:
    """`pieces` for kernels, with places of one layout."""

    @intrinsic(pieces)
    def cut(_context: Any, array: Any, places: Any) -> Any:
        from .numba_rows import cut_array

        return cut_array(tuple_of_pieces(layout), array, places)

    return cut


def tuple_of_pieces(layout: type[NamedRow]) -> Any:
    """Named tuple of the pieces of a layout."""
    if layout not in _TUPLES:
        make: Any = namedtuple
        _TUPLES[layout] = make(layout.__name__, list(layout.kinds)[:-1])
    return _TUPLES[layout]


_TUPLES: dict[Any, Any] = {}


def size_of(kind: str | type[NamedRow]) -> int:
    """Numbers that a name stands for."""
    return SIZES[kind] if isinstance(kind, str) else kind.size


def _in_python(place: int, kind: str | type[NamedRow]) -> property:
    """A name of a row, in Python."""
    n = size_of(kind)

    def read(row: Any) -> Any:
        return row._array[row._start + place]

    def write(row: Any, value: Any) -> None:
        row._array[row._start + place] = value

    def read_several(row: Any) -> Any:
        o = row._start + place
        return kind(row._array, o) if isinstance(kind, type) else tuple(row._array[o : o + n])

    def write_several(row: Any, value: Any) -> None:
        row._array[row._start + place : row._start + place + n] = value

    if isinstance(kind, str) and n == 1:
        return property(read, write)
    return property(read_several, write_several)
