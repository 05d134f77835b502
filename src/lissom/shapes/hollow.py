"""Walls around other bodies: bores and shells."""

from __future__ import annotations

from typing import final

import numpy as np

from ..bodies import solids
from ..fields import NumberField, declare, declared
from .base import Array, ContactShape, final_shape

_AROUND = 48  # corners of a drawn circle
_OUTSIDE = 1.15  # outer radius with which a bore is drawn, in radii


@final
@final_shape
@declared()
class Bore(ContactShape):
    """Wall of a round hole along its z axis, without an end."""

    kind = "bore"

    radius: float = declare(NumberField("length", above=0), "Radius.")
    length: float | None = declare(
        NumberField("length", above=0),
        "Length of the part that is drawn, about its origin; by default its diameter.",
        default=None,
    )

    @property
    def numbers(self) -> Array:
        """Radius."""
        return np.array([self.radius])

    @property
    def bounding_radius(self) -> float:
        """Infinite."""
        return np.inf

    def solid(self) -> tuple[solids.Solid, ...]:
        """A ring around the hole."""
        half = self.radius if self.length is None else 0.5 * self.length
        section = [(1.0, -half), (_OUTSIDE, -half), (_OUTSIDE, half), (1.0, half)]
        angle = 2 * np.pi * np.arange(_AROUND) / _AROUND
        circle = np.column_stack([np.cos(angle), np.sin(angle)])
        rings = [
            np.column_stack([self.radius * r * circle, np.full(_AROUND, z)]) for r, z in section
        ]
        return (self._drawn(solids.Mesh, np.concatenate(rings), wrapped(4, _AROUND)),)


@final
@final_shape
@declared()
class Shell(ContactShape):
    """Inside of a sphere about its origin."""

    kind = "shell"

    radius: float = declare(NumberField("length", above=0), "Radius.")

    @property
    def numbers(self) -> Array:
        """Radius."""
        return np.array([self.radius])

    @property
    def bounding_radius(self) -> float:
        """Infinite: what is outside is within its wall."""
        return np.inf

    def solid(self) -> tuple[solids.Solid, ...]:
        """The lower half of the sphere, to be seen from within."""
        angle = 2 * np.pi * np.arange(_AROUND) / _AROUND
        polar = np.linspace(np.pi / 2, 1e-3, _AROUND // 4)
        rings = [
            np.column_stack(
                [np.sin(p) * np.cos(angle), np.sin(p) * np.sin(angle), np.full(_AROUND, -np.cos(p))]
            )
            for p in polar
        ]
        triangles = strips(len(polar), _AROUND)
        both = np.concatenate([triangles, triangles[:, ::-1]])
        return (self._drawn(solids.Mesh, self.radius * np.concatenate(rings), both),)


def strips(rings: int, around: int) -> Array:
    """Triangles (m, 3) between consecutive rings of corners."""
    a = np.arange((rings - 1) * around)
    b = (a // around) * around + (a + 1) % around
    return np.concatenate(
        [np.column_stack([a, b, b + around]), np.column_stack([a, b + around, a + around])]
    )


def wrapped(rings: int, around: int) -> Array:
    """The same with triangles between the last ring and the first."""
    return strips(rings + 1, around) % (rings * around)
