"""Sizes that a file of Gmsh 4.1 announces, compared with its length before it is read.

meshio makes room for what a file announces, so that one damaged number could fill the memory.  Here
the file is gone through from count to count:

  $Entities  counts of points, curves, surfaces, volumes; of each: tag, box, groups, boundary
  $Nodes     blocks, nodes, lowest and highest number; of each block: dimension, entity, parametric,
             count, then numbers and places of its nodes
  $Elements  blocks, elements, lowest and highest number; of each block: dimension, entity, kind,
             count, then number and nodes of its elements
"""

from __future__ import annotations

import os
from itertools import takewhile
from typing import IO

import numpy as np

_MOST_SPARSE = 1000  # times their count may numbers of nodes be high, and ten million more
_INTEGER, _LONG = 4, 8  # bytes of numbers


class TooMuchError(Exception):
    """A file announces more than it has."""


def check_sizes(path: str | os.PathLike[str]) -> tuple[list[int], list[int]]:
    """Raise TooMuchError if a file of Gmsh 4.1 announces more than it can have.

    What is not understood is left to meshio.
    """
    with open(path, "rb") as file:
        start, words = file.readline().strip(), file.readline().split()
        if start == b"$MeshFormat" and words[:2] == [b"2.2", b"0"]:
            return _listed(file, b"$Nodes"), _listed(file, b"$Elements")
        if start != b"$MeshFormat" or words[:1] != [b"4.1"] or words[2:] != [b"8"]:
            return [], []
        size = os.fstat(file.fileno()).st_size
        numbers = _Text(file, size) if words[1] == b"0" else _Binary(file, size)
        sections = {b"$Entities": _entities, b"$Nodes": _nodes, b"$Elements": _elements}
        try:
            for line in iter(file.readline, b""):
                if walk := sections.get(line.strip()):
                    walk(numbers)
        except (ValueError, KeyError, OverflowError):
            pass
        return numbers.nodes, numbers.elements


def _listed(file: IO[bytes], section: bytes) -> list[int]:
    """First words of the lines of a section of a text file, which begins with their count."""
    for line in iter(file.readline, b""):
        if line.strip() == section:
            lines = iter(file.readline, b"")
            next(lines, b"")
            return [int(x.split()[0]) for x in takewhile(lambda x: x[:1] != b"$", lines)]
    return []


def _entities(numbers: _Binary | _Text) -> None:
    for dimension, count in enumerate(numbers.read(4, _LONG)):
        numbers.check(count, 9, "entities")
        for _ in range(count):
            numbers.read(1, _INTEGER)
            numbers.skip(6 if dimension else 3, _LONG, "corners")
            for what in ("groups", "boundaries")[: 1 + (dimension > 0)]:
                numbers.skip(numbers.read(1, _LONG)[0], _INTEGER, f"{what} of an entity")


def _nodes(numbers: _Binary | _Text) -> None:
    blocks, total, _, _ = numbers.read(4, _LONG)
    numbers.check(blocks, 4, "blocks of nodes")
    numbers.check(total, 4, "nodes")
    for _ in range(blocks):
        numbers.read(3, _INTEGER)
        (count,) = numbers.read(1, _LONG)
        numbers.check(count, 4, "nodes of a block")
        names = numbers.read(count, _LONG)
        numbers.nodes += names
        highest = max(names, default=0)
        if highest > _MOST_SPARSE * total + 10_000_000:
            raise TooMuchError(f"{total} nodes, and one of them has the number {highest}")
        numbers.skip(3 * count, _LONG, "coordinates")


def _elements(numbers: _Binary | _Text) -> None:
    from meshio._common import num_nodes_per_cell
    from meshio.gmsh.common import _gmsh_to_meshio_type

    blocks, total, _, _ = numbers.read(4, _LONG)
    numbers.check(blocks, 4, "blocks of elements")
    numbers.check(total, 2, "elements")
    for _ in range(blocks):
        kind = numbers.read(3, _INTEGER)[2]
        (count,) = numbers.read(1, _LONG)
        each = 1 + num_nodes_per_cell[_gmsh_to_meshio_type[kind]]
        numbers.check(count, each, "elements of a block")
        numbers.check(each * count, 1, "nodes of elements")
        numbers.elements += numbers.read(each * count, _LONG, each)


class _Binary:
    """Numbers of a binary file."""

    least = _INTEGER

    def __init__(self, file: IO[bytes], size: int) -> None:
        self.file, self.size = file, size
        self.nodes: list[int] = []
        self.elements: list[int] = []

    def check(self, count: int, numbers: int, what: str) -> None:
        """Raise if the rest of the file cannot have `count` things of so many numbers."""
        left = self.size - self.file.tell()
        if count * numbers * self.least > left:
            raise TooMuchError(f"{count} {what} are announced, {left} bytes follow")

    def read(self, count: int, size: int, each: int = 1) -> list[int]:
        """Whole numbers of a size in bytes, the first of each so many."""
        data = self.file.read(count * size)
        if len(data) != count * size:
            raise TooMuchError("it ends within its numbers: it is cut")
        return [int(x) for x in np.frombuffer(data, f"u{size}")[::each]]

    def skip(self, count: int, size: int, what: str) -> None:
        """Pass over numbers."""
        self.check(count, 1, what)
        self.file.seek(count * size, os.SEEK_CUR)


class _Text(_Binary):
    """Numbers of a text file, as words."""

    least = 2  # a digit and a blank

    def __init__(self, file: IO[bytes], size: int) -> None:
        super().__init__(file, size)
        self._words: list[bytes] = []

    def _take(self, count: int) -> list[bytes]:
        while len(self._words) < count:
            line = self.file.readline()
            if not line or line.startswith(b"$"):
                raise TooMuchError("it ends within its numbers: it is cut")
            self._words += line.split()
        words, self._words = self._words[:count], self._words[count:]
        return words

    def read(self, count: int, size: int, each: int = 1) -> list[int]:  # noqa: ARG002
        return [int(word) for word in self._take(count)[::each]]

    def skip(self, count: int, size: int, what: str) -> None:  # noqa: ARG002
        self.check(count, 1, what)
        self._take(count)
