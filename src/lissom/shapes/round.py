"""Spheres, capsules and half spaces."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from ..bodies import solids
from ..fields import DirectionField, NumberField, declare, declared
from .base import Array, ContactShape, final_shape

_THIN = 0.02  # thickness of the plate that draws a half space, in lengths of its edge


@final
@final_shape
@declared()
class SphereShape(ContactShape):
    """Sphere about its origin; with radius zero a point."""

    kind = "sphere"

    radius: float = declare(NumberField("length", least=0), "Radius.")

    @property
    def numbers(self) -> Array:
        """Radius."""
        return np.array([self.radius])

    @property
    def bounding_radius(self) -> float:
        """Its radius [m]."""
        return self.radius

    def solid(self) -> tuple[solids.Solid, ...]:
        """The sphere; nothing for a point."""
        return (self._drawn(solids.Sphere, self.radius),) if self.radius > 0 else ()


@final
@final_shape
@declared()
class Capsule(ContactShape):
    """Cylinder along its z axis with round ends, and its centre at the origin."""

    kind = "capsule"

    radius: float = declare(NumberField("length", above=0), "Radius.")
    length: float = declare(
        NumberField("length", above=0), "Distance of the centres of its ends, without these."
    )

    @property
    def numbers(self) -> Array:
        """Radius, and half of the length."""
        return np.array([self.radius, 0.5 * self.length])

    @property
    def bounding_radius(self) -> float:
        """From its centre to the tips [m]."""
        return 0.5 * self.length + self.radius

    @property
    def ends(self) -> tuple[ContactShape, ...]:
        """The balls of its ends."""
        low, high = (
            self._drawn(SphereShape, self.radius, offset=(0, 0, z * self.length))
            for z in (-0.5, 0.5)
        )
        return low, high

    def solid(self) -> tuple[solids.Solid, ...]:
        """Cylinder and two spheres."""
        side = self._drawn(solids.Cylinder, self.radius, self.length)
        return side, *(ball.solid()[0] for ball in self.ends)


@final
@final_shape
@declared()
class HalfSpace(ContactShape):
    """All that is below the plane through its origin."""

    kind = "half_space"

    normal: Any = declare(
        DirectionField(), "Direction out of it, in its own axes.", default=(0.0, 0.0, 1.0)
    )
    extent: float = declare(
        NumberField("length", above=0), "Edge of the square plate that draws it.", default=1.0
    )

    @property
    def numbers(self) -> Array:
        """Normal."""
        return np.array(self.normal)

    @property
    def bounding_radius(self) -> float:
        """Infinite."""
        return np.inf

    def solid(self) -> tuple[solids.Solid, ...]:
        """Plate below the plane."""
        size, n = self.extent * np.array([1.0, 1.0, _THIN]), np.array(self.normal)
        across = np.eye(3)[np.abs(n).argmin()]
        x = np.cross(across, n)
        x /= np.linalg.norm(x)
        rotation = self.rotation @ np.column_stack([x, np.cross(n, x), n])
        at = self.at - 0.5 * size[2] * rotation[:, 2]
        return (solids.Box(size, at=at, rotation=rotation, color=self.color),)


Sphere = SphereShape
