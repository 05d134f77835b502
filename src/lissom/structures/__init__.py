"""Flexible bodies made of beams, with their sections and materials."""

from .beam import beam
from .finite import Interface, Structure, from_matrices, from_modes
from .materials import ALUMINIUM, CARBON, STEEL, TITANIUM, Material
from .rod import rod
from .sections import Circle, ISection, Rectangle, Section, Tube

__all__ = [
    "ALUMINIUM",
    "CARBON",
    "STEEL",
    "TITANIUM",
    "Circle",
    "ISection",
    "Interface",
    "Material",
    "Rectangle",
    "Section",
    "Structure",
    "Tube",
    "beam",
    "from_matrices",
    "from_modes",
    "rod",
]
