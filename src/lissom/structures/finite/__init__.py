"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from .structure import Interface, Structure, SurfaceMesh

__all__ = ["Interface", "Structure", "SurfaceMesh"]
