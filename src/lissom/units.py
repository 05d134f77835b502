"""Units of measurement: a factor to SI and powers of mass, length, time and angle.

Angles are a separate dimension, so that an angle in place of a length is detected.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from .errors import suggestion

Powers = tuple[int, int, int, int]  # of kg, m, s, rad

# Exact factors as fractions, so that 7 g/cm^3 is 7000 kg/m^3 without rounding.
_BASE: dict[str, tuple[Fraction | float, Powers]] = {
    "g": (Fraction("1e-3"), (1, 0, 0, 0)),
    "t": (Fraction("1e3"), (1, 0, 0, 0)),
    "lb": (Fraction("0.45359237"), (1, 0, 0, 0)),
    "m": (Fraction("1.0"), (0, 1, 0, 0)),
    "in": (Fraction("0.0254"), (0, 1, 0, 0)),
    "ft": (Fraction("0.3048"), (0, 1, 0, 0)),
    "s": (Fraction("1.0"), (0, 0, 1, 0)),
    "min": (Fraction("60.0"), (0, 0, 1, 0)),
    "h": (Fraction("3600.0"), (0, 0, 1, 0)),
    "rad": (Fraction("1.0"), (0, 0, 0, 1)),
    "deg": (math.pi / 180, (0, 0, 0, 1)),
    "°": (math.pi / 180, (0, 0, 0, 1)),
    "rev": (2 * math.pi, (0, 0, 0, 1)),
    "Hz": (2 * math.pi, (0, 0, -1, 1)),
    "rpm": (2 * math.pi / 60, (0, 0, -1, 1)),
    "N": (Fraction("1.0"), (1, 1, -2, 0)),
    "J": (Fraction("1.0"), (1, 2, -2, 0)),
    "W": (Fraction("1.0"), (1, 2, -3, 0)),
    "Pa": (Fraction("1.0"), (1, -1, -2, 0)),
    "bar": (Fraction("1e5"), (1, -1, -2, 0)),
    "g0": (Fraction("9.80665"), (0, 1, -2, 0)),
    "%": (Fraction("0.01"), (0, 0, 0, 0)),
}
_POWERS_OF_TEN = {"n": -9, "u": -6, "µ": -6, "m": -3, "c": -2, "k": 3, "M": 6, "G": 9}
_PREFIXED = ("g", "m", "s", "rad", "Hz", "N", "J", "W", "Pa")
UNITS = _BASE | {
    prefix + name: (Fraction(10) ** power * _BASE[name][0], _BASE[name][1])
    for prefix, power in _POWERS_OF_TEN.items()
    for name in _PREFIXED
    if prefix + name not in _BASE
}

_USUAL = [  # suggested in messages
    *("kg", "g", "t", "m", "mm", "cm", "km", "s", "ms", "min", "h", "rad", "deg", "rev", "Hz"),
    *("rpm", "N", "kN", "J", "W", "kW", "Pa", "MPa", "GPa", "bar", "in", "ft", "lb", "g0"),
]

_FACTOR = re.compile(
    r"([*·/]?)\s*(?:([A-Za-zµ°%][A-Za-z0]*)\s*(?:(?:\^|\*\*)\s*(-?\d)|([²³⁴]))?|1)\s*"
)
_RAISED = {"²": 2, "³": 3, "⁴": 4}


class UnitError(ValueError):
    """A quantity that cannot be read or has the wrong dimension."""


def parsed_unit(text: str) -> tuple[Fraction | float, Powers]:
    """Factor and powers of a product such as "N m s/rad"; a slash applies to the next unit only."""
    scale: Fraction | float = Fraction(1)
    powers, place = [0, 0, 0, 0], 0
    while place < len(text):
        match = _FACTOR.match(text, place)
        if match is None or match.end() == place:
            raise UnitError(f"the unit {text!r} cannot be read; write it like 'N m/s'")
        place = match.end()
        sign, name, power, raised = match.groups()
        if name is None:
            continue
        if name not in UNITS:
            raise UnitError(f"there is no unit {name!r}; {suggestion(name, _USUAL)}")
        n = int(power) if power else _RAISED.get(raised or "", 1)
        n = -n if sign == "/" else n
        scale *= UNITS[name][0] ** n
        powers = [a + n * b for a, b in zip(powers, UNITS[name][1], strict=True)]
    return scale, (powers[0], powers[1], powers[2], powers[3])
