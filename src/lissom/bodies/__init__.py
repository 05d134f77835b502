"""Bodies, rigid and flexible, and the normalised form in which the algorithms meet them."""

from .flexible import FlexibleBody
from .nodal import NodalBody
from .normal import Lump, MassIntegrals, NormalBody
from .rigid import RigidBody

__all__ = ["FlexibleBody", "Lump", "MassIntegrals", "NodalBody", "NormalBody", "RigidBody"]
