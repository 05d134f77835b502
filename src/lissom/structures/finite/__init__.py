"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from . import regions
from .matrices import from_matrices
from .modal import from_modes
from .patches import Patch
from .structure import Interface, Structure, SurfaceMesh

__all__ = [
    "Interface",
    "Patch",
    "Structure",
    "SurfaceMesh",
    "from_matrices",
    "from_modes",
    "regions",
]
