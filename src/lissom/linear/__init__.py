"""Linear models, modes and steady motions of mechanisms."""

from __future__ import annotations

from .linear_model import LinearModel
from .linearize import linearize
from .mode_sweep import ModeSweep, mode_sweep
from .modes import modes
from .system_modes import SystemModes

__all__ = ["LinearModel", "ModeSweep", "SystemModes", "linearize", "mode_sweep", "modes"]
