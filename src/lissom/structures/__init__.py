"""Flexible bodies made of beams, with their sections and materials."""

from .beam import beam
from .finite import Interface, Member, Structure, frame, from_matrices, from_modes, panel
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
    "Member",
    "Rectangle",
    "Section",
    "Structure",
    "Tube",
    "beam",
    "frame",
    "from_matrices",
    "from_modes",
    "panel",
    "rod",
]
