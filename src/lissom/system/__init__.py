"""The compiled mechanism, its states and the layout of their vectors."""

from .layout import Layout
from .state import State
from .system import GROUND, System

__all__ = ["GROUND", "Layout", "State", "System"]
