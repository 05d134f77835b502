"""Joints: each a short immutable class that gives pose, motion map, bias and rates."""

from .axial import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Universal
from .ball import Free, Spherical
from .base import Joint
from .exponential import CompoundJoint, SimpleJoint

__all__ = [
    "CompoundJoint",
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "SimpleJoint",
    "Spherical",
    "Universal",
]
