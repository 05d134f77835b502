"""Flexible bodies made of beams, with their sections and materials."""

from .beam import beam
from .materials import ALUMINIUM, CARBON, STEEL, TITANIUM, Material
from .rod import rod
from .sections import Circle, GeneralSection, ISection, Rectangle, Section, Tube

__all__ = [
    "ALUMINIUM",
    "CARBON",
    "STEEL",
    "TITANIUM",
    "Circle",
    "GeneralSection",
    "ISection",
    "Material",
    "Rectangle",
    "Section",
    "Tube",
    "beam",
    "rod",
]
