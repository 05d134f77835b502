"""Trajectories: results of runs, in memory or in files."""

from __future__ import annotations

from .trajectory import Trajectory

__all__ = ["Trajectory"]
