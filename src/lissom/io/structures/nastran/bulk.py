"""Bulk data of Nastran: grids, matrices in DMIG form, sets, and a list of what is not used."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import name_list
from ....printing import Shown
from ..text import path_text, refused
from ..units import units as unit_system
from .cards import BulkCard, read_cards
from .dmig import Labelled, labelled_matrices


@dataclass(frozen=True, eq=False)
class CoordinateSystem:
    """Coordinate system."""

    kind: str  # rectangular, cylindrical (r, θ, z) or spherical (r, θ, φ); angles in degrees
    origin: Array  # (3,)
    axes: Array  # (3, 3) columns x, y, z, in basic axes

    def point(self, x: Array) -> Array:
        """Place of a point in the basic system.

        `x` (3,): coordinates here.
        """
        if self.kind == "C":
            turn = np.deg2rad(x[1])
            x = np.array([x[0] * np.cos(turn), x[0] * np.sin(turn), x[2]])
        elif self.kind == "S":
            tilt, turn = np.deg2rad(x[1:])
            around = x[0] * np.sin(tilt)
            x = np.array([around * np.cos(turn), around * np.sin(turn), x[0] * np.cos(tilt)])
        return self.origin + self.axes @ x

    def directions(self, place: Array) -> Array:
        """Columns: directions of the coordinates at a point, in basic axes.

        `place` (3,): in the basic system.
        """
        if self.kind == "R":
            return self.axes
        x, y, z = self.axes.T @ (place - self.origin)
        turn, around = np.arctan2(y, x), np.hypot(x, y)
        radial = np.array([np.cos(turn), np.sin(turn), 0.0])
        tangent = np.array([-np.sin(turn), np.cos(turn), 0.0])
        up = np.array([0.0, 0.0, 1.0])
        if self.kind == "C":
            return self.axes @ np.stack([radial, tangent, up], axis=1)
        tilt = np.arctan2(around, z)
        outward = np.sin(tilt) * radial + np.cos(tilt) * up
        down = np.cos(tilt) * radial - np.sin(tilt) * up
        return self.axes @ np.stack([outward, down, tangent], axis=1)


BASIC = CoordinateSystem("R", np.zeros(3), np.eye(3))


class Frames:
    """Coordinate systems by number; each is made when it is asked for."""

    def __init__(self, cards: list[BulkCard], grids: dict[int, BulkCard]) -> None:
        self.grids = grids
        self.by_number: dict[int, CoordinateSystem | None] = {0: BASIC}  # None while it is made
        self.cards: dict[int, tuple[BulkCard, int]] = {}
        for card in cards:
            for first in range(0, max(len(card.fields), 1), 4 if card.name[4] == "1" else 100):
                if first and not card.text(first):
                    continue
                number = card.integer(first, "the number", least=1)
                if number in self.cards:
                    raise card.refused(f"coordinate system {number} is there twice")
                self.cards[number] = card, first

    def frame(self, number: int, asker: BulkCard) -> CoordinateSystem:
        """Coordinate system."""
        cached = self.by_number.get(number)
        if cached is not None:
            return cached
        if number in self.by_number:
            raise asker.refused(f"coordinate system {number} rests on itself")
        if number not in self.cards:
            raise asker.refused(f"there is no coordinate system {number}; add its CORD2R")
        self.by_number[number] = None
        card, first = self.cards[number]
        a, b, c = self._points(card, first)
        frame = self.by_number[number] = _system_through(card, a, b, c)
        return frame

    def _points(self, card: BulkCard, first: int) -> list[Array]:
        """Origin, a point on the z axis, and one in the half plane xz."""
        if card.name[4] == "1":
            return [self._grid(card.integer(first + k, "a grid", least=1), card) for k in (1, 2, 3)]
        base = self.frame(card.integer(1, "the reference system", 0), card)
        numbers = [card.real(2 + k, "a coordinate") for k in range(9)]
        return [base.point(np.array(numbers[k : k + 3])) for k in (0, 3, 6)]

    def _grid(self, number: int, asker: BulkCard) -> Array:
        if number not in self.grids:
            raise asker.refused(f"there is no grid {number}")
        return self.place(self.grids[number])

    def place(self, card: BulkCard) -> Array:
        """Place of a GRID in the basic system."""
        frame = self.frame(card.integer(1, "CP", 0), card)
        return frame.point(np.array([card.real(2 + k, "a coordinate") for k in range(3)]))


def _system_through(card: BulkCard, a: Array, b: Array, c: Array) -> CoordinateSystem:
    z, side = b - a, c - a
    y = np.cross(z, side)
    if not np.linalg.norm(y) > 1e-12 * np.linalg.norm(z) * np.linalg.norm(side):
        raise card.refused("its three points are on one line; give points that are not")
    z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
    return CoordinateSystem(card.name[5], a, np.stack([np.cross(y, z), y, z], axis=1))


Array = NDArray[np.float64]
Numbers = NDArray[np.intp]

_MOST_SET = 100_000_000


@dataclass(frozen=True, eq=False)
class Bulk(Shown):
    """Content of bulk data in SI units.

    Attributes
    ----------
    path : str
    numbers : array (n,) of int
        Grid numbers, ascending.
    positions : array (n, 3)
        Grids in the basic system [m].
    axes : array (n, 3, 3)
        Columns: directions of the grid's freedoms (CD), basic axes.
    analysis_set : tuple
        (grid, component 1 to 6) of ASET and ASET1, ascending; empty without them.
    matrices : dict of Labelled
        Of DMIG, by name; in the units of the file.
    unused : tuple of str
        Cards that are not used, such as "CQUAD4 (12, first line 40)".
    """

    path: str
    numbers: Numbers
    positions: Array
    axes: Array
    analysis_set: tuple[tuple[int, int], ...]
    matrices: dict[str, Labelled]
    unused: tuple[str, ...]

    def facts(self) -> dict[str, str]:
        """Content in a few lines, as `lissom info` prints it."""
        x, y, z = np.ptp(self.positions, axis=0) if len(self.positions) else np.zeros(3)
        matrices = (f"{name} ({len(one.rows)} rows)" for name, one in self.matrices.items())
        return {
            "grids": f"{len(self.numbers)} within {x:.4g} x {y:.4g} x {z:.4g}",
            "matrices": name_list(matrices, show=str) or "none",
            "analysis set": f"{len(self.analysis_set)} freedoms",
            "not used": name_list(self.unused, show=str, between="; ") or "nothing",
        }


def read_bulk(path: str | os.PathLike[str], *, units: str | None = None) -> Bulk:
    """Read grids, coordinate systems, DMIG matrices and the analysis set of bulk data.

    Parameters
    ----------
    path : path
        Bulk data, a whole input file, or a punch file, with the files that it includes.
    units : {"m-kg-s", "mm-t-s", "mm-kg-ms", "in-lbf-s"}
        Units of the file, which does not say its own.  By default SI.

    Raises
    ------
    ModelFileError
        If a line cannot be understood; with file and line.
    """
    name = path_text(path)
    by_name: dict[str, list[BulkCard]] = {}
    for card in read_cards(name):
        by_name.setdefault(card.name, []).append(card)
    grids = _grids(by_name.pop("GRID", []), by_name.pop("GRDSET", []))
    systems = [x for kind in list(by_name) if _is_system(kind) for x in by_name.pop(kind)]
    numbers = sorted(grids)
    places, axes = _places_and_axes(Frames(systems, grids), [grids[x] for x in numbers])
    matrices, others = labelled_matrices(by_name.pop("DMIG", []))
    chosen = _analysis_set(by_name.pop("ASET", []), by_name.pop("ASET1", []))
    if not grids and not matrices and not others:
        raise refused(name, "no GRID and no DMIG; expected bulk data with nodes or matrices")
    return Bulk(
        name,
        np.array(numbers, dtype=np.intp),
        places * unit_system(units).length,
        axes,
        chosen,
        matrices,
        (*others, *(_unused(cards) for cards in by_name.values())),
    )


def _places_and_axes(frames: Frames, grids: list[BulkCard]) -> tuple[Array, Array]:
    """Places of grids, and directions of their freedoms."""
    places, axes = np.zeros((len(grids), 3)), np.zeros((len(grids), 3, 3))
    for k, grid in enumerate(grids):
        try:
            places[k] = frames.place(grid)
            axes[k] = frames.frame(grid.integer(5, "CD", 0), grid).directions(places[k])
        except RecursionError:
            raise grid.refused("its coordinate system rests on too many others") from None
    return places, axes


def _is_system(name: str) -> bool:
    return name in {f"CORD{k}{kind}" for k in "12" for kind in "RCS"}


def _unused(cards: list[BulkCard]) -> str:
    """All cards of a name: the places of a few, the number of many."""
    if len(cards) <= 3:
        return ", ".join(card.place for card in cards)
    return f"{cards[0].place} and {len(cards) - 1} more"


def _grids(cards: list[BulkCard], defaults: list[BulkCard]) -> dict[int, BulkCard]:
    """Grids by number, with the defaults of GRDSET for CP and CD."""
    grids: dict[int, BulkCard] = {}
    for card in cards:
        number = card.integer(0, "the number", least=1)
        if number in grids:
            raise card.refused(f"grid {number} is there twice; give each once")
        for k in (1, 5):
            if defaults and not card.text(k):
                card.fields[k] = defaults[0].text(k)
        grids[number] = card
    return grids


def _analysis_set(pairs: list[BulkCard], lists: list[BulkCard]) -> tuple[tuple[int, int], ...]:
    freedoms: set[tuple[int, int]] = set()
    for card in pairs:
        for k in range(0, len(card.fields), 2):
            if card.text(k):
                grid = card.integer(k, "a grid", least=1)
                freedoms |= {(grid, c) for c in components(card, k + 1)}
    for card in lists:
        chosen = components(card, 0)
        freedoms |= {(grid, c) for grid in _listed(card) for c in chosen}
    return tuple(sorted(freedoms))


def components(card: BulkCard, k: int) -> list[int]:
    """Components such as 123456 in a field."""
    text = card.text(k)
    if not text or set(text) - set("123456"):
        raise card.refused(
            f"components {card.lines.quoted(text, card.at)}; expected some of 123456"
        )
    return sorted({int(x) for x in text})


def _listed(card: BulkCard) -> list[int]:
    if card.text(2).upper() == "THRU":
        first, last = card.integer(1, "a grid", least=1), card.integer(3, "a grid", least=1)
        if not 0 <= last - first < _MOST_SET:
            raise card.refused(f"{first} THRU {last}; expected at most {_MOST_SET} grids")
        return list(range(first, last + 1))
    places = range(1, len(card.fields))
    return [card.integer(k, "a grid", least=1) for k in places if card.text(k)]
