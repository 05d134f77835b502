"""Checks of numbers that the structures share."""

from __future__ import annotations

import math
from dataclasses import fields
from numbers import Integral, Real
from typing import Any

from ..errors import ModelError

MOST = 1000  # elements or modes; more would take gigabytes


def finite(value: object, what: str) -> float:
    """Value as a float.

    Parameters
    ----------
    value : object
        What the user gave.
    what : str
        The name of the part and of the number, with its unit, for the message.

    Returns
    -------
    float
        The same number.

    Raises
    ------
    ModelError
        If the value is not a real number (a symbol, a string, an array) or is not finite.
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ModelError(
            f"{what} must be a number, not {value!r} ({type(value).__name__}); "
            "structures take no symbols: give a number"
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ModelError(f"{what} must be finite, not {number}; give a finite number in SI units")
    return number


def positive(value: object, what: str) -> float:
    """Value as a float, which must be above zero; parameters and errors as for `finite`."""
    number = finite(value, what)
    if number <= 0.0:
        raise ModelError(f"{what} must be above zero, not {number}; give it in SI units")
    return number


def count(value: object, what: str) -> int:
    """Value as an int, a whole number from 1 to `MOST`; parameters and errors as for `finite`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ModelError(f"{what} must be an integer >= 1, not {value!r}; give 1, 2, 3, ...")
    number = int(value)
    if number > MOST:
        raise ModelError(
            f"{what} must not exceed {MOST}, and is {_shown(number)}; higher modes and finer "
            "elements than that describe no beam: give fewer"
        )
    return number


def _shown(value: int) -> str:
    """A whole number, however many digits it has."""
    return str(value) if abs(value) < 10**18 else "a number of more than 18 digits"


def keep_positive(part: Any, name: str) -> None:
    """Check that every field of a frozen dataclass is a positive length and keep it as a float."""
    for field in fields(part):
        number = positive(getattr(part, field.name), f"{name}: {field.name} [m]")
        object.__setattr__(part, field.name, number)
