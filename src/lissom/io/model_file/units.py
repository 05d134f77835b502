"""Quantities with units as text: "12 deg", "165 mm", "20 N m s/rad".

What is expected somewhere is a dimension, such as "angular speed"; `lissom.units` has the units.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

from ...units import DIMENSIONS, Dimension, Powers, UnitError as UnitError, article, parsed_unit

LONGEST = 200  # most characters of a quantity

_NUMBER = re.compile(r"\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf(?![a-z]))")


class NumberWithUnit(float):
    """Number in SI units with the dimension of its given unit, if any."""

    powers: Powers | None  # powers of kg, m, s and rad; None if no unit was given

    def __new__(cls, value: float, powers: Powers | None = None) -> Self:
        """Create a number with powers."""
        number = super().__new__(cls, value)
        number.powers = powers
        return number


def quantity(
    entry: Any, expected: Sequence[Dimension], *, infinite: bool = False
) -> NumberWithUnit:
    """Number in SI units."""
    words = expected_words(expected)
    if isinstance(entry, str):
        value = _parsed(entry, words)
    elif isinstance(entry, (int, float)) and not isinstance(entry, bool):
        try:
            value = NumberWithUnit(entry)
        except OverflowError:
            value = NumberWithUnit(math.inf)
    else:
        raise UnitError(f"is {described(entry)}; expected {article(words)} {words}")
    if not math.isfinite(value) and not (infinite and abs(value) == math.inf):
        raise UnitError(f"is {described(entry)}; expected a finite {words}")
    if value.powers is not None and not any(fits(value.powers, x) for x in expected):
        raise UnitError(
            f"is {entry!r}, which is {_called(value.powers)}; expected {article(words)} {words}"
        )
    return value


def fits(powers: Powers, dimension: Dimension) -> bool:
    """Whether a unit has a dimension; radians may be omitted, as in "N m" for "N m/rad"."""
    dimension_powers = DIMENSIONS[dimension][0]
    return powers == dimension_powers or (
        any(dimension_powers[:3]) and powers == (*dimension_powers[:3], 0)
    )


def described(value: Any) -> str:
    """Short description of a value for messages."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None:
        return "nothing"
    text = repr(value) if not isinstance(value, int) or abs(value) < 10**30 else "a huge number"
    return text if len(text) < 80 else f"{text[:50]} ... {text[-10:]}"


def expected_words(expected: Sequence[Dimension]) -> str:
    """Dimensions in words, such as "mass [kg] or length [m]"."""
    return " or ".join(DIMENSIONS[x][1] for x in expected)


def _called(powers: Powers) -> str:
    for name, (dimension_powers, _) in DIMENSIONS.items():
        if powers == dimension_powers:
            return f"{article(name)} {name}"
    units = zip(("kg", "m", "s", "rad"), powers, strict=True)
    return "in " + " ".join(f"{unit}^{power}" for unit, power in units if power)


def _parsed(text: str, words: str) -> NumberWithUnit:
    match = _NUMBER.match(text) if len(text) <= LONGEST else None
    if match is None:
        raise UnitError(
            f'is {described(text)}; expected {article(words)} {words}, such as 0.5 or "0.5 unit"'
        )
    number, rest = float(match[1].replace("_", "")), text[match.end() :].strip()
    if not rest:
        return NumberWithUnit(number)
    try:
        scale, powers = parsed_unit(rest)
    except UnitError as error:
        raise UnitError(f"is {text!r}; {error}") from None
    if isinstance(scale, Fraction):
        return NumberWithUnit(number * scale.numerator / scale.denominator, powers)
    return NumberWithUnit(number * scale, powers)


def base_units(powers: Powers) -> str:
    """Unit in kg, m, s and rad, which `quantity` reads as a factor of one; "" for a number."""
    named = zip(("kg", "m", "s", "rad"), powers, strict=True)
    return " ".join(unit if power == 1 else f"{unit}^{power}" for unit, power in named if power)


def usual_units(powers: Powers) -> str:
    """SI unit by its usual name, such as "N m"; "1" for a number."""
    for dimension_powers, words in DIMENSIONS.values():
        if powers == dimension_powers and "[" in words:
            return words[words.index("[") + 1 : -1]
    return base_units(powers) or "1"
