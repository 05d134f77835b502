"""Numbers of nodes and elements as a mesh file has them, which meshio leaves out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from .calculix.cards import read_cards as read_deck_cards
from .calculix.elements import KINDS
from .gmsh_sizes import TooMuchError, check_sizes
from .nastran.cards import read_cards as read_bulk_cards

Whole = NDArray[np.int64]
_ELEMENTS = {"CTETRA", "CHEXA", "CPENTA", "CPYRAM", "CTRIA3", "CTRIA6", "CQUAD4", "CQUAD8"}
_ELEMENTS |= {"CTRIAR", "CQUADR", "CTRAX3", "CTRAX6", "CTRIAX6", "CBAR", "CBEAM", "CROD", "CONROD"}
Lists = tuple[list[int], list[int]]


def file_numbers(path: Any, mesh: Any) -> tuple[Whole, Whole]:
    """Numbers of the nodes and of the elements of a mesh, in its order.

    Those of the file, where it has some: Abaqus, Nastran and Gmsh number both, Medit and Salome
    count nodes from 1.  Everything else is counted from 0, as VTK does; so is a mesh whose numbers
    are as many as its nodes or elements only in part of the file.
    """
    counts = len(mesh.points), sum(len(cells.data) for cells in mesh.cells)
    suffix = os.path.splitext(os.fspath(path))[1].lower() if _is_path(path) else ""
    if suffix in (".mesh", ".med"):
        return np.arange(1, counts[0] + 1), np.arange(counts[1])
    arrays = [np.zeros(0, dtype=np.int64)] * 2
    try:
        if suffix in _READERS:
            arrays = [np.array(x, dtype=np.int64) for x in _READERS[suffix](os.fspath(path))]
    except (ModelError, TooMuchError, ValueError, KeyError, IndexError, OverflowError):
        pass  # read by meshio in another way than here
    nodes, elements = (
        numbers if len(numbers) == count else np.arange(count)
        for numbers, count in zip(arrays, counts, strict=True)
    )
    return nodes, elements


def _is_path(path: Any) -> bool:
    return isinstance(path, (str, os.PathLike))


def _of_deck(path: str) -> Lists:
    """Numbers of *NODE and *ELEMENT; an element may take several lines."""
    nodes: list[int] = []
    elements: list[int] = []
    for card in read_deck_cards(path):
        rows = [words for _, words in card.rows()]
        if card.keyword == "NODE":
            nodes += [int(words[0]) for words in rows]
        elif card.keyword == "ELEMENT":
            kind = card.name("TYPE")
            if kind in KINDS:  # others are missing, so that the count tells
                elements += [int(word) for word in _first_words(1 + KINDS[kind].n_node, rows)]
    return nodes, elements


def _first_words(each: int, rows: list[list[str]]) -> Iterator[str]:
    """First word of each so many."""
    words = [word for row in rows for word in row]
    yield from words[::each]


def _of_bulk(path: str) -> Lists:
    cards = read_bulk_cards(path)
    return (
        [card.integer(0, "the number") for card in cards if card.name == "GRID"],
        [card.integer(0, "the number") for card in cards if card.name in _ELEMENTS],
    )


_READERS: dict[str, Callable[[str], Lists]] = {
    ".inp": _of_deck,
    ".bdf": _of_bulk,
    ".nas": _of_bulk,
    ".msh": check_sizes,
}
