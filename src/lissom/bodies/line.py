"""Axis of a straight beam among the nodes of its body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..immutable import immutable


@immutable("make the beam again")
@dataclass(frozen=True, eq=False)
class Line:
    """Axis of a beam among the nodes of its body.

    Attributes
    ----------
    nodes : int
        Number n of nodes on the axis: 0 (root) to n - 1 (tip); four particles of each station
        follow them.
    pieces : int
        Equal pieces of the axis in which shapes are polynomials.
    stations : int
        Gauss stations of each piece.
    places : array (k, 2)
        Points of the section at which its stress is known, y and z [m].
    factors : array (k, 3, 6)
        Stresses xx, xy, xz [Pa] of these points per unit of N, Q_y, Q_z [N], T, M_y, M_z [N m].
    """

    nodes: int
    pieces: int
    stations: int
    places: Any
    factors: Any
