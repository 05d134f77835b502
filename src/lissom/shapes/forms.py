"""Forms of fields that only shapes have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ModelError, shown
from ..fields import FieldForm, as_numbers
from ..spatial.given import given_rotation
from ..spatial.scalar import is_numeric

Array = np.ndarray


@dataclass(frozen=True)
class RotationField(FieldForm):
    """A rotation in one of the forms of `spatial.given`; None is none."""

    kind: str = "array (3, 3), mapping or SciPy Rotation"
    takes_none: ClassVar[bool] = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as a matrix (3, 3)."""
        try:
            rotation = given_rotation(value, what)
        except ModelError as fault:
            raise error(str(fault)) from None
        if not is_numeric(rotation):
            raise error(f"{what} is {shown(value)}; expected numbers, not symbols")
        return rotation


@dataclass(frozen=True)
class ColorField(FieldForm):
    """A color as text."""

    kind: str = "str"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The text."""
        if not isinstance(value, str) or not re.fullmatch("#[0-9a-fA-F]{6}", value):
            raise error(f'{what} is {shown(value)}; give it as "#rrggbb"')
        return str(value)


@dataclass(frozen=True)
class SizesField(FieldForm):
    """Three positive lengths."""

    of: str = "length"
    kind: str = "array (3,)"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as an array (3,)."""
        values = as_numbers(value)
        if values is None or values.shape != (3,) or not np.all(_inside(values) & (values > 0)):
            raise error(f"{what} is {shown(value)}; expected three positive lengths [m]")
        return values


@dataclass(frozen=True)
class PlanePointsField(FieldForm):
    """Points of a plane, at least `least` of them."""

    of: str = "length"
    kind: str = "array (n, 2)"
    least: int = 3

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as an array (n, 2)."""
        values = as_numbers(value)
        fits = values is not None and values.ndim == 2 and values.shape[1] == 2
        if values is None or not fits or len(values) < self.least or not np.all(_inside(values)):
            expected = f"finite numbers of shape (n, 2) [m], n {self.least} or more"
            raise error(f"{what} is {shown(value)}; expected {expected}")
        return values


@dataclass(frozen=True)
class AscendingField(FieldForm):
    """Two or more lengths, each larger than the one before."""

    of: str = "length"
    kind: str = "array (n,)"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as an array (n,)."""
        values = as_numbers(value)
        fits = values is not None and values.ndim == 1 and len(values) > 1
        if (
            values is None
            or not fits
            or not np.all(_inside(values))
            or np.any(np.diff(values) <= 0)
        ):
            raise error(f"{what} is {shown(value)}; expected two or more ascending lengths [m]")
        return values


@dataclass(frozen=True)
class TableField(FieldForm):
    """Lengths in a table of two directions."""

    of: str = "length"
    kind: str = "array (n, m)"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as an array (n, m)."""
        values = as_numbers(value)
        if values is None or values.ndim != 2 or not np.all(_inside(values)):
            raise error(f"{what} is {shown(value)}; expected finite numbers of shape (n, m) [m]")
        return values


_FARTHEST = 1e18  # [m], whose square is a number of single precision, for pictures


def _inside(values: Array) -> Array:
    """Which numbers are lengths that pictures can show."""
    return np.abs(values) <= _FARTHEST
