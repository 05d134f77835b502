"""Boxes and cylinders with rounded or sharp edges, and flat faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from ..bodies import solids
from ..errors import ModelError, shown
from ..fields import NumberField, declare, declared
from .base import Array, ContactShape, final_shape
from .forms import PlanePointsField, SizesField
from .round import SphereShape

_THINNEST = 1e-3  # length with which a disk is drawn, in radii


@final
@final_shape
@declared()
class BoxShape(ContactShape):
    """Block with its centre at the origin and rounded edges."""

    kind = "box"

    size: Any = declare(SizesField(), "Edges along x, y, z, rounding included.")
    rounding: float = declare(
        NumberField("length", least=0), "Radius of its edges and corners; 0: sharp.", default=0.0
    )

    def check(self) -> None:
        """Check that the rounding fits into the box."""
        if 2 * self.rounding > min(self.size):
            raise ModelError(
                f"Box: rounding is {shown(self.rounding)}; expected at most half of its shortest "
                f"edge, {min(self.size) / 2:g} m"
            )

    @property
    def core(self) -> Array:
        """Half edges of the box around which the rounding is (3,) [m]."""
        return np.maximum(0.5 * self.size - self.rounding, 0.0)

    @property
    def numbers(self) -> Array:
        """Half edges of the core, and rounding."""
        return np.append(self.core, self.rounding)

    @property
    def bounding_radius(self) -> float:
        """From its centre to the corners [m]."""
        return float(np.linalg.norm(self.core)) + self.rounding

    @property
    def corners(self) -> tuple[ContactShape, ...]:
        """The balls of its corners."""
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1], indexing="ij")).reshape(3, -1).T
        return tuple(
            self._drawn(SphereShape, self.rounding, offset=s)
            for s in np.unique(signs * self.core, axis=0)
        )

    def solid(self) -> tuple[solids.Solid, ...]:
        """The block with sharp edges."""
        return (self._drawn(solids.Box, self.size),)


@final
@final_shape
@declared()
class CylinderShape(ContactShape):
    """Cylinder along its z axis with its centre at the origin and rounded rims."""

    kind = "cylinder"

    radius: float = declare(NumberField("length", above=0), "Radius.")
    length: float = declare(NumberField("length", least=0), "Length; 0: a disk with a sharp rim.")
    rim: float = declare(
        NumberField("length", least=0), "Radius of the rounding of its rims.", default=0.0
    )

    def check(self) -> None:
        """Check that the rims fit into the cylinder."""
        most = min(self.radius, 0.5 * self.length)
        if self.rim > most:
            raise ModelError(
                f"Cylinder: rim is {shown(self.rim)}; expected at most the radius and half of the "
                f"length, {most:g} m"
            )

    @property
    def numbers(self) -> Array:
        """Radius and half length of the cylinder around which the rounding is, and rim."""
        half = max(0.5 * self.length - self.rim, 0.0)
        return np.array([max(self.radius - self.rim, 0.0), half, self.rim])

    @property
    def bounding_radius(self) -> float:
        """From its centre to the rims [m]."""
        radius, half, rim = self.numbers
        return float(np.hypot(radius, half) + rim)

    @property
    def disks(self) -> tuple[ContactShape, ...]:
        """The disks that end with its rims; one if it is no longer than these."""
        half = self.numbers[1]
        return tuple(
            self._drawn(CylinderShape, self.radius, 2 * self.rim, self.rim, offset=(0, 0, z))
            for z in ([-half, half] if half > 0 else [0.0])
        )

    def balls(self, places: Sequence[float]) -> tuple[ContactShape, ...]:
        """Balls of its radius at places along its axis.

        Parameters
        ----------
        places : sequence of float
            From its middle, in lengths of the cylinder.
        """
        return tuple(
            self._drawn(SphereShape, self.radius, offset=(0, 0, z * self.length)) for z in places
        )

    def solid(self) -> tuple[solids.Solid, ...]:
        """The cylinder with sharp rims."""
        length = max(self.length, _THINNEST * self.radius)
        return (self._drawn(solids.Cylinder, self.radius, length),)


@final
@final_shape
@declared()
class Face(ContactShape):
    """Flat convex face in its xy plane, which looks along z."""

    kind = "face"

    corners: Any = declare(
        PlanePointsField(), "Corners in its xy plane, counterclockwise seen from +z []."
    )

    def check(self) -> None:
        """Check that the corners are counterclockwise and the face convex."""
        edges = np.roll(self.corners, -1, axis=0) - self.corners
        following = np.roll(edges, -1, axis=0)
        turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
        around = np.arctan2(turns, np.sum(edges * following, axis=1)).sum()
        if not np.all(turns > 0) or abs(around - 2 * np.pi) > 1e-6:
            raise ModelError(
                f"Face: corners is {shown(self.corners.tolist())}; expected the corners of a "
                "convex polygon, counterclockwise seen from +z, none on the line of its neighbours"
            )

    @property
    def numbers(self) -> Array:
        """Count of the corners, and x and y of each."""
        return np.array([len(self.corners), *self.corners.flat])

    @property
    def center(self) -> Array:
        """Mean of the corners, in the axes of its carrier (3,) [m]."""
        return np.array(self.at + self.rotation @ [*self.corners.mean(axis=0), 0.0])

    @property
    def bounding_radius(self) -> float:
        """From the mean of the corners to the farthest of them [m]."""
        return float(np.linalg.norm(self.corners - self.corners.mean(axis=0), axis=1).max())

    def solid(self) -> tuple[solids.Solid, ...]:
        """Triangles, to be seen from both sides."""
        n = len(self.corners)
        k = np.arange(1, n - 1)
        front = np.column_stack([np.zeros_like(k), k, k + 1])
        vertices = np.column_stack([self.corners, np.zeros(n)])
        return (self._drawn(solids.Mesh, vertices, np.concatenate([front, front[:, ::-1]])),)


Box = BoxShape
Cylinder = CylinderShape
