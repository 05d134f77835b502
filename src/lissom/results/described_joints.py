"""Joints as words and numbers, and back to the last bit; numbers of many parts in one array."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ..errors import ResultError
from ..joints import (
    CompoundJoint,
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    SimpleJoint,
    Spherical,
    Universal,
)

__all__ = ["PARAMETERS", "Numbers", "described_joint", "floats", "joined", "restored_joint"]

Array = np.ndarray
T = TypeVar("T")

# Parameters of the joints and their shapes; simple and compound joints have maps instead.
PARAMETERS: dict[type[Joint], dict[str, tuple[int, ...]]] = {
    Fixed: {},
    Revolute: {"axis": (3,)},
    Prismatic: {"axis": (3,)},
    Screw: {"axis": (3,), "pitch": ()},
    Cylindrical: {"axis": (3,)},
    Universal: {"axis1": (3,), "axis2": (3,)},
    Spherical: {},
    Planar: {"normal": (3,)},
    Free: {},
    SimpleJoint: {},
    CompoundJoint: {},
}
_KINDS = {kind.__name__: kind for kind in PARAMETERS}


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
    """Kind (and sizes of maps), parameters.

    Parameters
    ----------
    where : str
        Whose joint it is, for an error.
    joint : Joint
        Which.
    """
    if type(joint) not in PARAMETERS:
        raise ResultError(
            f"{where}: a joint of type {type(joint).__name__} cannot be stored in a file; "
            f"known: {', '.join(_KINDS)}"
        )
    kind = type(joint).__name__
    if not isinstance(joint, (SimpleJoint, CompoundJoint)):
        return [kind], [getattr(joint, p) for p in PARAMETERS[type(joint)]]
    parts = joint.parts if isinstance(joint, CompoundJoint) else (joint,)
    # The order in memory decides in which order products are summed, and so the last bit.
    orders = ["C" if part.columns.flags.c_contiguous else "F" for part in parts]
    sizes = [[part.n_v, order] for part, order in zip(parts, orders, strict=True)]
    return [kind, *sizes], [part.columns for part in parts]


def restored_joint(words: list[Any], numbers: Numbers) -> Joint:
    """Joint of its kind, its parameters taken from the numbers.

    Parameters
    ----------
    words : list
        As `described_joint` gave them.
    numbers : Numbers
        Parameters of this joint and of those that follow.
    """
    kind = _KINDS[words[0]]
    if kind not in (SimpleJoint, CompoundJoint):
        # Constructors would normalise an axis once more and move its last bit.
        shapes = PARAMETERS[kind].items()
        return _made(kind, **{name: numbers.take(*shape) for name, shape in shapes})
    if not (len(words) > 1 and sum(n for n, _ in words[1:]) <= 6 and all(n for n, _ in words[1:])):
        raise ValueError(f"the sizes of a joint are {words[1:]}")
    parts = [
        _made(SimpleJoint, columns=np.array(numbers.take(6, n), order=order))
        for n, order in words[1:]
    ]
    return parts[0] if kind is SimpleJoint else _made(CompoundJoint, parts=tuple(parts))


def _made(kind: type[T], **values: Any) -> T:
    made = object.__new__(kind)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made
