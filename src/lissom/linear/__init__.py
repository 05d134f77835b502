"""Linear models, modes and steady motions of mechanisms."""

from __future__ import annotations

from .gramians import Gramians
from .linear_model import LinearModel
from .linearize import linearize
from .mode_sweep import ModeSweep, mode_sweep
from .modes import modes
from .system_modes import SystemModes
from .trim import Trim, trim

__all__ = [
    "Gramians",
    "LinearModel",
    "ModeSweep",
    "SystemModes",
    "Trim",
    "linearize",
    "mode_sweep",
    "modes",
    "trim",
]
