"""Joints as words and numbers, and back to the last bit; numbers of many parts in one array."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ...errors import ResultError
from ...joints import CompoundJoint, Joint, SimpleJoint, Slide, Turn, Twist
from ...joints.base import joint_classes, parameter_kinds
from ...joints.factored import Product

Array = np.ndarray
T = TypeVar("T")

OWN = __name__.partition(".")[0]  # package of the joints that need no import of the user's


class UnknownJointError(Exception):
    """A joint of a class that is not defined in this process; its argument is the name."""


def floats(values: Any) -> Array:
    """Array of eight-byte floats."""
    return np.array(values, dtype="<f8")


def joined(pieces: list[Any]) -> Array:
    """All numbers of all pieces, one after another."""
    return np.concatenate([floats(p).ravel() for p in pieces]) if pieces else np.zeros(0)


class Numbers:
    """Flat array from which pieces are taken in turn."""

    def __init__(self, values: Any) -> None:
        self.values = np.array(values, dtype=float).ravel()
        self.used = 0

    def check_used(self) -> None:
        """Refuse numbers that nobody took."""
        if self.used < len(self.values):
            raise ValueError("an array is too long")

    def take(self, *shape: int) -> Any:
        """Next numbers in a shape; without one, a float."""
        size = int(np.prod(shape, dtype=int))
        piece = self.values[self.used : self.used + size]
        if size < 0 or len(piece) < size:
            raise ValueError("an array is too short")
        self.used += size
        return piece.reshape(shape) if shape else float(piece[0])


def described_joint(where: str, joint: Joint) -> tuple[list[Any], list[Any]]:
    """Kind (and the sizes of what has no fixed size), parameters."""
    kind = type(joint).__name__
    if joint_classes().get(kind) is not type(joint):
        raise ResultError(
            f"{where}: a joint of type {kind} cannot be stored in a file; make the class a "
            "dataclass (frozen=True, eq=False) of its own name whose fields are numbers or arrays"
        )
    if isinstance(joint, Product):
        factors = [[type(f).__name__, f.q] for f in joint.factors]
        return [kind, factors, [*map(list, joint.coordinates)]], [
            x for f in joint.factors for x in f[1:]
        ]
    if isinstance(joint, (SimpleJoint, CompoundJoint)):
        # The order in memory decides in which order products are summed, and so the last bit.
        sizes = [[H.shape[1], "C" if H.flags.c_contiguous else "F"] for H in joint.maps]
        return [kind, *sizes], [*joint.maps]
    values = [_stored(where, joint, name, value) for name, value in joint.parameters.items()]
    sizes = [
        list(np.shape(value))
        for value, about in zip(values, parameter_kinds(type(joint)).values(), strict=True)
        if about["kind"] == "values"
    ]
    return [kind, *([sizes] if sizes else [])], values


def _stored(where: str, joint: Joint, name: str, value: Any) -> Any:
    if np.asarray(value).dtype.kind not in "fiub":
        raise ResultError(
            f"{where}: {name} of its joint ({type(joint).__name__}) is {value!r}, which cannot be "
            "stored in a file; use numbers and arrays of numbers as parameters of a joint"
        )
    return value


def restored_joint(words: list[Any], numbers: Numbers) -> Joint:
    """Joint of its kind, its parameters taken from the numbers."""
    kind = joint_classes().get(words[0])
    if kind is None:
        raise UnknownJointError(str(words[0]))
    if kind is Product:
        return _restored_product(words, numbers)
    if kind in (SimpleJoint, CompoundJoint):
        return _restored_maps(kind, words, numbers)
    about = parameter_kinds(kind)
    sizes = iter(words[1] if len(words) > 1 else [])
    shapes = {"direction": lambda: (3,), "number": lambda: (), "values": lambda: next(sizes)}
    values = {name: numbers.take(*shapes[x["kind"]]()) for name, x in about.items()}
    if kind.__module__.startswith(OWN):
        # Constructors would normalise an axis once more and move its last bit.
        return _bare_instance(kind, **values)
    return kind(**values)


def _restored_product(words: list[Any], numbers: Numbers) -> Joint:
    makers: dict[str, Any] = {
        "Turn": lambda q: Turn(q, numbers.take(3), numbers.take()),
        "Slide": lambda q: Slide(q, numbers.take(3)),
        "Twist": lambda q: Twist(q, numbers.take(6)),
    }
    _, factors, names = words
    if sorted(q for _, q in factors) != list(range(len(names))):
        raise ValueError(f"the coordinates of a joint are {factors}")
    parts = tuple(makers[kind](q) for kind, q in factors)
    return Product(parts, tuple((str(name), str(unit)) for name, unit in names))


def _restored_maps(kind: type[Joint], words: list[Any], numbers: Numbers) -> Joint:
    if not (len(words) > 1 and sum(n for n, _ in words[1:]) <= 6 and all(n for n, _ in words[1:])):
        raise ValueError(f"the sizes of a joint are {words[1:]}")
    parts = [
        _bare_instance(SimpleJoint, columns=np.array(numbers.take(6, n), order=order))
        for n, order in words[1:]
    ]
    return parts[0] if kind is SimpleJoint else _bare_instance(CompoundJoint, parts=tuple(parts))


def _bare_instance(kind: type[T], **values: Any) -> T:
    instance = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(instance, name, value)
    return instance
