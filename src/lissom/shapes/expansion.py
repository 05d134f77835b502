"""Shapes that touch another one at several points, as the smooth shapes that do."""

from __future__ import annotations

from .base import ContactShape
from .round import Capsule
from .straight import BoxShape, CylinderShape

# Kinds of shapes without corners, on which a shape may rest with several of its points
_WALLS = {"half_space", "height_field", "shell", "bore", "curve"}


def parts(shape: ContactShape, other: ContactShape) -> tuple[ContactShape, ...]:
    """Shapes that stand for a shape in its contact with another one, one point of contact each.

    On a half space, a height field, a shell, a bore and a curve a capsule is the balls of its ends,
    a box those of its corners. A cylinder is two disks on a half space; in a bore balls of its
    radius at the middles of its ends, as of a pin with crowned ends; on a curve one such ball at
    its middle, as of a crowned roller. In all other cases a shape is itself.

    Parameters
    ----------
    shape : ContactShape
        Shape of one body.
    other : ContactShape
        Shape of the other body.

    Returns
    -------
    tuple of ContactShape
        In the axes of the same carrier.
    """
    if other.kind not in _WALLS:
        return (shape,)
    if isinstance(shape, Capsule):
        return shape.ends
    if isinstance(shape, BoxShape):
        return shape.corners
    if isinstance(shape, CylinderShape):
        return _of_cylinder(shape, other.kind)
    return (shape,)


def _of_cylinder(shape: CylinderShape, wall: str) -> tuple[ContactShape, ...]:
    """Disks, balls at both ends, a ball at the middle, or itself."""
    if wall == "half_space":
        return shape.disks
    if wall == "bore":
        return shape.balls([-0.5, 0.5])
    return shape.balls([0.0]) if wall == "curve" else (shape,)
