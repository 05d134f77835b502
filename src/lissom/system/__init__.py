"""The compiled mechanism, its states and the layout of their vectors."""

from .coupling import Coupling, equation, sum_in_words
from .frame import Frame
from .layout import Layout
from .loop import GROUND, Loop, LoopEnd
from .shape import SHAPES, PlacedShape
from .state import State, StateLike
from .system import System

__all__ = [
    "GROUND",
    "SHAPES",
    "Coupling",
    "Frame",
    "Layout",
    "Loop",
    "LoopEnd",
    "PlacedShape",
    "State",
    "StateLike",
    "System",
    "equation",
    "sum_in_words",
]
