"""Joints: short immutable classes, most of them defined by a list of factors."""

from .axial import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Universal
from .ball import Free, Spherical
from .base import Joint, Symbol
from .contacts import ClosedContact, Rolling, RollingBall, Skate
from .exponential import CompoundJoint, SimpleJoint
from .factored import FactoredJoint
from .factors import Slide, Turn, Twist

__all__ = [
    "ClosedContact",
    "CompoundJoint",
    "Cylindrical",
    "FactoredJoint",
    "Fixed",
    "Free",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Rolling",
    "RollingBall",
    "Screw",
    "SimpleJoint",
    "Skate",
    "Slide",
    "Spherical",
    "Symbol",
    "Turn",
    "Twist",
    "Universal",
]
