"""Field types of model files, validated before pydantic's own checks."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, create_model
from pydantic_core import PydanticCustomError

from ....errors import name_list
from ....fields import (
    ChoiceField,
    DirectionField,
    FieldForm,
    NumberField,
    NumbersField,
    PointField,
    SwitchField,
    TextField,
)
from ....spatial.given import rotation_of
from ....units import Dimension, article
from ..units import (
    NumberWithUnit,
    UnitError,
    described,
    expected_words,
    quantity,
)

LARGEST_ARRAY = 2_000_000  # most numbers of an array in a model file
_REFERENCE = re.compile(r"(?P<file>.+?\.npz):(?P<key>.+)", re.DOTALL)
_SHAPE_OF_ARRAY = re.compile(r"array \((.*)\)")
FUNCTION = re.compile(r"[^\s:]+:[A-Za-z_]\w*")


class TableType(BaseModel):
    """A table of a model file; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


Table = TypeVar("Table", bound=TableType)


class Reference(str):
    """Text "file.npz:key" that refers to an array."""

    @property
    def parts(self) -> tuple[str, str]:
        """File and key."""
        match = _REFERENCE.fullmatch(self)
        return (match["file"], match["key"]) if match else ("", "")


def fault(message: str) -> PydanticCustomError:
    """Error raised by a validator; the message follows the key."""
    return PydanticCustomError("lissom", "{words}", {"words": message})


def _checked(value: Any, expected: Sequence[Dimension], infinite: bool = False) -> NumberWithUnit:
    try:
        return quantity(value, expected, infinite=infinite)
    except UnitError as error:
        raise fault(str(error)) from None


def number_of(
    *expected: Dimension,
    least: float | None = None,
    above: float | None = None,
    infinite: bool = False,
) -> BeforeValidator:
    """Validator of a number."""

    def validate(entry: Any) -> NumberWithUnit:
        value = _checked(entry, expected, infinite)
        if least is not None and value < least:
            words = "not be negative" if least == 0 else f"be at least {least:g}"
            raise fault(f"is {described(entry)}; it must {words}")
        if above is not None and value <= above:
            words = "be positive" if above == 0 else f"be greater than {above:g}"
            raise fault(f"is {described(entry)}; it must {words}")
        return value

    return BeforeValidator(validate)


def _row(values: Any, expected: Sequence[Dimension], n: int | None) -> list[NumberWithUnit]:
    if not isinstance(values, list) or (n is not None and len(values) != n):
        count = "a list" if n is None else f"a list of {n}"
        words = expected_words(expected)
        raise fault(
            f"is {described(values)}; expected {count}, each entry {article(words)} {words}"
        )
    row = []
    for k, entry in enumerate(values):
        try:
            row.append(quantity(entry, expected))
        except UnitError as error:
            raise fault(f"entry {k} {error}") from None
    return row


def vector_of(*expected: Dimension, n: int = 3) -> BeforeValidator:
    """Validator of a list of n numbers."""
    return BeforeValidator(lambda values: _row(values, expected, n))


def one_or_more(*expected: Dimension, infinite: bool = False) -> BeforeValidator:
    """Validator of a number or a list of numbers."""

    def validate(value: Any) -> Any:
        if isinstance(value, list):
            return _row(value, expected, None)
        return _checked(value, expected, infinite)

    return BeforeValidator(validate)


def array_of(*expected: Dimension, ndim: Sequence[int]) -> BeforeValidator:
    """Validator of an array as nested lists, or of a Reference to an .npz file."""

    def validate(value: Any) -> Any:
        if isinstance(value, str) and _REFERENCE.fullmatch(value):
            return Reference(value)
        shape, flat = _flat(value)
        if len(shape) not in ndim:
            depths = " or ".join(map(str, ndim))
            raise fault(
                f"is {described(value)}, with {len(shape)} levels of lists; expected {depths} "
                'levels, or the text "file.npz:key"'
            )
        try:
            numbers = [quantity(x, expected) for x in flat]
        except UnitError as error:
            raise fault(f"an entry {error}") from None
        return np.array(numbers, dtype=float).reshape(shape)

    return BeforeValidator(validate)


def _flat(nested: Any) -> tuple[tuple[int, ...], list[Any]]:
    """Shape and entries of nested lists."""
    shape: list[int] = []
    level = [nested]
    while level and all(isinstance(x, list) for x in level):
        lengths = {len(x) for x in level}
        if len(lengths) > 1:
            listed = name_list(sorted(lengths))
            raise fault(f"has rows of different lengths: {listed}; give rows of equal length")
        shape.append(lengths.pop())
        level = [entry for x in level for entry in x]
        if len(level) > LARGEST_ARRAY:
            raise fault(f"has more than {LARGEST_ARRAY} numbers; put them into an .npz file")
    return tuple(shape), level


