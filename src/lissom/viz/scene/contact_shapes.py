"""Surfaces of shapes of contact, on bodies that have no solids and on the ground."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ...shapes import ContactShape, HalfSpace
from ...system import GROUND, Frame, PlacedShape, System
from .shapes import DrawnSurface, points_and_triangles

Array = np.ndarray

_PLATE = 1.5  # largest edge of the plate of a half space, in diagonals of the mechanism


@dataclass(frozen=True, eq=False)
class Plate(DrawnSurface):
    """Plate of a half space: nothing that touches it is behind it."""

    normal: Array | None = None  # (3,) out of the half space, in the axes of its node


def shapes_on(system: System, body: int) -> list[tuple[PlacedShape, Frame]]:
    """Shapes on a body or on the ground (-1), with the frames that carry them."""
    world = Frame("", GROUND, GROUND, plain=True)
    placed = ((x, world if x.carrier is None else system.place(x.carrier)) for x in system.shapes)
    return [(shape, frame) for shape, frame in placed if frame.body == body]


def surfaces_on(system: System, body: int, size: float | None = None) -> list[DrawnSurface]:
    """Surfaces of the shapes on a body or on the ground.

    `size`: diagonal of the mechanism [m], which limits the plates of half spaces.
    """
    return [
        surface
        for placed, frame in shapes_on(system, body)
        for surface in _surfaces(placed.shape, frame, size)
    ]


def _surfaces(shape: ContactShape, frame: Frame, size: float | None) -> list[DrawnSurface]:
    normal = None
    if isinstance(shape, HalfSpace):
        normal = frame.rotation @ shape.rotation @ shape.normal
        if size:
            shape = replace(shape, extent=min(shape.extent, _PLATE * size))
    drawn: list[DrawnSurface] = []
    for solid in shape.solid():
        points, triangles = points_and_triangles(solid)
        in_frame = points @ solid.rotation.T + solid.at
        offsets = in_frame @ frame.rotation.T + frame.position
        nodes = np.full(len(points), max(frame.node, 0))
        piece = DrawnSurface(nodes, offsets, triangles, solid.color)
        drawn.append(piece if normal is None else Plate(**vars(piece), normal=normal))
    return drawn
