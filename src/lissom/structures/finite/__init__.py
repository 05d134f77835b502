"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from . import regions
from .patches import Patch
from .structure import Interface, Structure, SurfaceMesh

__all__ = ["Interface", "Patch", "Structure", "SurfaceMesh", "regions"]
