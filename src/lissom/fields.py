"""Checks of values, and fields of loads, sections and materials, each declared once.

A field is declared in its class by its form, a sentence and its default.  Its check, its key in
model files (`io.model_file.schema`) and its paragraph in the documentation of the class follow.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np

from .errors import LissomError, ModelError, shown
from .immutable import read_only
from .spatial.given import unit_axis
from .spatial.scalar import array, is_numeric
from .units import DIMENSIONS, PAIRS, Dimension, article

T = TypeVar("T")
Array = np.ndarray
Refusal = type[LissomError]

_WIDTH = 96  # of documentation
_LARGEST = sys.float_info.max
_SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE)


# Checks of a value; `what` is the part and the attribute, as the error names them.


def is_number(value: Any) -> bool:
    """Whether the value is one real number, finite or infinite: no bool, text, array, or NaN."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return not math.isnan(float(value))
    except OverflowError:  # an integer beyond the range of floats
        return False


def number(
    value: Any,
    what: str,
    expected: str = "one finite number",
    good: Callable[[float], bool] = math.isfinite,
    *,
    error: Refusal = ModelError,
) -> float:
    """Value as a float."""
    if not is_number(value) or not good(float(value)):
        raise error(f"{what} is {shown(value)}; expected {expected}")
    return float(value)


def as_numbers(value: Any) -> Array | None:
    """New array of floats, or None if the value does not consist of real numbers.

    NumPy alone would also convert text, bools and None to numbers.
    """
    try:
        values = np.array(value)
    except Exception:  # rows of unequal length, or an error of the user's object
        return None
    if values.dtype.kind == "O":  # large integers, fractions, or no numbers at all
        if not all(is_number(x) for x in values.flat):
            return None
    elif values.dtype.kind not in "iuf":
        return None
    with np.errstate(over="ignore"):  # long doubles beyond the range of floats become infinite
        return values.astype(float)


def numbers(
    value: Any,
    what: str,
    expected: str = "finite numbers",
    *,
    n: int | None = None,
    error: Refusal = ModelError,
) -> Array:
    """Value as a new array of finite numbers: one number or a row of them, or n numbers."""
    values = as_numbers(value)
    if (
        values is None
        or (values.ndim > 1 if n is None else values.shape != (n,))
        or not np.all(np.isfinite(values))
    ):
        raise error(f"{what} is {shown(value)}; expected {expected}")
    return values


def numbers_or_symbols(
    value: Any, what: str, expected: str = "a finite real number", shape: tuple[int, ...] = ()
) -> Array:
    """Value as a new array of a shape, of finite numbers or of symbols."""
    try:
        values = array(value)
    except (TypeError, ValueError):
        values = np.array(math.nan)
    if (
        values.shape != shape
        or np.iscomplexobj(values)
        or (is_numeric(values) and not np.all(np.isfinite(values)))
    ):
        raise ModelError(f"{what} is {shown(value)}; expected {expected}")
    return values


def count(
    value: Any, what: str, least: int = 1, most: int | None = None, *, error: Refusal = ModelError
) -> int:
    """Value as a whole number within limits."""
    number = None if isinstance(value, bool) or not isinstance(value, Integral) else int(value)
    if number is None or number < least or (most is not None and number > most):
        limits = f", {least} or more" if most is None else f" from {least} to {most}"
        raise error(f"{what} is {shown(value)}; give a whole number{limits}")
    return number


def text(
    value: Any, what: str, expected: str = "a name as text", *, error: Refusal = ModelError
) -> str:
    """Value as text."""
    if not isinstance(value, str):
        raise error(f"{what} is {shown(value)}; expected {expected}")
    return str(value)


def choice(value: Any, what: str, options: tuple[str, ...], *, error: Refusal = ModelError) -> str:
    """Value, checked to be one of the options."""
    if not isinstance(value, str) or value not in options:
        quoted = [f'"{x}"' for x in options]
        raise error(f"{what} is {shown(value)}; use {', '.join(quoted[:-1])} or {quoted[-1]}")
    return str(value)


