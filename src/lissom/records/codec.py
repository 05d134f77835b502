"""One codec of all records: words and numbers of a record, and the record back to the last bit.

Words are JSON.  A record is ``{kind: {field: words}}``, its kind a name of `KINDS`, its fields
those of its class; fields that have their default None, False or () are left out.  An array is its
shape, ``{"f": shape}`` of floats, ``{"F": shape}`` if the columns lie in order in memory, ``{"i":
shape}`` of whole numbers; its numbers are the next ones of two flat arrays, "floats" and "whole".
A tuple is a list, a dictionary ``{"map": [[key, words], ...]}``, and a shared record that occurs
again ``{"same": k}``, the k-th of them.

Nothing is computed from what a file says, and nothing that it names is imported or called but the
classes of `KINDS` and joints that the user has defined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import numpy as np

from .. import joints
from ..bodies import Lump, MassIntegrals, NormalBody, SecondOrder
from ..bodies.balance import Balance
from ..bodies.line import NodeLine
from ..bodies.recovery import KnownSection, Recovery, Stations, StressPoints
from ..bodies.residual import ResidualCompliance
from ..bodies.rod_tables import RodTables
from ..bodies.solids import SOLIDS
from ..errors import ResultError
from ..fields import keep
from ..immutable import freeze
from ..joints import Joint, Slide, Turn, Twist
from ..joints.base import joint_classes
from ..joints.factored import Product
from ..shapes import ContactShape
from ..system import SHAPES, Coupling, Frame, Loop, LoopEnd, PlacedShape, System

Array = np.ndarray

# Names of the kinds of records in files: they stay when a class gets another name.  A new kind or
# field needs a new `FORMAT_VERSION`.  Joints that are not here go by the names of their classes.
KINDS: dict[str, Any] = {
    "system": System,
    "frame": Frame,
    "loop": Loop,
    "end": LoopEnd,
    "coupling": Coupling,
    "body": NormalBody,
    "integrals": MassIntegrals,
    "lump": Lump,
    "second_order": SecondOrder,
    "rod": RodTables,
    "line": NodeLine,
    "residual": ResidualCompliance,
    "recovery": Recovery,
    "points": StressPoints,
    "stations": Stations,
    "section": KnownSection,
    "balance": Balance,
    "turn": Turn,
    "slide": Slide,
    "twist": Twist,
    "product": Product,
    "compoundjoint": joints.CompoundJoint,
    "cylindrical": joints.Cylindrical,
    "fixed": joints.Fixed,
    "free": joints.Free,
    "planar": joints.Planar,
    "prismatic": joints.Prismatic,
    "revolute": joints.Revolute,
    "rolling": joints.Rolling,
    "rollingball": joints.RollingBall,
    "screw": joints.Screw,
    "simplejoint": joints.SimpleJoint,
    "skate": joints.Skate,
    "spherical": joints.Spherical,
    "universal": joints.Universal,
    **SOLIDS,
    "placed_shape": PlacedShape,
    **{f"{name}_shape": kind for name, kind in SHAPES.items()},
}
_NAMES = {kind: name for name, kind in KINDS.items()}
OWN = "joint "  # prefix of the name of a joint's class that the user has defined
_SHARED = (NormalBody, KnownSection)  # written once, however often they occur
_LEFT_OUT = (None, False, ())
_PLAIN = (type(None), bool, str, int, float)

# Lengths of dimensions, and the array that has shown each first.  These always have one length,
# each other name has one within a record and its parts.
Lengths = dict[str, tuple[int, str]]
LENGTHS: Lengths = dict.fromkeys(("six", "component"), (6, "")) | {
    **dict.fromkeys(("axis", "stress"), (3, "")),
    **dict.fromkeys(("plane", "constant"), (2, "")),
}
_SAME = {"other_axis": "axis", "other_mode": "mode", "contact_column": "contact_row"}


class UnknownRecordError(Exception):
    """A kind of record, or a field, that this lissom does not know; its argument says which."""


class _Field(NamedTuple):
    default: Any
    convert: Callable[[Any], Any]  # of a value that is written
    hint: Any  # type of a value that was read
    dimensions: tuple[str, ...] | None = None  # of an array


@cache
def _fields(kind: Any) -> dict[str, _Field]:
    """What is written of a record: its fields, or those of its constructor."""
    if not is_dataclass(kind):
        return {name: _OF_FACTOR[name] for name in kind._fields}
    of_user = kind not in _NAMES
    hints = {} if of_user else get_type_hints(kind)
    entries = {}
    for f in fields(kind):
        hint, about = hints.get(f.name, Any), f.metadata
        convert: Callable[[Any], Any] = _as_it_is
        if about.get("kind") == "number":
            hint = float
        if hint in (float, int):
            convert = hint
        elif "dimensions" in about:
            convert = _whole_numbers if about.get("whole") else _floats
            if get_origin(hint) is None:  # one array, not many by name
                hint = Array | None if f.default is None else Array
        elif of_user:
            convert = _number_or_floats
        if f.init:
            entries[f.name] = _Field(f.default, convert, hint, about.get("dimensions"))
    return entries


def _as_it_is(value: Any) -> Any:
    return value


def _floats(value: Any) -> Any:
    return value if value is None or isinstance(value, Mapping) else np.asarray(value, "<f8")


def _whole_numbers(value: Any) -> Any:
    return np.asarray(value, "<i8")


def _number_or_floats(value: Any) -> Any:
    return float(value) if np.ndim(value) == 0 else _floats(value)


_OF_FACTOR = {  # fields of turns, slides and twists
    "q": _Field(MISSING, int, int),
    "pitch": _Field(MISSING, float, float),
    "axis": _Field(MISSING, _floats, Array, ("axis",)),
    "motion": _Field(MISSING, _floats, Array, ("six",)),
}


# Writing


def encode(record: Any, *, without: frozenset[str] = frozenset()) -> tuple[Any, dict[str, Array]]:
    """Words of a record, and its floats and whole numbers; `without`: fields to leave out."""
    encoder = _Encoder(without)
    words = encoder.words(record)
    return words, {
        name: np.concatenate([np.zeros(0, _STORED[name]), *pieces])
        for name, pieces in encoder.pieces.items()
    }


_STORED = {"floats": "<f8", "whole": "<i8"}


class _Encoder:
    def __init__(self, without: frozenset[str]) -> None:
        self.without = without
        self.pieces: dict[str, list[Array]] = {name: [] for name in _STORED}
        self.shared: dict[int, tuple[int, Any]] = {}  # by identity: number, and the record itself

    def words(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is np.ndarray:
            return self._array(value)
        if kind in _NAMES or isinstance(value, Joint) or hasattr(value, "stress_points"):
            return self._record(value)
        if isinstance(value, Mapping):
            return {"map": [[self.words(k), self.words(x)] for k, x in value.items()]}
        if isinstance(value, (tuple, list, range)):
            return [self.words(x) for x in value]
        if isinstance(value, np.generic):
            return self.words(value.item())
        raise ResultError(f"a {type(value).__name__} cannot be stored in a file: {value!r}")

    def _array(self, value: Array) -> dict[str, list[int]]:
        if value.dtype.kind not in "fiu":
            raise ResultError(f"an array of type {value.dtype} cannot be stored; give numbers")
        whole = value.dtype.kind != "f"
        # The order in memory decides in which order products are summed, and so the last bit.
        tag = "i" if whole else "F" if value.flags.fnc else "f"
        self.pieces["whole" if whole else "floats"].append(value.ravel("F" if tag == "F" else "C"))
        return {tag: list(value.shape)}

    def _record(self, value: Any) -> dict[str, Any]:
        if id(value) in self.shared:
            return {"same": self.shared[id(value)][0]}
        kind: Any = type(value)
        name = _NAMES.get(kind) or f"{OWN}{kind.__name__}"
        written = value
        if kind not in _NAMES and not isinstance(value, Joint):
            name, written = "section", _known_section(value)
        words = {}
        for field, f in _fields(KINDS.get(name, kind)).items():
            part = getattr(written, field)
            usual = part is f.default and any(part is x for x in _LEFT_OUT)
            if field not in self.without and not usual:
                words[field] = self.words(f.convert(part))
        if isinstance(written, _SHARED):
            self.shared[id(value)] = (len(self.shared), value)
        return {name: words}


def _known_section(section: Any) -> KnownSection:
    """What is left of a cross-section of any kind: its points with known stress."""
    points = section.stress_points()
    return KnownSection(points.places, points.factors)


def check_storable(where: str, joint: Joint) -> None:
    """Refuse a joint that could not be made again from a file."""
    kind = type(joint)
    if kind in _NAMES:
        return
    if joint_classes().get(kind.__name__) is not kind:
        raise ResultError(
            f"{where}: a joint of type {kind.__name__} cannot be stored in a file; make the class "
            "a dataclass (frozen=True, eq=False) of its own name whose fields are numbers or arrays"
        )
    for name, value in joint.parameters.items():
        if np.asarray(value).dtype.kind not in "fiub":
            raise ResultError(
                f"{where}: {name} of its joint ({kind.__name__}) is {value!r}, which cannot be "
                "stored in a file; use numbers and arrays of numbers as parameters of a joint"
            )


# Reading


def decode(words: Any, arrays: Mapping[str, Array]) -> Any:
    """Record of its words and numbers; ValueError or UnknownRecordError if they do not fit."""
    decoder = _Decoder(arrays)
    record = decoder.value(words)
    decoder.check_used()
    return record


class _Decoder:
    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self.left = {name: np.asarray(arrays[name], kind) for name, kind in _STORED.items()}
        self.shared: list[Any] = []

    def check_used(self) -> None:
        """Refuse numbers that belong to nothing."""
        if any(len(values) for values in self.left.values()):
            raise ValueError("an array is too long")

    def value(self, words: Any) -> Any:
        if isinstance(words, list):
            return tuple(self.value(x) for x in words)
        if not isinstance(words, dict):
            return words
        ((tag, content),) = words.items()
        if tag in ("f", "F", "i"):
            return self._array(tag, content)
        if tag == "map":
            return {k: self.value(x) for k, x in content}
        if tag == "same":
            if type(content) is not int or not 0 <= content < len(self.shared):
                raise ValueError(f"the shared record {content!r} does not exist")
            return self.shared[content]
        return self._record(tag, content)

    def _array(self, tag: str, shape: list[int]) -> Array:
        if not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"an array has the shape {shape}")
        name = "whole" if tag == "i" else "floats"
        size = math.prod(shape)
        piece, self.left[name] = self.left[name][:size], self.left[name][size:]
        if len(piece) < size:
            raise ValueError("an array is too short")
        return piece.reshape(shape, order="F" if tag == "F" else "C").copy(order="K")

    def _record(self, name: str, content: dict[str, Any]) -> Any:
        kind = kind_named(name)
        values, expected = {}, _fields(kind)
        for key, words in content.items():
            if key not in expected:
                raise UnknownRecordError(f"the field {key!r} in a record of the kind {name!r}")
            value, hint = self.value(words), expected[key].hint
            values[key] = value
            if type(value) is not hint and not _fits(value, hint):
                raise ValueError(f"{key} of a record of the kind {name!r} is {str(value)[:50]}")
        record = new_record(kind, values)
        if kind in _SHARED:
            self.shared.append(record)
        return record


def kind_named(name: str) -> Any:
    """Class of a kind of record, or of a joint that the user has defined."""
    kind = KINDS.get(name)
    if kind is None and name.startswith(OWN):
        kind = joint_classes().get(name.removeprefix(OWN))
    if kind is None:
        raise UnknownRecordError(f"a record of the kind {name!r}")
    return kind


def new_record(kind: Any, values: dict[str, Any]) -> Any:
    """Record of its values; of a joint the constructor would change the order of maps in memory."""
    for name, f in _fields(kind).items():
        if name not in values:
            if f.default is MISSING:
                raise ValueError(f"a {kind.__name__} has no {name}")
            values[name] = f.default
    if issubclass(kind, ContactShape):
        shape = kind(**values)  # which checks them, and may divide a unit vector by its length
        keep(shape, **values)
        return shape
    if kind not in _NAMES or not issubclass(kind, Joint):
        return kind(**values)
    joint = object.__new__(kind)
    vars(joint).update(values)
    freeze(joint)
    return joint


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type that a class declares."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin in (Union, UnionType):
        return any(_fits(value, x) for x in inner)
    if origin is not None and not isinstance(value, origin):
        return False
    if origin is tuple:
        rest = inner[:1] * len(value) if inner[-1:] == (...,) else inner
        return len(rest) == len(value) and all(map(_fits, value, rest))
    if origin is not None:  # a dictionary
        return all(_fits(k, inner[0]) and _fits(x, inner[1]) for k, x in value.items())
    if hint in (float, int):
        return type(value) in (int, hint)
    return value is None if hint is None else isinstance(value, hint)


def check_lengths(record: Any, lengths: Lengths = LENGTHS) -> None:
    """Refuse arrays that do not fit each other, in a record and its parts."""
    lengths = dict(lengths)
    parts: list[Any] = []
    kind: Any = type(record)
    for name, f in _fields(kind).items():
        value = getattr(record, name)
        if f.dimensions is None:
            parts += value if isinstance(value, tuple) else [value]
            continue
        for array in value.values() if isinstance(value, Mapping) else [value]:
            if array is None and f.default is None:
                continue
            if array.dtype.kind != ("i" if f.convert is _whole_numbers else "f"):
                raise ValueError(f"{name} has numbers of another kind")
            if reason := misfit(name, array, f.dimensions, lengths):
                raise ValueError(reason)
    for part in {id(x): x for x in parts if type(x) in _NAMES or isinstance(x, Joint)}.values():
        check_lengths(part, lengths)


def misfit(name: str, array: Array, dimensions: tuple[str, ...], lengths: Lengths) -> str | None:
    """Why an array does not fit; otherwise the `lengths` of its dimensions are noted."""
    if array.ndim != len(dimensions):
        needed = " x ".join(dimensions) or "one number"
        return f"{name!r} has {array.ndim} dimensions; expected {needed}"
    for dimension, size in zip(dimensions, array.shape, strict=True):
        expected, first = lengths.setdefault(_SAME.get(dimension, dimension), (size, name))
        if size != expected:
            reference = f" as in {first!r}" if first else ""
            return f"{name!r} has {size} entries along {dimension}; expected {expected}{reference}"
    return None
