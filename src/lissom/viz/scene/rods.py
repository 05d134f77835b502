"""Rods for the page, which computes their sections from the coordinates as `rod_poses` does.

So a frame of a rod is its few coordinates, what is drawn between two frames is a rod as well, and
enlarged strains are exact, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bodies.rod_tables import RodPiece, RodTables, interpolation
from ...errors import StateError
from ...system import System
from .numbers import Arrays
from .stresses import shows_stress

Array = np.ndarray

# What colours can show, with units; curvature and moment of rods only
SHOWN = {"deflection": "m", "stress": "Pa", "curvature": "rad/m", "moment": "N m"}


def check_color(color: Any, system: System | None = None) -> None:
    """Refuse colours that do not exist, or of something that no body of a system has.

    `color`: what colours show.
    """
    if color is not None and (not isinstance(color, str) or color not in SHOWN):
        words = ", ".join(map(repr, SHOWN))
        raise StateError(f"color is {color!r}; expected one of {words}, or None")
    if color is None or system is None:
        return
    kind, has = {
        "deflection": ("flexible body", lambda body: body.n_mode),
        "stress": ("beam, rod, frame or solid", shows_stress),
    }.get(color, ("rod", lambda body: body.rod))
    if not any(map(has, system.bodies)):
        raise StateError(
            f"color is {color!r}, but the system has no {kind} that could show it; omit it"
        )


def described_rod(rod: RodTables, nodes: Array, arrays: Arrays) -> dict[str, Any]:
    """Constants of a rod for the page.

    `nodes` (n,): nodes in use.
    """
    pieces = [rod.node_pieces[node] for node in nodes]
    functions, natural, stiffness = _fields(rod, nodes)
    return {
        "strains": rod.strains.tolist(),
        "stations": _described_pieces(rod.station_pieces, arrays),
        "functions": arrays.add(rod.functions),
        "sections": _described_pieces(pieces, arrays),
        "starts": arrays.add([piece.start for piece in pieces], "int16"),
        "integration": arrays.add([piece.integration for piece in pieces]),
        "at": {
            "functions": arrays.add(functions),
            "natural": arrays.add(natural),
            "stiffness": arrays.add(stiffness),
        },
    }


def _described_pieces(pieces: Sequence[RodPiece], arrays: Arrays) -> dict[str, int]:
    return {
        "natural": arrays.add([piece.natural for piece in pieces]),
        "moments": arrays.add([piece.moments for piece in pieces]),
    }


def _fields(rod: RodTables, nodes: Array) -> tuple[Array, Array, Array]:
    """Strain functions, natural curvature, and stiffness against twist and bending, at nodes."""
    to_nodes = interpolation(rod.points / rod.length, rod.places[nodes] / rod.length)
    return tuple(to_nodes @ x for x in (rod.functions, rod.natural, rod.section_stiffness[:, :3]))


def shown_strains(rod: RodTables, nodes: Array, eta: Array) -> dict[str, Array]:
    """Curvature [rad/m] and moment [N m] of sections at nodes, (k, n) each, for k states.

    `nodes` (n,): nodes; `eta` (k, m): coordinates.
    """
    functions, natural, stiffness = _fields(rod, nodes)
    strain = np.einsum("nm,am,km->kna", functions, rod.curvature_axes, eta)
    return {
        "curvature": np.linalg.norm((natural + strain)[..., 1:], axis=2),
        "moment": np.linalg.norm(stiffness * strain, axis=2),
    }
