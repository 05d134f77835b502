"""Axis of a straight beam among the nodes of its body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ModelError
from ..immutable import array_of, immutable


@immutable("make the beam again")
@dataclass(frozen=True, eq=False)
class NodeLine:
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
    places: Any = field(metadata=array_of("m", "section_point", "plane"))
    factors: Any = field(
        metadata=array_of("Pa/N, Pa/(N m)", "section_point", "stress", "component")
    )


def check_line(line: Any, n_node: int) -> None:
    """Reject what is not the axis of a beam with so many nodes; None is none."""
    if line is None:
        return
    if not isinstance(line, NodeLine):
        raise ModelError(f"FlexibleBody: line is {line!r}; leave it out, ls.beam gives it")
    sizes = (line.nodes, line.pieces, line.stations)
    whole = all(isinstance(n, int) and n > 0 for n in sizes)
    if not whole or line.nodes < 2 or line.nodes + 4 * line.pieces * line.stations > n_node:
        raise ModelError(
            f"FlexibleBody: the axis of a beam with {sizes} nodes, pieces and stations does not "
            f"fit its {n_node} nodes; make the beam again with ls.beam"
        )
    k = len(np.atleast_1d(line.places))
    if np.shape(line.places) != (k, 2) or np.shape(line.factors) != (k, 3, 6):
        raise ModelError(
            f"FlexibleBody: the stress points of a beam have the shapes {np.shape(line.places)} "
            f"and {np.shape(line.factors)}; expected (k, 2) and (k, 3, 6)"
        )