def whole(least: int = 0, most: int = 1_000_000_000) -> BeforeValidator:
    """Validator of a whole number within limits."""

    def validate(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            text = described(value)
            raise fault(f"is {text}; expected a whole number from {least} to {most}")
        return value

    return BeforeValidator(validate)


def one_or_two(least: int, most: int) -> BeforeValidator:
    """Validator of a whole number within limits, or of two of them."""
    limits = f"a whole number from {least} to {most}"

    def good(value: Any) -> bool:
        return not isinstance(value, bool) and isinstance(value, int) and least <= value <= most

    def validate(value: Any) -> Any:
        numbers = value if isinstance(value, list) and len(value) == 2 else [value]
        if not all(map(good, numbers)):
            raise fault(f"is {described(value)}; expected {limits}, or a list of two")
        return value

    return BeforeValidator(validate)


def _text(expected: str, good: Callable[[str], bool]) -> BeforeValidator:
    def validate(value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= 1000 or not good(value):
            raise fault(f"is {described(value)}; expected {expected}")
        return value

    return BeforeValidator(validate)


def _direction(value: Any) -> Any:
    if isinstance(value, str) and value in ("x", "y", "z"):
        return value
    if not isinstance(value, list) or len(value) != 3:
        raise fault(f'is {described(value)}; expected "x", "y", "z" or a list of three numbers')
    row = _row(value, ("number",), 3)
    if not any(row):
        raise fault("is zero; give a direction")
    return row


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise fault(f"is {described(value)}; expected true or false")
    return value


def _words(value: Any) -> str:
    if not isinstance(value, str):
        raise fault(f"is {described(value)}; expected text")
    return value


_ROTATION_FORMS = (
    "expected three rows of three numbers, {quaternion = [w, x, y, z]}, "
    '{axis = "z", angle = "30 deg"} or {rpy = [roll, pitch, yaw]}'
)


def _rotation(value: Any) -> Any:
    """Rotation matrix from any of the four forms."""
    if isinstance(value, list):
        shape, _ = _flat(value)
        if shape != (3, 3):
            raise fault(f"has shape {shape}; {_ROTATION_FORMS}")
        return np.array([_row(row, ("number",), 3) for row in value], dtype=float)
    if not isinstance(value, dict):
        raise fault(f"is {described(value)}; {_ROTATION_FORMS}")
    if set(value) == {"axis", "angle"}:
        angle = _checked(value["angle"], ("angle",))
        words: dict[str, Any] = {"axis": _direction(value["axis"]), "angle": float(angle)}
    elif set(value) == {"quaternion"}:
        words = {"quaternion": _row(value["quaternion"], ("number",), 4)}
    elif set(value) == {"rpy"}:
        words = {"rpy": [float(x) for x in _row(value["rpy"], ("angle",), 3)]}
    else:
        keys = f"the keys {name_list(value)}" if value else "no keys"
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


# Tables of classes with declared fields


def annotation(form: FieldForm) -> Any:
    """Type of a declared field, with its validator."""
    match form:
        case TextField():
            return Words
        case PointField():
            return Point
        case DirectionField():
            return Direction
        case ChoiceField():
            return Literal[form.options]
        case SwitchField():
            return Switch
        case NumbersField():
            return Annotated[Any, one_or_more(*form.dimensions, infinite=form.infinite)]
        case NumberField(least=least, above=above, infinite=infinite):
            expected = form.dimensions or ("number",)
            bounds = number_of(*expected, least=least, above=above, infinite=infinite)
            return Annotated[Any, bounds]
    if shape := _SHAPE_OF_ARRAY.fullmatch(form.kind):
        ndim = len([x for x in shape[1].split(",") if x.strip()])
        return Annotated[Any, array_of(*(form.dimensions or ("number",)), ndim=(ndim,))]
    if form.kind == "float":
        return Annotated[Any, number_of("number")]
    raise ValueError(f"a field of the form {type(form).__name__} has no key in files")


def table_of(
    part: Any,
    base: type[Table],
    annotated: Callable[[FieldForm], Any] = annotation,
    leave_out: Sequence[str] = (),
    *,
    tagged: bool = True,
) -> type[Table]:
    """Table with the declared fields of a class; required where the default is no value of it.

    `tagged`: whether it has the key "kind", if the class has a kind in files.
    """
    entries: dict[str, Any] = {}
    if tagged and (kind := getattr(part, "file_kind", "")):
        entries["kind"] = (Literal[kind], ...)
    for field in dataclasses.fields(part):
        form = part.file_fields.get(field.name)
        if form is not None and field.name not in leave_out:
            required = field.default is dataclasses.MISSING or not form.allows(field.default)
            entries[field.name] = (annotated(form), ... if required else field.default)
    return create_model(f"{part.__name__}Table", __base__=base, **entries)
