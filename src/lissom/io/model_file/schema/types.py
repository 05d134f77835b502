"""Field types of model files, validated before pydantic's own checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict
from pydantic_core import PydanticCustomError

from ....errors import name_list
from ....spatial.given import rotation_of
from ..units import (
    Dimension,
    NumberWithUnit,
    UnitError,
    article,
    described,
    expected_words,
    quantity,
)

LARGEST_ARRAY = 2_000_000  # most numbers of an array in a model file
_REFERENCE = re.compile(r"(?P<file>.+?\.npz):(?P<key>.+)", re.DOTALL)
FUNCTION = re.compile(r"[^\s:]+:[A-Za-z_]\w*")


class TableType(BaseModel):
    """A table of a model file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Reference(str):
    """Text "file.npz:key" that refers to an array."""

    @property
    def parts(self) -> tuple[str, str]:
        """File and key."""
        found = _REFERENCE.fullmatch(self)
        return (found["file"], found["key"]) if found else ("", "")


def fault(message: str) -> PydanticCustomError:
    """Error raised by a validator; the message follows the key."""
    return PydanticCustomError("lissom", "{words}", {"words": message})


def _checked(given: Any, expected: Sequence[Dimension], infinite: bool = False) -> NumberWithUnit:
    try:
        return quantity(given, expected, infinite=infinite)
    except UnitError as error:
        raise fault(str(error)) from None


def number_of(
    *expected: Dimension,
    least: float | None = None,
    above: float | None = None,
    infinite: bool = False,
) -> BeforeValidator:
    """Validator of a number.

    Parameters
    ----------
    *expected : str
        Accepted dimensions.
    least, above : float, optional
        Inclusive and exclusive lower bound.
    infinite : bool
        Whether the number may be infinite.
    """

    def validate(given: Any) -> NumberWithUnit:
        value = _checked(given, expected, infinite)
        if least is not None and value < least:
            words = "not be negative" if least == 0 else f"be at least {least:g}"
            raise fault(f"is {described(given)}; it must {words}")
        if above is not None and value <= above:
            words = "be positive" if above == 0 else f"be greater than {above:g}"
            raise fault(f"is {described(given)}; it must {words}")
        return value

    return BeforeValidator(validate)


def _row(given: Any, expected: Sequence[Dimension], n: int | None) -> list[NumberWithUnit]:
    if not isinstance(given, list) or (n is not None and len(given) != n):
        count = "a list" if n is None else f"a list of {n}"
        words = expected_words(expected)
        raise fault(f"is {described(given)}; expected {count}, each entry {article(words)} {words}")
    row = []
    for k, entry in enumerate(given):
        try:
            row.append(quantity(entry, expected))
        except UnitError as error:
            raise fault(f"entry {k} {error}") from None
    return row


def vector_of(*expected: Dimension, n: int = 3) -> BeforeValidator:
    """Validator of a list of n numbers."""
    return BeforeValidator(lambda given: _row(given, expected, n))


def one_or_more(*expected: Dimension, infinite: bool = False) -> BeforeValidator:
    """Validator of a number or a list of numbers."""

    def validate(given: Any) -> Any:
        if isinstance(given, list):
            return _row(given, expected, None)
        return _checked(given, expected, infinite)

    return BeforeValidator(validate)


def array_of(*expected: Dimension, ndim: Sequence[int]) -> BeforeValidator:
    """Validator of an array as nested lists, or of a Reference to an .npz file.

    Parameters
    ----------
    *expected : str
        Accepted dimensions of the numbers.
    ndim : sequence of int
        Accepted depths of nesting.
    """

    def validate(given: Any) -> Any:
        if isinstance(given, str) and _REFERENCE.fullmatch(given):
            return Reference(given)
        shape, flat = _flat(given)
        if len(shape) not in ndim:
            depths = " or ".join(map(str, ndim))
            raise fault(
                f"is {described(given)}, with {len(shape)} levels of lists; expected {depths} "
                'levels, or the text "file.npz:key"'
            )
        try:
            numbers = [quantity(x, expected) for x in flat]
        except UnitError as error:
            raise fault(f"an entry {error}") from None
        return np.array(numbers, dtype=float).reshape(shape)

    return BeforeValidator(validate)


