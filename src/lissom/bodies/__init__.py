"""Rigid and flexible bodies, and the normalised form that the algorithms use."""

from .flexible import FlexibleBody
from .nodal import NodalBody
from .normal import Lump, MassIntegrals, NormalBody
from .rigid import RigidBody
from .rod import Rod
from .second_order import SecondOrder
from .stress import principal_strains, principal_stresses, von_mises

__all__ = [
    "FlexibleBody",
    "Lump",
    "MassIntegrals",
    "NodalBody",
    "NormalBody",
    "RigidBody",
    "Rod",
    "SecondOrder",
    "principal_strains",
    "principal_stresses",
    "von_mises",
]
