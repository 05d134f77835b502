"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from . import regions
from .frame import frame
from .matrices import from_matrices
from .member import Member
from .modal import from_modes
from .panel import panel
from .patches import Patch
from .structure import Interface, Structure, SurfaceMesh

__all__ = [
    "Interface",
    "Member",
    "Patch",
    "Structure",
    "SurfaceMesh",
    "frame",
    "from_matrices",
    "from_modes",
    "panel",
    "regions",
]
