"""Checks of what users give to a simulation; a mistake ends in an error that names part and value.

All take the value and `what`: the part and the attribute, as an error shall call them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ..errors import LoadError, shown
from ..immutable import read_only
from ..model import Part

__all__ = [
    "as_numbers",
    "choice",
    "is_number",
    "joint_name",
    "keep",
    "node_name",
    "not_negative",
    "number",
    "numbers",
    "positive",
    "shown",
    "switch",
    "text",
]

Array = np.ndarray


def is_number(value: Any) -> bool:
    """Whether it is one real number, be it infinite: no bool, text, array, or NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:  # an integer beyond all floats
        return False


def number(
    value: Any,
    what: str,
    expected: str = "one finite number",
    good: Callable[[float], bool] = math.isfinite,
) -> float:
    """Value as a float.

    Parameters
    ----------
    value : object
        What the user gave.
    what : str
        Part and attribute, for the error.
    expected : str
        What is acceptable, for the error.
    good : callable
        Whether a number is acceptable.
    """
    if not is_number(value) or not good(float(value)):
        raise LoadError(f"{what} is {shown(value)}; expected {expected}")
    return float(value)


def positive(value: Any, what: str, expected: str = "one positive number") -> float:
    """Value as a float above zero; parameters as for `number`."""
    return number(value, what, expected, lambda x: 0 < x < math.inf)


def not_negative(value: Any, what: str, expected: str = "one number, zero or more") -> float:
    """Value as a float from zero on; parameters as for `number`."""
    return number(value, what, expected, lambda x: 0 <= x < math.inf)


def as_numbers(value: Any) -> Array | None:
    """New array of floats, or None if the value is not made of real numbers.

    NumPy alone would also make numbers of text, of bools and of None.
    """
    try:
        found = np.array(value)
    except Exception:  # unequal rows, or whatever the user's object raises
        return None
    if found.dtype.kind == "O":  # large integers and fractions, or no numbers at all
        if not all(is_number(x) for x in found.flat):
            return None
    elif found.dtype.kind not in "iuf":
        return None
    with np.errstate(over="ignore"):  # of longer floats; they become infinite
        return found.astype(float)


def numbers(
    value: Any,
    what: str,
    expected: str = "finite numbers",
    *,
    n: int | None = None,
    least: float = -math.inf,
) -> Array:
    """Value as a new array: one number or a row of them, all finite.

    Parameters
    ----------
    value : object
        What the user gave.
    what, expected : str
        As for `number`.
    n : int, optional
        How many there must be, in a row.
    least : float
        What all must reach.
    """
    found = as_numbers(value)
    if (
        found is None
        or (found.ndim > 1 if n is None else found.shape != (n,))
        or not np.all(np.isfinite(found) & (found >= least))
    ):
        raise LoadError(f"{what} is {shown(value)}; expected {expected}")
    return found


def text(value: Any, what: str, expected: str = "a name as text") -> str:
    """Value as text."""
    if not isinstance(value, str):
        raise LoadError(f"{what} is {shown(value)}; expected {expected}")
    return str(value)


def joint_name(value: Any, what: str) -> str:
    """Name of the body that a joint carries; `Model.add` returns a Part, which has it too."""
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
    """Value, which must be one of the options."""
    if not isinstance(value, str) or value not in options:
        quoted = [f'"{x}"' for x in options]
        raise LoadError(f"{what} is {shown(value)}; use {', '.join(quoted[:-1])} or {quoted[-1]}")
    return str(value)


def switch(value: Any, what: str) -> bool:
    """Value as a bool; a number or text in its place is a mistake, "off" would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise LoadError(f"{what} is {shown(value)}; expected True or False")
    return bool(value)


def keep(part: Any, **values: Any) -> None:
    """Put checked values into the fields of a frozen dataclass; arrays become read-only."""
    for name, value in values.items():
        kept = read_only(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(part, name, kept)
