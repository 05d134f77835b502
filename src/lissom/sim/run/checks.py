"""Checks of the arguments of a simulation; errors name the part and the value.

All take the value and `what`: the part and the attribute, as the error names them.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ... import fields
from ...errors import LoadError, shown
from ...model import Part
from ...spatial.scalar import reals

Array = np.ndarray

number = partial(fields.number, error=LoadError)
numbers = partial(fields.numbers, error=LoadError)
text = partial(fields.text, error=LoadError)
choice = partial(fields.choice, error=LoadError)
switch = partial(fields.switch, error=LoadError)


def positive(value: Any, what: str, expected: str = "one positive number") -> float:
    """Value as a float above zero."""
    return number(value, what, expected, lambda x: 0 < x < math.inf)


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
