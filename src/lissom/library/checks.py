"""Constants and checks shared by the mechanisms of the library."""

from __future__ import annotations

import operator
from typing import Any

from ..errors import ModelError

MOST = 100_000  # bodies, elements or modes
EARTH = (0.0, 0.0, -9.81)


def count(value: Any, what: str, least: int) -> int:
    """Whole number from `least` to `MOST`, or a ModelError."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if not least <= number <= MOST or isinstance(value, bool):
        text = repr(value) if abs(number) < 10**18 else "too large"
        raise ModelError(f"{what} is {text}; expected a whole number from {least} to {MOST}")
    return number
