"""Units of measurement: a factor to SI and powers of mass, length, time and angle.

Angles are a separate dimension, so that an angle in place of a length is detected.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction

from .errors import suggestion

Powers = tuple[int, int, int, int]  # of kg, m, s, rad
Dimension = str  # a key of DIMENSIONS

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

# Powers of kg, m, s, rad, and description with the SI unit.
DIMENSIONS: dict[Dimension, tuple[Powers, str]] = {
    "number": ((0, 0, 0, 0), "number without a unit"),
    "mass": ((1, 0, 0, 0), "mass [kg]"),
    "length": ((0, 1, 0, 0), "length [m]"),
    "angle": ((0, 0, 0, 1), "angle [rad]"),
    "time": ((0, 0, 1, 0), "time [s]"),
    "speed": ((0, 1, -1, 0), "speed [m/s]"),
    "angular speed": ((0, 0, -1, 1), "angular speed [rad/s]"),
    "acceleration": ((0, 1, -2, 0), "acceleration [m/s^2]"),
    "angular acceleration": ((0, 0, -2, 1), "angular acceleration [rad/s^2]"),
    "force": ((1, 1, -2, 0), "force [N]"),
    "torque": ((1, 2, -2, 0), "torque [N m]"),
    "inertia": ((1, 2, 0, 0), "moment of inertia [kg m^2]"),
    "stiffness": ((1, 0, -2, 0), "stiffness [N/m]"),
    "angular stiffness": ((1, 2, -2, -1), "angular stiffness [N m/rad]"),
    "damping": ((1, 0, -1, 0), "damping [N s/m]"),
    "angular damping": ((1, 2, -1, -1), "angular damping [N m s/rad]"),
    "stop damping": ((0, -1, 1, 0), "damping of a stop [s/m]"),
    "angular stop damping": ((0, 0, 1, -1), "damping of a stop [s/rad]"),
    "integral gain": ((1, 0, -3, 0), "integral gain [N/m/s]"),
    "angular integral gain": ((1, 2, -3, -1), "integral gain [N m/rad/s]"),
    "length times time": ((0, 1, 1, 0), "length times time [m s]"),
    "angle times time": ((0, 0, 1, 1), "angle times time [rad s]"),
    "pressure": ((1, -1, -2, 0), "pressure [Pa]"),
    "density": ((1, -3, 0, 0), "density [kg/m^3]"),
    "gravitational parameter": ((0, 3, -2, 0), "gravitational parameter [m^3/s^2]"),
    "area": ((0, 2, 0, 0), "area [m^2]"),
    "second moment": ((0, 4, 0, 0), "second moment of area [m^4]"),
    "pitch": ((0, 1, 0, -1), "pitch [m/rad]"),
    "curvature": ((0, -1, 0, 1), "curvature [rad/m]"),
    "mass per length": ((1, -1, 0, 0), "mass per length [kg/m]"),
    "inertia per length": ((1, 1, 0, 0), "moment of inertia per length [kg m]"),
}

# Quantities at a joint: dimensions for turns and for shifts.
PAIRS = {
    "coordinate": ("angle", "length"),
    "rate": ("angular speed", "speed"),
    "rate of speed": ("angular acceleration", "acceleration"),
    "joint force": ("torque", "force"),
    "joint stiffness": ("angular stiffness", "stiffness"),
    "joint damping": ("angular damping", "damping"),
    "joint stop damping": ("angular stop damping", "stop damping"),
    "rotor": ("inertia", "mass"),
    "joint integral gain": ("angular integral gain", "integral gain"),
    "integral": ("angle times time", "length times time"),
}

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


def article(word: str) -> str:
    """Indefinite article of a dimension."""
    return "an" if word[0] in "ai" else "a"
