"""Models: mechanisms as described by the user, and their compilation to a System."""

from .model import Model
from .parts import Part

__all__ = ["Model", "Part"]
