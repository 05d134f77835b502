"""Vibrations of a rod about its shape at rest."""

from __future__ import annotations

import math

import numpy as np

from .rod_map import SectionMotion, stations
from .rod_tables import RodTables

Array = np.ndarray


def natural_frequencies(rod: RodTables, stiffness: Array) -> Array:
    """Natural frequencies with the root held [Hz], ascending; the strains may couple.

    `stiffness` (m,): of the coordinates.
    """
    zero = np.zeros(len(rod.strains))
    sections = stations(rod, zero, zero)
    rows = np.concatenate([weighted_shapes(rod, k, x) for k, x in enumerate(sections)])
    per_force = rows / np.sqrt(stiffness)
    return 1 / np.sqrt(np.linalg.eigvalsh(per_force.T @ per_force)[::-1]) / (2 * np.pi)


def weighted_shapes(rod: RodTables, k: int, section: SectionMotion) -> Array:
    """Motion of a station, times the roots of its inertias, (6, m)."""
    turning = section.rotation.T @ section.shapes[:3] * np.sqrt(rod.inertias[k])[:, None]
    return np.concatenate([turning, section.shapes[3:] * math.sqrt(rod.masses[k])])
