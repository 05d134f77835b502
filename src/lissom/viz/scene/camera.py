"""Direction from which a scene is seen, on pages and in pictures alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray

_PLANES = {"xy": (0.0, 0.0, 1.0), "xz": (0.0, -1.0, 0.0), "yz": (1.0, 0.0, 0.0)}
_CORNER = (0.5, -0.95)  # elevation and azimuth [rad]
_FLAT = 0.15  # a flatter bounding box is viewed along its thin direction


def direction(view: Any, up: Sequence[float], low: Array, high: Array) -> Array:
    """Unit vector towards the camera, in world axes.

    `view`: as given by the user; by default flat mechanisms are seen along their thin direction and
    others from a corner, as on the page; `up` (3,): axis that points up; `low`, `high` (3,):
    corners of the bounding box [m].
    """
    upward = np.array(up)
    if isinstance(view, str) and view in _PLANES:
        normal = np.array(_PLANES[view])
        return upward if abs(normal @ upward) > 0.5 else normal
    if isinstance(view, (tuple, list)):
        elevation, azimuth = np.radians(np.array(view, dtype=float))
        return from_angles(float(elevation), float(azimuth), upward)
    extent = high - low
    order = np.argsort(extent)
    thin = np.eye(3)[order[0]]
    flat = extent[order[0]] < _FLAT * extent[order[1]] and abs(thin @ upward) < 0.5
    if view == "3d" or not flat:
        return from_angles(*_CORNER, upward)
    east, north = _level(upward)
    return from_angles(0.25, float(np.arctan2(thin @ north, thin @ east)) + 0.3, upward)


def across(toward: Array, up: Sequence[float]) -> tuple[Array, Array]:
    """Directions to the right and upwards in a picture seen from a direction.

    `toward` (3,): unit vector towards the camera; `up` (3,): axis that points up.
    """
    right = np.cross(up, toward)
    if np.linalg.norm(right) < 1e-6:  # seen from above: as on the page
        right = np.cross(up, -_level(np.array(up))[1])
    right /= np.linalg.norm(right)
    return right, np.cross(toward, right)


def from_angles(elevation: float, azimuth: float, up: Array) -> Array:
    """Unit vector towards a camera at these angles [rad]."""
    east, north = _level(up)
    level = np.cos(azimuth) * east + np.sin(azimuth) * north
    toward: Array = np.cos(elevation) * level + np.sin(elevation) * up
    return toward


def _level(up: Array) -> tuple[Array, Array]:
    """Two horizontal axes, from which the azimuth counts."""
    east = np.roll(np.abs(up), 1)
    return east, np.cross(up, east)
