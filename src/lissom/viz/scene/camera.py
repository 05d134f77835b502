"""Directions from which a scene is seen: on pages and in pictures, and in drawings.

Drawings look at planar mechanisms along their axes, and at others in space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import StateError
from ..options import PLANES

if TYPE_CHECKING:
    from ..drawing.shapes import PlacedJoint

Array = np.ndarray

_CORNER = (0.5, -0.95)  # elevation and azimuth [rad]
_FLAT = 0.15  # a flatter bounding box is viewed along its thin direction


def direction(view: Any, up: Sequence[float], low: Array, high: Array) -> Array:
    """Unit vector towards the camera, in world axes.

    `view`: as given by the user; by default flat mechanisms are seen along their thin direction and
    others from a corner, as on the page; `up` (3,): axis that points up; `low`, `high` (3,):
    corners of the bounding box [m].
    """
    upward = np.array(up)
    if isinstance(view, str) and view in PLANES:
        normal = np.cross(*_axes(view))
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


def seen_from(toward: Array, up: Sequence[float]) -> Flat:
    """View from a direction, a unit vector (3,) towards the camera; `up` (3,) points up."""
    right = np.cross(up, toward)
    if np.linalg.norm(right) < 1e-6:  # seen from above: as on the page
        right = np.cross(up, -_level(np.array(up))[1])
    right /= np.linalg.norm(right)
    return Flat(right, np.cross(toward, right))


def from_angles(elevation: float, azimuth: float, up: Array) -> Array:
    """Unit vector towards a camera at these angles [rad]."""
    east, north = _level(up)
    level = np.cos(azimuth) * east + np.sin(azimuth) * north
    toward: Array = np.cos(elevation) * level + np.sin(elevation) * up
    return toward


def _axes(plane: str) -> tuple[Array, Array]:
    """Axes to the right and up in a plane such as "xz"."""
    right, up = (np.eye(3)["xyz".index(axis)] for axis in plane)
    return right, up


def _level(up: Array) -> tuple[Array, Array]:
    """Two horizontal axes, from which the azimuth counts."""
    east = np.roll(np.abs(up), 1)
    return east, np.cross(up, east)


_PARALLEL = 1e-6
_OUTSIDE = 0.05  # largest way of a rod along the normal of a plane drawing, over its size
_AZIMUTHS, _CLEARLY = (-58.0, -32.0, -75.0, -122.0, -148.0), 1.3


@dataclass(frozen=True, eq=False)
class Flat:
    """View along a direction."""

    # right, up: (3,) directions to the right and up in the picture; the camera is at right × up
    right: Array
    up: Array

    @property
    def towards(self) -> Array:
        """Direction to the camera."""
        return np.cross(self.right, self.up)

    def size(self, points: Array) -> tuple[float, float]:
        """Suitable width and height of a drawing of these points [inch]."""
        width, height = np.ptp(self(points), axis=0) + 0.1 * np.ptp(points, axis=0).max()
        return 7.2, float(np.clip(0.8 + 5.2 * height / max(width, 1e-300), 2.6, 5.4))

    def __call__(self, points: Array) -> Array:
        """Points (..., 3) projected onto the picture, (..., 2)."""
        # one product of two matrices: a product for each of many triangles takes ten times as long
        flat = points.reshape(-1, 3) @ np.stack([self.right, self.up], axis=1)
        return flat.reshape(*points.shape[:-1], 2)


@dataclass(frozen=True)
class Space:
    """View in space."""

    # elevation, azimuth: angles of the camera above the horizontal plane and about the vertical
    # [degrees]
    elevation: float = 26.0
    azimuth: float = -58.0
    vertical: str = "z"  # axis that points up

    def size(self, points: Array) -> tuple[float, float]:
        """Suitable width and height of a drawing of these points [inch]."""
        box = np.ptp(points, axis=0) + 0.08 * np.ptp(points, axis=0).max()
        up = np.eye(3)["xyz".index(self.vertical)]
        right = np.cross(up, self.towards)
        right /= max(float(np.linalg.norm(right)), 1e-9)
        up = np.cross(self.towards, right)
        across, high = np.abs(right) @ box, np.abs(up) @ box
        return 7.2, float(np.clip(0.9 + 5.0 * high / max(across, 1e-300), 3.2, 5.4))

    def __call__(self, points: Array) -> Array:
        """Points (..., 3) as they are: Matplotlib projects them."""
        return points

    @property
    def towards(self) -> Array:
        """Direction to the camera, in world axes."""
        up = np.eye(3)["xyz".index(self.vertical)]
        return from_angles(np.radians(self.elevation), np.radians(self.azimuth), up)


def chosen_view(
    view: Any, joints: list[PlacedJoint], gravity: Array, lines: Sequence[Array] = ()
) -> Flat | Space:
    """Direction of view as given by the user, or a suitable one.

    `view`: view as given by the user; `gravity` (3,): gravity, which points down in the drawing if
    possible; `lines` (k, 3): centre lines of rods: if one leaves the plane, the drawing is in
    space.
    """
    vertical = "xyz"[int(np.argmax(np.abs(gravity)))] if np.any(gravity) else "z"
    if view is None:
        normal = _common_normal(joints)
        if normal is not None and any(_leaves(line, normal) for line in lines):
            normal = None
        return _best_space(joints, vertical) if normal is None else _flat(normal, gravity)
    if isinstance(view, str) and view in PLANES:
        return Flat(*_axes(view))
    if isinstance(view, str) and view.lower() == "3d":
        return _best_space(joints, vertical)
    try:
        elevation, azimuth = (float(x) for x in view)
    except (TypeError, ValueError, OverflowError):
        elevation = azimuth = np.nan
    if isinstance(view, str) or not np.isfinite([elevation, azimuth]).all():
        raise StateError(
            f'view is {view!r}; use "xy", "xz", "yz", "3d" or elevation and azimuth in degrees'
        )
    return Space(elevation, azimuth, vertical)


def _best_space(joints: list[PlacedJoint], vertical: str) -> Space:
    """View with the widest spread of the joints; the default one unless another is clearly better.

    The spread is the area of the ellipse of their positions in the drawing.
    """
    places = np.array([frame[1] for j in joints for frame in (j.inboard, j.outboard)])
    places = places - places.mean(axis=0)
    areas = []
    for azimuth in _AZIMUTHS:
        towards = Space(azimuth=azimuth, vertical=vertical).towards
        across = np.linalg.svd(towards[None])[2][1:]
        areas.append(np.prod(np.linalg.svd(places @ across.T, full_matrices=False)[1]))
    clear = max(areas) > _CLEARLY * areas[0] + 0.01 * np.sum(places**2)
    best = int(np.argmax(areas)) if clear else 0
    return Space(azimuth=_AZIMUTHS[best], vertical=vertical)


def _common_normal(joints: list[PlacedJoint]) -> Array | None:
    """Direction about which all joints of the tree turn and normal to which they slide, or None."""
    motions = [j.axes for j in joints if not j.closing and j.axes.size]
    if not motions:
        return None
    axes = np.concatenate(motions, axis=1)
    turns, slides = _units(axes[:3]), _units(axes[3:])
    if not len(turns):
        return None
    normal = turns[0]
    if np.abs(np.cross(turns, normal)).max() > _PARALLEL:
        return None
    return normal if np.abs(slides @ normal).max(initial=0.0) < _PARALLEL else None


def _leaves(line: Array, normal: Array) -> bool:
    """Whether a line leaves the plane with a normal."""
    return bool(np.ptp(line @ normal) > _OUTSIDE * np.linalg.norm(np.ptp(line, axis=0)))


def _units(columns: Array) -> Array:
    """Directions (n, 3) of the columns that are not zero."""
    size = np.linalg.norm(columns, axis=0)
    return (columns[:, size > 1e-9] / size[size > 1e-9]).T


def _flat(normal: Array, gravity: Array) -> Flat:
    """View along a normal: gravity points down, otherwise z or y up; x or y to the right."""
    for up in (-gravity, np.eye(3)[2], np.eye(3)[1]):
        across = up - (up @ normal) * normal
        if (size := np.linalg.norm(across)) > 0.1 * max(float(np.linalg.norm(up)), 1e-9):
            break
    up = across / size
    right = np.cross(up, normal)
    first = right[np.argmax(np.abs(right) > 1e-9)]
    return Flat(right if first > 0 else -right, up)
