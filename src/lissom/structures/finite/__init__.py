"""Flexible bodies from finite elements: structures, their elements and their reduction."""

from .frame import frame
from .member import Member
from .panel import panel
from .structure import Interface, Structure, SurfaceMesh

__all__ = ["Interface", "Member", "Structure", "SurfaceMesh", "frame", "panel"]
