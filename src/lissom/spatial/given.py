"""Directions and rotations given by the user.

A rotation is a matrix (3, 3), a dictionary with the keys of model files, or an object with a
method `as_matrix`, such as SciPy's Rotation.  Bare sequences of three or four numbers are rejected
as ambiguous: angles or a rotation vector, and a quaternion with its scalar first or last.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ModelError, name_list, shown, warn_user
from .rotation import axis_rotation, exact_rotation, quaternion_rotation, rotation_fault
from .scalar import array, is_numeric, sqrt, zeros

Array = np.ndarray

NAMED_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_UNIT = 1e-15  # deviation from 1 within which a vector counts as a unit vector
_TURN = 2 * np.pi
_NEAR_UNIT = 1e-3  # accepted deviation of a quaternion's length from 1
_WAYS = (
    "expected a matrix (3, 3), "
    '{"axis": "z", "angle": 0.5}, {"rpy": (roll, pitch, yaw)}, {"quaternion": (w, x, y, z)} '
    "or a SciPy Rotation, angles in radians"
)
_HINTS = {
    (3,): 'three angles are {"rpy": (roll, pitch, yaw)} [rad]',
    (4,): 'a quaternion is {"quaternion": (w, x, y, z)}, its scalar first',
}


def doubt_angle(value: Any, what: str, *, turns: bool = False) -> None:
    """Warn of an angle that looks like degrees: beyond one turn, and no part of a turn.

    `value`: angle [rad].
    """
    x = float(value)
    if not _TURN < abs(x) < np.inf:
        return
    parts = x / (np.pi / 12)
    if (x % 5 == 0 and abs(x) <= 360) if turns else abs(parts - round(parts)) > 1e-6:
        warn_user(
            f"{what} is {x:.6g} rad, {x / _TURN:.3g} turns; if these are degrees, give "
            f'np.radians({x:.6g}), in a model file "{x:.6g} deg"'
        )


def unit_axis(axis: Any, what: str) -> Array:
    """Unit vector from "x", "y", "z" or three numbers or symbols.

    `axis` (3,): direction, of any length but zero; returns (3,): .
    """
    if isinstance(axis, str):
        if axis not in NAMED_AXES:
            raise ModelError(f'{what} is {axis!r}; expected "x", "y", "z" or three numbers')
        return array(NAMED_AXES[axis])
    try:
        direction = array(axis)
    except (TypeError, ValueError):
        direction = zeros(0)
    if direction.shape != (3,) or np.iscomplexobj(direction):
        raise ModelError(f'{what} is {axis!r}; expected "x", "y", "z" or three numbers')
    if not is_numeric(direction):
        return direction / sqrt(direction @ direction)
    if not np.all(np.isfinite(direction)):
        raise ModelError(f"{what} is {axis!r}; its entries must be finite")
    length = np.linalg.norm(direction)
    if length == 0:
        raise ModelError(f"{what} is zero; give the direction of the axis")
    if abs(length - 1) < _UNIT:
        return direction  # bit for bit: another division would change the last digits
    return direction / length


def given_rotation(values: Any, what: str) -> Array:
    """Orthonormalised rotation matrix; symbols are returned unchanged.

    Parameters
    ----------
    values : array (3, 3), mapping, object with `as_matrix`, or None
        Rotation in one of the accepted forms; None is the identity.
    what : str
        Label for errors, such as "body 'arm': rotation".

    Returns
    -------
    array (3, 3)
    """
    try:
        return rotation_of(values)
    except ValueError as error:
        raise ModelError(f"{what} {error}") from None


def rotation_of(values: Any) -> Array:
    """Same as `given_rotation`; a ValueError holds the predicate of the error message."""
    if values is None:
        return np.eye(3)
    if isinstance(values, Mapping):
        return _from_mapping(values)
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


def _from_mapping(mapping: Mapping[Any, Any]) -> Array:
    """Rotation from {"axis", "angle"}, {"rpy"} or {"quaternion"}."""
    if set(mapping) == {"axis", "angle"}:
        (angle,) = _numbers([mapping["angle"]], "angle", "one angle [rad]")
        _doubt([angle], "the angle of a rotation")
        return axis_rotation(unit_axis(mapping["axis"], "has an axis that"), angle)
    if set(mapping) == {"rpy"}:
        roll, pitch, yaw = _numbers(mapping["rpy"], "rpy", "three angles [rad]", 3)
        _doubt([roll, pitch, yaw], "an angle of rpy")
        x, y, z = np.eye(3)
        return axis_rotation(z, yaw) @ axis_rotation(y, pitch) @ axis_rotation(x, roll)
    if set(mapping) == {"quaternion"}:
        q = _numbers(mapping["quaternion"], "quaternion", "four numbers (w, x, y, z)", 4)
        if not is_numeric(q):
            return quaternion_rotation(q)
        length = np.linalg.norm(q)
        if not abs(length - 1) < _NEAR_UNIT:
            raise ValueError(
                f"has a quaternion of length {length:.6g}; expected length 1: normalise it"
            )
        return quaternion_rotation(q / length)
    keys = f"the keys {name_list(mapping)}" if mapping else "no keys"
    raise ValueError(f"has {keys}; {_WAYS}")


def _doubt(angles: list[Any], what: str) -> None:
    for angle in angles if is_numeric(array(angles)) else ():
        doubt_angle(angle, what)


def _numbers(values: Any, key: str, expected: str, n: int = 1) -> Array:
    """Validated array (n,) of finite numbers or symbols."""
    try:
        vector = array(values)
    except (TypeError, ValueError):
        vector = zeros(0)
    if vector.shape != (n,) or np.iscomplexobj(vector):
        shown_ = shown(values[0] if n == 1 else values)
        raise ValueError(f"has the {key} {shown_}; expected {expected}")
    if is_numeric(vector) and not np.all(np.isfinite(vector)):
        raise ValueError(f"has the {key} {shown(values)}; its entries must be finite")
    return vector
