"""Units that the user chose for what is shown and written; computations are in SI."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import StateError, shown
from ..units import Powers, UnitError, parsed_unit

Array = np.ndarray
Factor = Fraction | float

_BASES = ("m", "rad", "N", "kg")  # replaced also within other units
_SYMBOL = re.compile(r"(/?)([A-Za-z]+)(?:\^(-?[\d.]+))?")
_EXPECTED = 'expected units such as "deg", "mm" or "kN", in a list or separated by commas'


@dataclass(frozen=True)
class ChosenUnits:
    """Units in place of those of SI.

    A unit stands for the SI unit of its kind, alone and within others: with "mm" speeds are in
    mm/s, with "kN" moments in kN m.  One that is composed, such as "N mm", or that has a name of
    its own in SI, such as "kJ", stands for its kind alone, where it goes before the others.
    """

    # unit and factor to SI by powers of kg, m, s, rad; energies are apart from moments
    whole: dict[tuple[Powers, bool], tuple[str, Factor]]
    within: dict[str, tuple[str, Factor]]  # the same by symbol, such as "m"

    @classmethod
    def of(cls, units: Any) -> ChosenUnits:
        """Units as the user gave them.

        `units`: none: those of SI.
        """
        words = [] if units is None else units.split(",") if isinstance(units, str) else units
        if not isinstance(words, Iterable):
            raise StateError(f"units is {shown(units)}; {_EXPECTED}")
        bases = {parsed_unit(x)[1]: x for x in _BASES}
        whole: dict[tuple[Powers, bool], tuple[str, Factor]] = {}
        within = {}
        for word in words:
            unit = " ".join(word.split()) if isinstance(word, str) else ""
            if not unit:
                raise StateError(f"units is {shown(units)}; {_EXPECTED}")
            try:
                factor, powers = parsed_unit(unit)
            except UnitError as error:
                raise StateError(f"units: {error}") from None
            kind = (powers, _is_energy(unit))
            if kind in whole:
                raise StateError(
                    f"units: {whole[kind][0]!r} and {unit!r} are of the same kind; give one"
                )
            whole[kind] = (unit, factor)
            if powers in bases and re.fullmatch("[A-Za-z]+", unit):
                within[bases[powers]] = (unit, factor)
        return cls(whole, within)

    def shown(self, unit: str) -> tuple[str, Factor]:
        """Unit in place of an SI unit, and its size in the latter."""
        try:
            kind = (parsed_unit(unit)[1], _is_energy(unit))
        except UnitError:  # "1", or powers that are no whole numbers
            kind = ((0, 0, 0, 0), False)
        if kind in self.whole and any(kind[0]):
            return self.whole[kind]
        factor: Factor = Fraction(1)

        def replaced(match: re.Match[str]) -> str:
            nonlocal factor
            slash, symbol, power = match.groups()
            name, size = self.within.get(symbol, (symbol, Fraction(1)))
            n = float(power or 1) * (-1 if slash else 1)
            factor *= size ** (int(n) if n.is_integer() else n)
            return f"{slash}{name}{f'^{power}' if power else ''}"

        return _SYMBOL.sub(replaced, unit), factor

    def columns(self, flat: Array, units: Iterable[str]) -> tuple[list[str], Array]:
        """Units of columns, and their values in these units.

        `flat` (n, k): values in SI units.
        """
        pairs = [self.shown(unit) for unit in units]
        if all(factor == 1 for _, factor in pairs):
            return [unit for unit, _ in pairs], flat
        columns = [in_unit(x, factor) for x, (_, factor) in zip(flat.T, pairs, strict=True)]
        return [unit for unit, _ in pairs], np.stack(columns, axis=1)


SI = ChosenUnits({}, {})


def in_unit(values: Array, factor: Factor) -> Array:
    """Values in a unit of a given size."""
    if isinstance(factor, Fraction):  # an exact factor is rounded once
        return values * factor.denominator / factor.numerator
    return values / factor


def _is_energy(unit: str) -> bool:
    """Whether a unit is one of energies: J and N m have the same powers."""
    return bool(re.search(r"J", unit))
