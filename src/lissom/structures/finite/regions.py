"""Regions of space, by which nodes of a mesh are chosen.

Each function returns a function of positions (n, 3) that says which of them are inside; any such
function of your own serves as well.

Examples
--------
>>> import numpy as np
>>> nodes = np.array([[0.0, 0.0, 0.0], [0.0, 0.1, 0.0], [1.0, 0.0, 0.0]])
>>> plane("x", 0.0)(nodes)
array([ True,  True, False])
>>> cylinder((0, 0, 0), "z", radius=0.05)(nodes)
array([ True, False, False])
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, shown
from ...spatial.scalar import reals
from .._checks import finite, positive

__all__ = ["box", "cylinder", "plane"]

Array = NDArray[Any]

_NEAR = 1e-6  # of the size of the mesh


def plane(
    normal: Any, at: Any = 0.0, *, tolerance: float | None = None
) -> Callable[[Array], Array]:
    """Points on a plane.

    Parameters
    ----------
    normal : {"x", "y", "z"} or array (3,)
        Direction across the plane.
    at : float or array (3,)
        Coordinate along the normal, or a point of the plane [m].
    tolerance : float, optional
        Largest distance from the plane [m]; by default a millionth of the size of the mesh.
    """
    n = _direction(normal, "plane: normal")
    point = _vector(at, "plane: at") if np.ndim(at) else n * finite(at, "plane: at [m]")
    near = None if tolerance is None else positive(tolerance, "plane: tolerance [m]")
    return partial(_on_plane, point, n, near)


def box(low: Any, high: Any) -> Callable[[Array], Array]:
    """Points in a box with edges along x, y and z, a millionth of the mesh's size larger.

    Parameters
    ----------
    low, high : array (3,)
        Opposite corners [m]; infinite where there is no limit.
    """
    try:
        a, b = (reals(v) for v in (low, high))
    except (TypeError, ValueError):
        a = b = np.zeros(0)
    if a.shape != (3,) or b.shape != (3,) or not np.all(a <= b):
        raise ModelError(
            f"box: low is {shown(low)} and high is {shown(high)}; give two corners (x, y, z), the "
            "lower first"
        )
    return partial(_in_box, a, b)


def cylinder(
    point: Any, axis: Any, radius: float, *, inside: bool = True, tolerance: float | None = None
) -> Callable[[Array], Array]:
    """Points within a radius of a line, or on the cylinder of this radius: a bore.

    Parameters
    ----------
    point : array (3,)
        On the axis [m].
    axis : {"x", "y", "z"} or array (3,)
        Direction.
    radius : float
        [m].
    inside : bool
        Whether points inside belong to it; if False, those on its surface alone.
    tolerance : float, optional
        Of the radius [m]; by default a millionth of the size of the mesh.
    """
    p, n = _vector(point, "cylinder: point"), _direction(axis, "cylinder: axis")
    r = positive(radius, "cylinder: radius [m]")
    near = None if tolerance is None else positive(tolerance, "cylinder: tolerance [m]")
    return partial(_in_cylinder, p, n, r, inside, near)


# Not within the functions above, so that regions can be pickled.


def _on_plane(point: Array, n: Array, near: float | None, x: Array) -> Array:
    return np.abs((x - point) @ n) <= _near(x, near)


def _in_box(low: Array, high: Array, x: Array) -> Array:
    return np.all((x >= low - _near(x)) & (x <= high + _near(x)), axis=1)


def _in_cylinder(
    point: Array, n: Array, radius: float, inside: bool, near: float | None, x: Array
) -> Array:
    away = np.linalg.norm(np.cross(x - point, n), axis=1) - radius
    return (away if inside else np.abs(away)) <= _near(x, near)


def _near(x: Array, tolerance: float | None = None) -> float:
    return _NEAR * float(np.ptp(x, axis=0).max()) if tolerance is None else tolerance


def _direction(value: Any, what: str) -> Array:
    if isinstance(value, str) and value in ("x", "y", "z"):
        return np.eye(3)["xyz".index(value)]
    if isinstance(value, str):
        raise ModelError(f'{what} is {value!r}; give "x", "y", "z" or three numbers')
    n = _vector(value, what)
    if not np.any(n):
        raise ModelError(f"{what} is zero; give a direction such as (0, 0, 1)")
    return n / np.linalg.norm(n)


def _vector(value: Any, what: str) -> Array:
    try:
        v = reals(value)
    except (TypeError, ValueError):
        v = np.zeros(0)
    if v.shape != (3,) or not np.all(np.isfinite(v)):
        raise ModelError(f"{what} is {shown(value)}; give three numbers (x, y, z)")
    return v
