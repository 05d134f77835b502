"""Linear equations between hinge coordinates: gears, belts, racks, differentials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..immutable import array_of, immutable
from ..printing import Shown

if TYPE_CHECKING:
    from .system import System

Array = np.ndarray


@immutable("change the coupling of the model and compile it again")
@dataclass(frozen=True, eq=False)
class Coupling(Shown):
    """Linear equation between hinge coordinates: the sum of ratios times coordinates is the offset.

    Its coordinates are such whose rates are speeds (`Joint.plain_coordinates`).

    Attributes
    ----------
    name : str
        Name of the coupling.
    bodies : tuple of int
        Body outboard of each joint.
    entries : tuple of int
        Index of the coordinate within its joint, from 0.
    ratios : array (n,)
        Factors of the coordinates [rad or m].
    offset : float
        Value of the sum.
    """

    name: str
    bodies: tuple[int, ...]
    entries: tuple[int, ...]
    ratios: Array = field(metadata=array_of("1", "term"))
    offset: float

    @property
    def n_constraint(self) -> int:
        """Number of constraint equations."""
        return 1


def equation(system: System, coupling: Coupling) -> str:
    """Equation of a coupling as text, such as "left - 2 right = 0.5"."""
    names = []
    for i, k in zip(coupling.bodies, coupling.entries, strict=True):
        coordinates = system.joints[i].plain_coordinates
        names.append(system.names[i] + (f".{coordinates[k][0]}" if len(coordinates) > 1 else ""))
    return sum_in_words(zip(names, coupling.ratios, strict=True), coupling.offset)


def sum_in_words(terms: Iterable[tuple[str, Any]], total: Any) -> str:
    """Sum of names times numbers or symbols as text, such as "left - 2 right = 0.5"."""
    text = ""
    for name, ratio in terms:
        number = not hasattr(ratio, "free_symbols")
        sign = " - " if number and ratio < 0 else " + "
        if not text:
            sign = "-" if sign == " - " else ""
        factor = f"{abs(ratio):.6g}" if number else f"({ratio})"
        text += sign + (name if factor == "1" else f"{factor} {name}")
    return f"{text} = {total:.6g}" if not hasattr(total, "free_symbols") else f"{text} = {total}"
