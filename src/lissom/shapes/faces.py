"""Flat faces of shapes, for contact by a pressure field."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import Array, ContactShape
from .round import HalfSpace
from .straight import BoxShape, CylinderShape, Face

SIDES = 32  # of the prism that stands for a cylinder


def face_numbers(shape: ContactShape) -> Array | None:
    """What kernels need of the faces of a shape, see `kernels.contact.faces`; None of round ones.

    A box has sharp edges here, and a cylinder is a prism of 32 sides with its area.
    """
    if isinstance(shape, HalfSpace):
        return np.array([1.0, 0.0, np.inf, 0.0, *shape.normal, 0.0, 0.0, 0.0])
    faces = flat_faces(shape)
    if not faces:
        return None
    radius = max(np.linalg.norm(x, axis=1).max() for x in faces)
    pieces: list[Any] = [[len(faces), len(faces) > 2, radius]]
    for corners in faces:
        pieces += [[len(corners)], _normal(corners), corners[0], corners.ravel()]
    return np.concatenate(pieces)


def flat_faces(shape: ContactShape) -> list[Array]:
    """Faces of a shape: corners (n, 3) in its own axes, counterclockwise seen from outside [m]."""
    if isinstance(shape, Face):
        return [np.column_stack([shape.corners, np.zeros(len(shape.corners))])]
    if isinstance(shape, BoxShape):
        x, y, z = 0.5 * shape.size
        return _prism(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]), z)
    if isinstance(shape, CylinderShape):
        angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
        radius = shape.radius * np.sqrt(angle[1] / np.sin(angle[1]))
        outline = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        return _prism(outline, 0.5 * shape.length)
    return []


def bearing_area(shape: ContactShape, other: ContactShape) -> float:
    """Largest area over which the faces of two shapes may touch, about [m²]."""
    return min(_largest(shape), _largest(other))


def _largest(shape: ContactShape) -> float:
    if isinstance(shape, HalfSpace):
        return np.inf
    return max(float(np.linalg.norm(_doubled_area(x))) / 2.0 for x in flat_faces(shape))


def _prism(outline: Array, half: float) -> list[Array]:
    """Both ends of a prism and its sides; of one without a length both ends."""
    n = len(outline)
    low, high = (np.column_stack([outline, np.full(n, z)]) for z in (-half, half))
    sides = [np.array([low[i], low[i - n + 1], high[i - n + 1], high[i]]) for i in range(n)]
    return [low[::-1], high, *(sides if half > 0.0 else [])]


def _doubled_area(corners: Array) -> Array:
    """Normal of a face times twice its area."""
    return np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)


def _normal(corners: Array) -> Array:
    normal = _doubled_area(corners)
    return normal / np.linalg.norm(normal)