def _flat(given: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and entries of nested lists."""
    shape: list[int] = []
    level = [given]
    while level and all(isinstance(x, list) for x in level):
        lengths = {len(x) for x in level}
        if len(lengths) > 1:
            found = name_list(sorted(lengths))
            raise fault(f"has rows of different lengths: {found}; give rows of equal length")
        shape.append(lengths.pop())
        level = [entry for x in level for entry in x]
        if len(level) > LARGEST_ARRAY:
            raise fault(f"has more than {LARGEST_ARRAY} numbers; put them into an .npz file")
    return tuple(shape), level


def whole(least: int = 0, most: int = 1_000_000_000) -> BeforeValidator:
    """Validator of a whole number within limits."""

    def validate(given: Any) -> int:
        if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
            found = described(given)
            raise fault(f"is {found}; expected a whole number from {least} to {most}")
        return given

    return BeforeValidator(validate)


def one_or_two(least: int, most: int) -> BeforeValidator:
    """Validator of a whole number within limits, or of two of them."""
    limits = f"a whole number from {least} to {most}"

    def good(given: Any) -> bool:
        return not isinstance(given, bool) and isinstance(given, int) and least <= given <= most

    def validate(given: Any) -> Any:
        numbers = given if isinstance(given, list) and len(given) == 2 else [given]
        if not all(map(good, numbers)):
            raise fault(f"is {described(given)}; expected {limits}, or a list of two")
        return given

    return BeforeValidator(validate)


def _text(expected: str, good: Callable[[str], bool]) -> BeforeValidator:
    def validate(given: Any) -> str:
        if not isinstance(given, str) or not 0 < len(given) <= 1000 or not good(given):
            raise fault(f"is {described(given)}; expected {expected}")
        return given

    return BeforeValidator(validate)


def _direction(given: Any) -> Any:
    if isinstance(given, str) and given in ("x", "y", "z"):
        return given
    if not isinstance(given, list) or len(given) != 3:
        raise fault(f'is {described(given)}; expected "x", "y", "z" or a list of three numbers')
    row = _row(given, ("number",), 3)
    if not any(row):
        raise fault("is zero; give a direction")
    return row


def _switch(given: Any) -> bool:
    if not isinstance(given, bool):
        raise fault(f"is {described(given)}; expected true or false")
    return given


def _words(given: Any) -> str:
    if not isinstance(given, str):
        raise fault(f"is {described(given)}; expected text")
    return given


_ROTATION_FORMS = (
    "expected three rows of three numbers, {quaternion = [w, x, y, z]}, "
    '{axis = "z", angle = "30 deg"} or {rpy = [roll, pitch, yaw]}'
)


def _rotation(given: Any) -> Any:
    """Rotation matrix from any of the four forms."""
    if isinstance(given, list):
        shape, _ = _flat(given)
        if shape != (3, 3):
            raise fault(f"has shape {shape}; {_ROTATION_FORMS}")
        return np.array([_row(row, ("number",), 3) for row in given], dtype=float)
    if not isinstance(given, dict):
        raise fault(f"is {described(given)}; {_ROTATION_FORMS}")
    if set(given) == {"axis", "angle"}:
        angle = _checked(given["angle"], ("angle",))
        words: dict[str, Any] = {"axis": _direction(given["axis"]), "angle": float(angle)}
    elif set(given) == {"quaternion"}:
        words = {"quaternion": _row(given["quaternion"], ("number",), 4)}
    elif set(given) == {"rpy"}:
        words = {"rpy": [float(x) for x in _row(given["rpy"], ("angle",), 3)]}
    else:
        keys = f"the keys {name_list(given)}" if given else "no keys"
        raise fault(f"has {keys}; {_ROTATION_FORMS}")
    try:
        return rotation_of(words)
    except ValueError as error:
        raise fault(str(error)) from None


Name = Annotated[Any, _text("a name as text without a dot", lambda x: "." not in x)]
Place = Annotated[Any, _text('"body", "body.node" or a frame as text', lambda x: x[0] != ".")]
Words = Annotated[Any, BeforeValidator(_words)]
FunctionName = Annotated[
    Any, _text('"file.py:name" or "module:name"', lambda x: bool(FUNCTION.fullmatch(x)))
]
ArrayFile = Annotated[Any, _text("the name of an .npz file", lambda x: x.endswith(".npz"))]
BodyFile = Annotated[Any, _text("the name of a .nc file", lambda x: x.endswith(".nc"))]
Direction = Annotated[Any, BeforeValidator(_direction)]
Switch = Annotated[Any, BeforeValidator(_switch)]
Rotation = Annotated[Any, BeforeValidator(_rotation)]
Length = Annotated[Any, number_of("length", above=0)]
Point = Annotated[Any, vector_of("length")]
Mass = Annotated[Any, number_of("mass", least=0)]
