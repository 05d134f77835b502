"""Immutable dataclasses, with read-only arrays and dictionaries.

The compiled kernels keep a copy of the constants of a system.  If a system, a body or a joint could
change, the reference implementation and the kernels would compute different mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import FrozenInstanceError, fields
from functools import wraps
from typing import Any, Never, TypeVar

import numpy as np

T = TypeVar("T")


class FixedDict(dict[Any, Any]):
    """Read-only dictionary."""

    def _refuse(self, *_: Any, **__: Any) -> Never:
        raise TypeError("this dictionary is read-only; make a copy: dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by construction."""
        return FixedDict, (dict(self),)


def read_only(values: np.ndarray) -> np.ndarray:
    """The array, made read-only; a copy if it is a view of another array."""
    if isinstance(values.base, np.ndarray) and values.base.flags.writeable:
        values = values.copy(order="K")
    values.flags.writeable = False
    return values


def freeze(thing: Any) -> None:
    """Make the arrays and dictionaries in the fields of a dataclass read-only."""
    for field in fields(thing):
        value = getattr(thing, field.name)
        if isinstance(value, np.ndarray):
            object.__setattr__(thing, field.name, read_only(value))
        elif type(value) is dict:
            object.__setattr__(thing, field.name, FixedDict(value))


def array_of(unit: str, *dimensions: str, whole: bool = False) -> dict[str, Any]:
    """Metadata of a field that holds an array: its unit and the names of its dimensions.

    A name has one length within a record and the records in it; `whole`: of whole numbers.
    """
    return {"unit": unit, "dimensions": dimensions, "whole": whole}


def declared_arrays(kind: Any, but: Collection[str] = ()) -> dict[str, Any]:
    """Metadata of the fields of a dataclass that hold arrays."""
    arrays = {f.name: f.metadata for f in fields(kind) if "dimensions" in f.metadata}
    return {name: about for name, about in arrays.items() if name not in but}


def immutable(remedy: str) -> Callable[[type[T]], type[T]]:
    """Decorator for a frozen dataclass: arrays are read-only, and a copy is the object itself.

    Parameters
    ----------
    remedy : str
        Alternative to changing the object, for error messages.
    """

    def decorated(cls: type[T]) -> type[T]:
        frozen: Any = cls
        first = frozen.__init__

        @wraps(first)
        def init(self: Any, *values: Any, **named: Any) -> None:
            first(self, *values, **named)
            freeze(self)

        def refuse(self: Any, name: str, *_: Any) -> Never:
            raise FrozenInstanceError(_words(self, name, remedy))

        def setstate(self: Any, state: dict[str, Any]) -> None:
            self.__dict__.update(state)
            freeze(self)

        frozen.__init__, frozen.__setstate__ = init, setstate
        frozen.__setattr__, frozen.__delattr__ = refuse, refuse
        frozen.__copy__ = lambda self: self
        frozen.__deepcopy__ = lambda self, memo: self
        return cls

    return decorated


def _words(thing: Any, name: str, remedy: str) -> str:
    kind = type(thing).__name__
    article = "an" if kind[0] in "AEIOU" else "a"
    return f"{article} {kind} is immutable, {name!r} cannot be set; {remedy}"
