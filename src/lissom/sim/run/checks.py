"""Checks of the arguments of a simulation; errors name the part and the value.

All take the value and `what`: the part and the attribute, as the error names them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ...errors import LoadError, shown
from ...immutable import read_only
from ...model import Part
from ...spatial.scalar import reals

Array = np.ndarray


def is_number(value: Any) -> bool:
    """Whether the value is one real number, finite or infinite: no bool, text, array, or NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:  # an integer beyond the range of floats
        return False


def number(
    value: Any,
    what: str,
    expected: str = "one finite number",
    good: Callable[[float], bool] = math.isfinite,
) -> float:
    """Value as a float."""
    if not is_number(value) or not good(float(value)):
        raise LoadError(f"{what} is {shown(value)}; expected {expected}")
    return float(value)


def positive(value: Any, what: str, expected: str = "one positive number") -> float:
    """Value as a float above zero; parameters as for `number`."""
    return number(value, what, expected, lambda x: 0 < x < math.inf)


def not_negative(value: Any, what: str, expected: str = "one number, zero or more") -> float:
    """Value as a float of zero or more; parameters as for `number`."""
    return number(value, what, expected, lambda x: 0 <= x < math.inf)


def as_numbers(value: Any) -> Array | None:
    """New array of floats, or None if the value does not consist of real numbers.

    NumPy alone would also convert text, bools and None to numbers.
    """
    try:
        array = np.array(value)
    except Exception:  # rows of unequal length, or an error of the user's object
        return None
    if array.dtype.kind == "O":  # large integers, fractions, or no numbers at all
        if not all(is_number(x) for x in array.flat):
            return None
    elif array.dtype.kind not in "iuf":
        return None
    with np.errstate(over="ignore"):  # long doubles beyond the range of floats become infinite
        return array.astype(float)


def numbers(
    value: Any,
    what: str,
    expected: str = "finite numbers",
    *,
    n: int | None = None,
    least: float = -math.inf,
) -> Array:
    """Value as a new array: one number or a row of them, all finite."""
    array = as_numbers(value)
    if (
        array is None
        or (array.ndim > 1 if n is None else array.shape != (n,))
        or not np.all(np.isfinite(array) & (array >= least))
    ):
        raise LoadError(f"{what} is {shown(value)}; expected {expected}")
    return array


def checked_values(value: Any, n: int, what: str, t: float) -> Array:
    """Result of a user's function as n finite numbers; errors name the function."""
    if n == 1 and isinstance(value, float) and math.isfinite(value):  # most are; it is quicker
        return np.array([value])
    try:
        if value is None or isinstance(value, (str, bytes)):  # NumPy would convert these
            raise TypeError
        values = np.atleast_1d(reals(value))
    except (TypeError, ValueError, OverflowError):
        expected = "a number" if n == 1 else f"{n} numbers"
        raise LoadError(f"{what} returned {value!r} at t = {t:g} s; expected {expected}") from None
    if values.shape != (n,):
        raise LoadError(
            f"{what} returned an array of shape {values.shape} at t = {t:g} s; expected ({n},)"
        )
    if not np.isfinite(values).all():
        raise LoadError(f"{what} returned {value!r} at t = {t:g} s; all entries must be finite")
    return values


def text(value: Any, what: str, expected: str = "a name as text") -> str:
    """Value as text."""
    if not isinstance(value, str):
        raise LoadError(f"{what} is {shown(value)}; expected {expected}")
    return str(value)


def joint_name(value: Any, what: str) -> str:
    """Name of the body that a joint carries, from text or the Part that `Model.add` returns."""
    if not isinstance(value, (str, Part)):
        raise LoadError(
            f"{what} is {shown(value)}; expected the name of the body that the joint carries, "
            'such as "arm"'
        )
    return str(value)


def node_name(value: Any, what: str) -> str:
    """Name of a body, node or frame."""
    if not isinstance(value, (str, Part)):
        raise LoadError(
            f'{what} is {shown(value)}; expected "body", "body.node" or a frame as text'
        )
    return str(value)


def choice(value: Any, what: str, options: tuple[str, ...]) -> str:
    """Value, checked to be one of the options."""
    if not isinstance(value, str) or value not in options:
        quoted = [f'"{x}"' for x in options]
        raise LoadError(f"{what} is {shown(value)}; use {', '.join(quoted[:-1])} or {quoted[-1]}")
    return str(value)


def switch(value: Any, what: str) -> bool:
    """Value as a bool; numbers and text are refused, since "off" would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise LoadError(f"{what} is {shown(value)}; expected True or False")
    return bool(value)


def listed(objects: Any, kind: type, what: str) -> list[Any]:
    """Objects of a kind from one of them or several; `what` names the argument in errors."""
    if isinstance(objects, kind):
        return [objects]
    try:
        items = list(objects)
    except TypeError:
        raise LoadError(
            f"{what} is {shown(objects)}; expected a list of {kind.__name__} objects"
        ) from None
    for item in items:
        if not isinstance(item, kind):
            raise LoadError(f"{what} contains {shown(item)}; expected {kind.__name__} objects")
    return items


def keep(part: Any, **values: Any) -> None:
    """Store checked values in the fields of a frozen dataclass; arrays become read-only."""
    for name, value in values.items():
        stored = read_only(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(part, name, stored)
