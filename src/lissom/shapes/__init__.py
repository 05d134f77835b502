"""Shapes of bodies in contact, public as `lissom.shapes`."""

from .base import ContactShape
from .curved import Curve, HeightField
from .expansion import parts
from .hollow import Bore, Shell
from .round import Capsule, HalfSpace, Sphere
from .straight import Box, Cylinder, Face

__all__ = [
    "Bore",
    "Box",
    "Capsule",
    "ContactShape",
    "Curve",
    "Cylinder",
    "Face",
    "HalfSpace",
    "HeightField",
    "Shell",
    "Sphere",
    "parts",
]
