"""What the mechanisms of the library share."""

from __future__ import annotations

import operator
from typing import Any

from ..errors import ModelError

__all__ = ["EARTH", "count"]

EARTH = (0.0, 0.0, -9.81)


def count(value: Any, what: str, least: int) -> int:
    """Whole number not below `least`, or an error that says what is wrong.

    Parameters
    ----------
    value : object
        What the user gave.
    what : str
        How to call it in an error.
    least : int
        Smallest number allowed.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if number < least or isinstance(value, bool):
        raise ModelError(f"{what} is {value!r}; expected a whole number, {least} or more")
    return number