def switch(value: Any, what: str, *, error: Refusal = ModelError) -> bool:
    """Value as a bool; numbers and text are refused, since "off" would count as true."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{what} is {shown(value)}; expected True or False")
    return bool(value)


# Forms of fields


@dataclass(frozen=True)
class FieldForm:
    """Form of a field: its check, and what documentation and model files need to know.

    `of`: quantity of its numbers, a key of `units.DIMENSIONS`, or of `units.PAIRS` where the joint
    decides.  `kind`: type in the documentation.
    """

    of: str = ""
    kind: str = ""
    takes_none: ClassVar[bool] = False  # whether None is a value, and not what is left out

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """Dimensions of its numbers: two, for turns and shifts, where the joint decides."""
        return PAIRS.get(self.of, (self.of,)) if self.of else ()

    @property
    def unit(self) -> str:
        """SI unit in brackets, or nothing."""
        words = [DIMENSIONS[x][1] for x in self.dimensions if x != "number"]
        return f"[{' or '.join(x[x.index('[') + 1 : -1] for x in words)}]" if words else ""

    def check(self, value: Any, what: str, error: Refusal) -> Any:  # noqa: ARG002
        """Value as it is stored, or an error about `what`."""
        return value

    def allows(self, default: Any) -> bool:
        """Whether a default is a value of the field, and not a mark of one that is missing."""
        try:
            self.check(default, "", ModelError)
        except LissomError:
            return default is None and not self.takes_none
        return True


@dataclass(frozen=True)
class NumberField(FieldForm):
    """One number: at least or above a bound, perhaps infinite, perhaps not zero."""

    kind: str = "float"
    _: KW_ONLY
    least: float | None = None
    above: float | None = None
    infinite: bool = False
    nonzero: bool = False

    @property
    def expected(self) -> str:
        """What an error says was expected."""
        noun = f"number {self.unit}".rstrip()
        if len(self.dimensions) == 1 and self.unit:
            noun = DIMENSIONS[self.of][1]
        if self.above == 0:
            return f"a positive {noun}"
        if self.least == 0:
            return f"{article(noun)} {noun}, zero or more"
        if self.infinite:
            return f"{article(noun)} {noun}, possibly infinite"
        return f"one finite {noun}" + (" other than zero" if self.nonzero else "")

    def accepts(self, x: Any) -> Any:
        """Whether one number or each of an array is within the bounds."""
        good = abs(x) <= (math.inf if self.infinite else _LARGEST)
        if self.least is not None:
            good &= x >= self.least
        if self.above is not None:
            good &= x > self.above
        return good & (x != 0) if self.nonzero else good

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """Value as a float."""
        if is_number(value) and self.accepts(x := float(value)):
            return x
        raise error(f"{what} is {shown(value)}; expected {self.expected}")


@dataclass(frozen=True)
class NumbersField(NumberField):
    """One number, or one for each motion (or coordinate) of a joint, as they were given."""

    kind: str = "float or array (n_v,)"
    _: KW_ONLY
    each: str = "motion"

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """The value itself."""
        values = as_numbers(value)
        if values is None or values.ndim > 1 or not np.all(self.accepts(values)):
            expected = f"{self.expected}, or one for each {self.each} of the joint"
            raise error(f"{what} is {shown(value)}; expected {expected}")
        return value


@dataclass(frozen=True)
class PointField(FieldForm):
    """Three lengths."""

    of: str = "length"
    kind: str = "array (3,)"

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """Value as an array (3,)."""
        return numbers(value, what, f"three numbers {self.unit}", n=3, error=error)


@dataclass(frozen=True)
class DirectionField(FieldForm):
    """The name of an axis, or a vector."""

    kind: str = "str or array (3,)"

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """Value as a unit vector (3,)."""
        try:
            return unit_axis(value, what)
        except ModelError as fault:
            raise error(str(fault)) from None


@dataclass(frozen=True)
class ChoiceField(FieldForm):
    """One of several words."""

    _: KW_ONLY
    options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        words = ", ".join(f'"{x}"' for x in self.options)
        object.__setattr__(self, "kind", "{" + words + "}")

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """The word."""
        return choice(value, what, self.options, error=error)


@dataclass(frozen=True)
class TextField(FieldForm):
    """A name."""

    kind: str = "str"

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """Value as text."""
        return text(value, what, error=error)


@dataclass(frozen=True)
class SwitchField(FieldForm):
    """On or off."""

    kind: str = "bool"

    def check(self, value: Any, what: str, error: Refusal) -> Any:
        """Value as a bool."""
        return switch(value, what, error=error)


# Classes of declared fields


def declare(form: FieldForm, words: str, *, default: Any = dataclasses.MISSING) -> Any:
    """Declaration of a field: its form, what it is, and its default.

    In the documentation the unit stands where the words have "[]", or at their end.
    """
    return dataclasses.field(default=default, metadata={"form": form, "words": words})


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(declare,))
def declared(*, eq: bool = False) -> Callable[[type[T]], type[T]]:
    """Decorator: a frozen dataclass whose documentation has the declared fields.

    Its attribute `file_fields` has the forms of those that it adds to the class it is derived from,
    by name.  `check_fields` checks all of them; a class calls it in `__post_init__`.
    """

    def decorated(cls: type[T]) -> type[T]:
        words = cls.__doc__
        new: Any = dataclass(frozen=True, eq=eq)(cls)
        bases = [x for x in cls.__mro__[1:] if dataclasses.is_dataclass(x)]
        inherited = {f.name for x in bases for f in dataclasses.fields(x)}
        entries = [f for f in dataclasses.fields(new) if "form" in f.metadata]
        entries.sort(key=lambda f: f.name in inherited)
        forms = {f.name: f.metadata["form"] for f in entries}
        new.file_fields = {name: x for name, x in forms.items() if name not in inherited}
        new.declared_fields = [
            (f.name, form, f.default is None and not form.takes_none)
            for f in dataclasses.fields(new)
            if (form := forms.get(f.name))
        ]
        if words is not None:  # it is with -OO
            new.__doc__ = _with_parameters(inspect.cleandoc(words), entries)
        return cls

    return decorated


def check_fields(part: Any, label: str, error: Refusal = ModelError) -> None:
    """Check the declared fields of an object and store what the checks return.

    A field whose default is None may be None.  `label` names the object in errors.
    """
    for name, form, optional in getattr(part, "declared_fields", ()):
        value = getattr(part, name)
        if value is not None or not optional:
            keep(part, **{name: form.check(value, f"{label}: {name}", error)})


def keep(part: Any, **values: Any) -> None:
    """Store checked values in the fields of a frozen dataclass; arrays become read-only."""
    for name, value in values.items():
        stored = read_only(value) if isinstance(value, np.ndarray) else value
        object.__setattr__(part, name, stored)


def _with_parameters(words: str, entries: Sequence[dataclasses.Field[Any]]) -> str:
    """Documentation of a class with the section of its declared fields."""
    lines = ["Parameters", "-" * 10]
    for entry in entries:
        form, about = entry.metadata["form"], entry.metadata["words"]
        lines.append(f"{entry.name} : {form.kind}{', optional' if entry.default is None else ''}")
        if form.unit and "[" not in about:
            about = f"{about.rstrip('.')} []."
        about = about.replace("[]", form.unit)
        lines += textwrap.wrap(about, _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 4)
    first = _SECTION.search(words)
    at = first.start() if first else len(words)
    pieces = (words[:at].rstrip(), "\n".join(lines), words[at:])
    return "\n\n".join(x for x in pieces if x)
