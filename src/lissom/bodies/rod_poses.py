"""Poses of sections of rods for many states at once; equations of `rod_map`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..spatial.many_rotations import cross, exponential, product, rotated
from .rod_tables import EPS_X, RodPiece, RodTables

Array = np.ndarray


def section_poses(rod: RodTables, pieces: Sequence[RodPiece], eta: Array) -> tuple[Array, Array]:
    """Attitudes (k, n, 4) and positions (k, n, 3) of n sections for k states, in root axes.

    The attitudes are unit quaternions, section axes to root axes.

    `eta` (k, m): coordinates.
    """
    turns = [np.tile([1.0, 0.0, 0.0, 0.0], (len(eta), 1))]
    tangents = []
    for k, piece in enumerate(rod.station_pieces):
        turns.append(product(turns[-1], exponential(_vector(rod, piece, eta))))
        strain = np.array([1.0, 0.0, 0.0]) + eta @ (rod.strain_axes * rod.functions[k]).T
        tangents.append(rotated(turns[-1], strain))
    weights = np.stack([piece.integration for piece in pieces])
    rotations = [
        turns[piece.start + 1]
        if piece.is_empty
        else product(turns[piece.start + 1], exponential(_vector(rod, piece, eta)))
        for piece in pieces
    ]
    return np.stack(rotations, axis=1), np.einsum("pk,knc->npc", weights, np.stack(tangents))


def piece_turns(rod: RodTables, eta: Array) -> Array:
    """Angle [rad] by which each piece between stations turns, (k, n).

    `eta` (k, m): coordinates.
    """
    bends = rod.strains < EPS_X  # one sum for all pieces: this is asked after every run
    moments = np.stack([piece.moments for piece in rod.station_pieces])[..., bends]
    axes = rod.curvature_axes[:, bends]
    natural = np.stack([piece.natural for piece in rod.station_pieces])
    rates = (axes * moments[:, :, None, :]).reshape(natural.size, int(np.sum(bends)))
    a = natural + (eta[:, bends] @ rates.T).reshape(len(eta), *natural.shape)
    a1, a2, a3 = (a[:, :, k].reshape(-1, 3) for k in range(3))
    return np.linalg.norm(_magnus(a1, a2, a3), axis=1).reshape(len(eta), len(natural))


def _vector(rod: RodTables, piece: RodPiece, eta: Array) -> Array:
    """Rotation vectors of a piece (3), (k, 3)."""
    a1, a2, a3 = (
        natural + eta @ (rod.curvature_axes * moments).T
        for natural, moments in zip(piece.natural, piece.moments, strict=True)
    )
    return _magnus(a1, a2, a3)


def _magnus(a1: Array, a2: Array, a3: Array) -> Array:
    """Rotation vectors (3) from rows of vectors."""
    C1 = cross(a2, a1)
    C2 = cross(a1, 2 * a3 + C1) / 60
    return a1 + a3 / 12 + cross(a2 + C2, C1 - 20 * a1 - a3) / 240
