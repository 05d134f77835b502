"""Directions and rotations as users give them.

A rotation is a matrix (3, 3), a dictionary in the words of model files, or an object with the
method `as_matrix`, as SciPy's Rotation has it.  Bare rows of three or four numbers are refused:
they could be angles or a rotation vector, and a quaternion with its scalar first or last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ModelError, name_list, shown
from .rotation import axis_rotation, exact_rotation, quaternion_rotation, rotation_fault
from .scalar import array, is_numeric, sqrt, zeros

__all__ = ["NAMED_AXES", "given_rotation", "rotation_of", "unit_axis"]

Array = np.ndarray

NAMED_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_UNIT = 1e-15  # a length this near to 1 is 1
_NEAR_UNIT = 1e-3  # how far the length of a quaternion may be from 1
_WAYS = (
    "expected a matrix (3, 3), "
    '{"axis": "z", "angle": 0.5}, {"rpy": (roll, pitch, yaw)}, {"quaternion": (w, x, y, z)} '
    "or a SciPy Rotation, angles in radians"
)
_HINTS = {
    (3,): 'three angles are {"rpy": (roll, pitch, yaw)} [rad]',
    (4,): 'a quaternion is {"quaternion": (w, x, y, z)}, its scalar first',
}


def unit_axis(axis: Any, what: str) -> Array:
    """Unit vector from "x", "y", "z" or three numbers or symbols.

    Parameters
    ----------
    axis : str or array (3,)
        What the user gave.
    what : str
        How to call it in an error, such as "Revolute: axis".

    Returns
    -------
    array (3,)
    """
    if isinstance(axis, str):
        if axis not in NAMED_AXES:
            raise ModelError(f'{what} is {axis!r}; give "x", "y", "z" or three numbers')
        return array(NAMED_AXES[axis])
    try:
        given = array(axis)
    except (TypeError, ValueError):
        given = zeros(0)
    if given.shape != (3,) or np.iscomplexobj(given):
        raise ModelError(f'{what} is {axis!r}; give "x", "y", "z" or three numbers')
    if not is_numeric(given):
        return given / sqrt(given @ given)
    if not np.all(np.isfinite(given)):
        raise ModelError(f"{what} is {axis!r}; its entries must be finite")
    length = np.linalg.norm(given)
    if length == 0:
        raise ModelError(f"{what} is zero; give the direction of the axis")
    if abs(length - 1) < _UNIT:
        return given  # to the last bit: dividing once more would move it
    return given / length


def given_rotation(values: Any, what: str) -> Array:
    """Rotation matrix made exact, symbols as they are; see `rotation_of`.

    Parameters
    ----------
    values : array (3, 3), mapping, object with `as_matrix`, or None
        What the user gave; None turns nothing.
    what : str
        How to call it in an error, such as "body 'arm': rotation".

    Returns
    -------
    array (3, 3)
    """
    try:
        return rotation_of(values)
    except ValueError as error:
        raise ModelError(f"{what} {error}") from None


def rotation_of(values: Any) -> Array:
    """Rotation matrix of what `given_rotation` takes; a ValueError goes on from "rotation"."""
    if values is None:
        return np.eye(3)
    if isinstance(values, Mapping):
        return _of_words(values)
    matrix = values.as_matrix() if callable(getattr(values, "as_matrix", None)) else values
    try:
        R = array(matrix)
    except (TypeError, ValueError):
        raise ValueError(f"is {shown(values)}; {_WAYS}") from None
    if R.shape != (3, 3) or np.iscomplexobj(R):
        words = _HINTS.get(R.shape, _WAYS)
        raise ValueError(f"is {shown(values)}, of shape {R.shape}; {words}")
    if not is_numeric(R):
        return R
    if fault := rotation_fault(R):
        raise ValueError(
            f"is not a rotation matrix (orthonormal columns, determinant 1): {fault}; it is "
            f"{shown(R.tolist())}"
        )
    return exact_rotation(R)


def _of_words(given: Mapping[Any, Any]) -> Array:
    """Rotation of {"axis", "angle"}, {"rpy"} or {"quaternion"}."""
    if set(given) == {"axis", "angle"}:
        (angle,) = _numbers([given["angle"]], "angle", "one angle [rad]")
        return axis_rotation(unit_axis(given["axis"], "has an axis that"), angle)
    if set(given) == {"rpy"}:
        roll, pitch, yaw = _numbers(given["rpy"], "rpy", "three angles [rad]", 3)
        x, y, z = np.eye(3)
        return axis_rotation(z, yaw) @ axis_rotation(y, pitch) @ axis_rotation(x, roll)
    if set(given) == {"quaternion"}:
        q = _numbers(given["quaternion"], "quaternion", "four numbers (w, x, y, z)", 4)
        if not is_numeric(q):
            return quaternion_rotation(q)
        length = np.linalg.norm(q)
        if not abs(length - 1) < _NEAR_UNIT:
            raise ValueError(
                f"has a quaternion of length {length:.6g}; expected 1: divide it by its length"
            )
        return quaternion_rotation(q / length)
    raise ValueError(f"has the keys {name_list(given) or 'of nothing'}; {_WAYS}")


def _numbers(values: Any, key: str, expected: str, n: int = 1) -> Array:
    """Finite numbers or symbols (n,) of a key."""
    try:
        given = array(values)
    except (TypeError, ValueError):
        given = zeros(0)
    if given.shape != (n,) or np.iscomplexobj(given):
        shown_ = shown(values[0] if n == 1 else values)
        raise ValueError(f"has the {key} {shown_}; expected {expected}")
    if is_numeric(given) and not np.all(np.isfinite(given)):
        raise ValueError(f"has the {key} {shown(values)}; its entries must be finite")
    return given
