"""Numbers in expressions: exact where a person may have written them, otherwise rounded.

A rounded number remembers the size of the largest terms that were summed up to it.  What is left of
a sum whose terms cancel is recognised by that, after any number of terms.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

# Digits of a decimal number that is read as exact; relative size of a sum that is rounding noise.
_WRITTEN, _NOISE = 12, 1e-15
# Largest denominator of a fraction that a float may be read as.
_DENOMINATOR = 20_000

Number = int | float | Fraction


class Rounded(float):
    """Float that is the result of sums and products."""

    __slots__ = ("size",)
    size: float  # size of its largest terms

    def __new__(cls, value: float, size: float) -> Rounded:
        """Float with the size of its terms."""
        rounded = super().__new__(cls, value)
        rounded.size = size
        return rounded


def size_of(x: Number) -> float:
    """Size of the largest terms of a number."""
    return x.size if isinstance(x, Rounded) else abs(float(x))


def exact(value: Any) -> Number:
    """Whole number or fraction if the value is close to one, otherwise the float.

    Decimals of up to twelve digits, and floats within two roundings of a fraction with a small
    denominator, such as 1/12, are read as fractions.
    """
    if isinstance(value, (int, Fraction)):
        return int(value) if isinstance(value, int) or value.denominator == 1 else value
    x = float(value)
    if not math.isfinite(x):
        raise ValueError(f"{value!r} is not a finite number")
    if x.is_integer() and abs(x) < 2**53:
        return int(x)
    if sum(c.isdigit() for c in repr(x).partition("e")[0].lstrip("-0.")) <= _WRITTEN:
        return Fraction(repr(x))
    near = Fraction(x).limit_denominator(_DENOMINATOR)
    if abs(float(near) - x) <= 2 * math.ulp(x):
        return near
    return value if isinstance(value, Rounded) else x


def sum_of(x: Number, y: Number) -> Number:
    """Sum of x and y; what is mere rounding becomes zero."""
    if not isinstance(x, float) and not isinstance(y, float):
        return Fraction(x) + Fraction(y)
    total, size = float(x) + float(y), max(size_of(x), size_of(y))
    return 0 if abs(total) < _NOISE * size else Rounded(total, size)


def product_of(x: Number, y: Number) -> Number:
    """Product of x and y."""
    if not isinstance(x, float) and not isinstance(y, float):
        return x * y
    a, b = float(x), float(y)
    return Rounded(a * b, max(size_of(x) * abs(b), abs(a) * size_of(y)))


def negated(x: Number) -> Number:
    """-x."""
    return Rounded(-float(x), x.size) if isinstance(x, Rounded) else -x
