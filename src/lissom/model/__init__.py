"""The mechanism as a user describes it, and its compilation to a System."""

from .model import Model
from .parts import Part

__all__ = ["Model", "Part"]
