"""Parameter studies and Monte Carlo: many runs, one labelled dataset."""

from __future__ import annotations

from .distributions import (
    Choice as Choice,
    Distribution as Distribution,
    LogNormal as LogNormal,
    Normal as Normal,
    Triangular as Triangular,
    Uniform as Uniform,
)
from .sweep import gather as gather, sweep as sweep

__all__ = [
    "Choice",
    "Distribution",
    "LogNormal",
    "Normal",
    "Triangular",
    "Uniform",
    "gather",
    "sweep",
]
