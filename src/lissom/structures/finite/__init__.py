"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from .frame import frame
from .matrices import from_matrices
from .member import Member
from .modal import from_modes
from .panel import panel
from .structure import Interface, Structure, SurfaceMesh

__all__ = [
    "Interface",
    "Member",
    "Structure",
    "SurfaceMesh",
    "frame",
    "from_matrices",
    "from_modes",
    "panel",
]
