"""Checks of numbers, shared by the structures."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any

from ..errors import ModelError
from ..fields import NumberField, Refusal

MOST = 1000  # elements or modes; more would take gigabytes


def finite(value: object, what: str) -> float:
    """Value as a float.

    Parameters
    ----------
    value : object
        Value as given by the user.
    what : str
        Names of the part and of the number, with its unit, for messages.

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
            "structures do not support symbols: give a number"
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ModelError(f"{what} must be finite, not {number}; give a finite number in SI units")
    return number


def positive(value: object, what: str) -> float:
    """Value as a float above zero; parameters and errors as for `finite`."""
    number = finite(value, what)
    if number <= 0.0:
        raise ModelError(f"{what} must be above zero, not {number}; give it in SI units")
    return number


def count(value: object, what: str, least: int = 1) -> int:
    """Value as an int, from `least` to `MOST`; parameters and errors as for `finite`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        few = ", ".join(str(least + k) for k in range(3))
        raise ModelError(f"{what} must be an integer >= {least}, not {value!r}; give {few}, ...")
    number = int(value)
    if number > MOST:
        raise ModelError(
            f"{what} is {_shown(number)} and must not exceed {MOST}; finer elements and higher "
            "modes have no physical meaning for a beam: give fewer"
        )
    return number


def _shown(value: int) -> str:
    """Text of a whole number, also of a very long one."""
    return str(value) if abs(value) < 10**18 else "a number of more than 18 digits"


@dataclass(frozen=True)
class FiniteField(NumberField):
    """A finite number, without symbols."""

    def check(self, value: Any, what: str, error: Refusal) -> Any:  # noqa: ARG002
        """Value as a float."""
        return finite(value, what)


@dataclass(frozen=True)
class PositiveField(NumberField):
    """A number above zero, without symbols."""

    _: KW_ONLY
    above: float | None = 0.0

    def check(self, value: Any, what: str, error: Refusal) -> Any:  # noqa: ARG002
        """Value as a float."""
        if type(value) is float and 0.0 < value < math.inf:
            return value
        unit = self.unit.replace("^2", "²").replace("^3", "³").replace("^4", "⁴")
        return positive(value, f"{what} {unit}")
