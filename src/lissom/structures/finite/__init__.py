"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from .matrices import from_matrices
from .modal import from_modes
from .structure import Interface, Structure, SurfaceMesh

__all__ = ["Interface", "Structure", "SurfaceMesh", "from_matrices", "from_modes"]
