"""Packing of rods (`kernels.tree.rods`)."""

from __future__ import annotations

import numpy as np

from ...bodies.rod import ORDER
from ...bodies.rod_tables import RodTables

Array = np.ndarray


def rod_numbers(rod: RodTables) -> tuple[Array, ...]:
    """Constants of a rod in the order of `records.rod_record`."""
    pieces = rod.station_pieces
    return (
        rod.masses,
        rod.inertias,
        np.stack([piece.integration for piece in pieces]),
        np.stack([piece.natural for piece in pieces]),
        np.stack([piece.moments for piece in pieces]),
        rod.functions * (rod.strains >= 3),
    )


def first_coordinates(rod: RodTables) -> list[int]:
    """Number of the first coordinate of every strain but the first."""
    counts = [int(np.sum(rod.strains == component)) for component, _ in ORDER]
    return np.cumsum(counts)[:-1].tolist()


def rod_node_numbers(rod: RodTables, node: int) -> Array:
    """Constants of a node, as `rod_node` reads them."""
    piece = rod.node_pieces[node]
    first = np.array([piece.start, float(piece.is_empty)])
    return np.concatenate([first, piece.natural.ravel(), piece.moments.ravel(), piece.integration])
