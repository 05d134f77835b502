"""Rigid and flexible bodies, and the normalised form that the algorithms use."""

from .flexible import FlexibleBody
from .nodal import NodalBody
from .normal import Lump, MassIntegrals, NormalBody, SecondOrder
from .rigid import RigidBody

__all__ = [
    "FlexibleBody",
    "Lump",
    "MassIntegrals",
    "NodalBody",
    "NormalBody",
    "RigidBody",
    "SecondOrder",
]
