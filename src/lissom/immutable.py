"""Things that do not change once they are made: their arrays cannot be written to either.

The compiled kernels keep the constants of a system in arrays of their own.  If a system, a body or
a joint could change, the readable text and the kernels would compute different mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from functools import wraps
from typing import Any, Never, TypeVar

import numpy as np

T = TypeVar("T")


class FixedDict(dict[Any, Any]):
    """Dictionary that cannot be written to."""

    def _refuse(self, *_: Any, **__: Any) -> Never:
        raise TypeError("this dictionary does not change; make another one: dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy by making it again."""
        return FixedDict, (dict(self),)


def read_only(values: np.ndarray) -> np.ndarray:
    """The same array, which nobody can write to any more; a copy if it is a part of another one.

    Parameters
    ----------
    values : array
        Of which the caller is the only owner.
    """
    if isinstance(values.base, np.ndarray) and values.base.flags.writeable:
        values = values.copy(order="K")
    values.flags.writeable = False
    return values


def freeze(thing: Any) -> None:
    """Make the arrays and dictionaries in the fields of a dataclass read-only.

    Parameters
    ----------
    thing : dataclass
        To which the arrays belong alone.
    """
    for field in fields(thing):
        value = getattr(thing, field.name)
        if isinstance(value, np.ndarray):
            object.__setattr__(thing, field.name, read_only(value))
        elif type(value) is dict:
            object.__setattr__(thing, field.name, FixedDict(value))


def immutable(remedy: str) -> Callable[[type[T]], type[T]]:
    """Decorator above a frozen dataclass: its arrays are read-only, a copy is the thing itself.

    Parameters
    ----------
    remedy : str
        What to do instead of changing it, for an error.
    """

    def decorated(cls: type[T]) -> type[T]:
        made: Any = cls
        first = made.__init__

        @wraps(first)
        def init(self: Any, *given: Any, **named: Any) -> None:
            first(self, *given, **named)
            freeze(self)

        def refuse(self: Any, name: str, *_: Any) -> Never:
            raise FrozenInstanceError(_words(self, name, remedy))

        def setstate(self: Any, state: dict[str, Any]) -> None:
            self.__dict__.update(state)
            freeze(self)

        made.__init__, made.__setstate__ = init, setstate
        made.__setattr__, made.__delattr__ = refuse, refuse
        made.__copy__ = lambda self: self
        made.__deepcopy__ = lambda self, memo: self
        return cls

    return decorated


def _words(thing: Any, name: str, remedy: str) -> str:
    kind = type(thing).__name__
    article = "an" if kind[0] in "AEIOU" else "a"
    return f"{article} {kind} does not change, {name!r} cannot be set; {remedy}"
