"""`lissom.Contact` as it was until 0.2.0: the base of contacts that stay closed."""

from __future__ import annotations

import types
import warnings
from abc import ABCMeta
from typing import Any

from ....errors import DeprecatedWarning
from ....joints import ClosedContact

__all__ = ["LoadOfContact"]

_FATE = (
    "is deprecated since 0.2.0 and will be removed in 0.4.0: use lissom.ClosedContact; "
    "lissom.Contact is the load of contacts that open and close"
)


class LoadOfContact(ABCMeta):
    """Type of the load, which still stands for `ClosedContact` where a joint is meant."""

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        """New class; with a method `touch` it is a joint."""
        if "touch" in space and any(isinstance(base, mcs) for base in bases):
            _warn("lissom.Contact as the base class of a joint")
            joints = (ClosedContact if isinstance(base, mcs) else base for base in bases)
            return types.new_class(name, tuple(joints), exec_body=lambda joint: joint.update(space))
        return super().__new__(mcs, name, bases, space)

    def __instancecheck__(cls, instance: Any) -> bool:
        """Whether an object is such a load, or a joint that the class stood for."""
        if isinstance(instance, ClosedContact):
            _warn("isinstance(joint, lissom.Contact)")
            return True
        return super().__instancecheck__(instance)


def _warn(what: str) -> None:
    warnings.warn(f"{what} {_FATE}", DeprecatedWarning, stacklevel=3)
