"""Coordinate systems of Nastran: CORD1R, CORD1C, CORD1S, CORD2R, CORD2C, CORD2S."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .cards import Card

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Frame:
    """Coordinate system.

    Attributes
    ----------
    kind : {"R", "C", "S"}
        Rectangular, cylindrical (r, θ, z) or spherical (r, θ, φ); angles in degrees.
    origin : array (3,)
    axes : array (3, 3)
        Columns x, y, z, in basic axes.
    """

    kind: str
    origin: Array
    axes: Array

    def point(self, x: Array) -> Array:
        """Place of a point in the basic system.

        Parameters
        ----------
        x : array (3,)
            Coordinates here.
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

        Parameters
        ----------
        place : array (3,)
            In the basic system.
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


BASIC = Frame("R", np.zeros(3), np.eye(3))


class Frames:
    """Coordinate systems by number; each is made when it is asked for.

    Parameters
    ----------
    cards : list of Card
        CORD1R and the like, and GRID.
    """

    def __init__(self, cards: list[Card], grids: dict[int, Card]) -> None:
        self.grids = grids
        self.known: dict[int, Frame | None] = {0: BASIC}  # None while it is made
        self.cards: dict[int, tuple[Card, int]] = {}
        for card in cards:
            for first in range(0, max(len(card.fields), 1), 4 if card.name[4] == "1" else 100):
                if first and not card.text(first):
                    continue
                number = card.integer(first, "the number", least=1)
                if number in self.cards:
                    raise card.refused(f"coordinate system {number} is there twice")
                self.cards[number] = card, first

    def frame(self, number: int, asker: Card) -> Frame:
        """Coordinate system.

        Parameters
        ----------
        number : int
        asker : Card
            Who names it, for messages.
        """
        found = self.known.get(number)
        if found is not None:
            return found
        if number in self.known:
            raise asker.refused(f"coordinate system {number} rests on itself")
        if number not in self.cards:
            raise asker.refused(f"there is no coordinate system {number}; add its CORD2R")
        self.known[number] = None
        card, first = self.cards[number]
        a, b, c = self._points(card, first)
        made = self.known[number] = _through(card, a, b, c)
        return made

    def _points(self, card: Card, first: int) -> list[Array]:
        """Origin, a point on the z axis, and one in the half plane xz."""
        if card.name[4] == "1":
            return [self._grid(card.integer(first + k, "a grid", least=1), card) for k in (1, 2, 3)]
        base = self.frame(card.integer(1, "the reference system", 0), card)
        numbers = [card.real(2 + k, "a coordinate") for k in range(9)]
        return [base.point(np.array(numbers[k : k + 3])) for k in (0, 3, 6)]

    def _grid(self, number: int, asker: Card) -> Array:
        if number not in self.grids:
            raise asker.refused(f"there is no grid {number}")
        return self.place(self.grids[number])

    def place(self, card: Card) -> Array:
        """Place of a GRID in the basic system.

        Parameters
        ----------
        card : Card
        """
        frame = self.frame(card.integer(1, "CP", 0), card)
        return frame.point(np.array([card.real(2 + k, "a coordinate") for k in range(3)]))


def _through(card: Card, a: Array, b: Array, c: Array) -> Frame:
    z, side = b - a, c - a
    y = np.cross(z, side)
    if not np.linalg.norm(y) > 1e-12 * np.linalg.norm(z) * np.linalg.norm(side):
        raise card.refused("its three points are on one line; give points that are not")
    z, y = z / np.linalg.norm(z), y / np.linalg.norm(y)
    return Frame(card.name[5], a, np.stack([np.cross(y, z), y, z], axis=1))
