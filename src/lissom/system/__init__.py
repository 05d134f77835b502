"""The compiled mechanism, its states and the layout of their vectors."""

from .layout import Layout
from .loop import GROUND, Loop, LoopEnd
from .state import State
from .system import System

__all__ = ["GROUND", "Layout", "Loop", "LoopEnd", "State", "System"]
