"""Simulation: loads, integrators, events, and the run itself."""

from __future__ import annotations
