"""Forms of fields that only loads have, and their values on a joint or a node of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ...errors import LoadError, shown
from ...fields import FieldForm, as_numbers
from ...model import Part
from ...system import Frame
from ..run.checks import joint_name, node_name

Array = np.ndarray
ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class JointField(FieldForm):
    """Joint, by the body that it carries or the loop that it closes."""

    kind: str = "str"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as text."""
        return joint_name(value, what)


@dataclass(frozen=True)
class PlaceField(FieldForm):
    """Body, node or frame."""

    kind: str = "str"

    def check(self, value: Any, what: str, error: Any) -> Any:
        """Value as text."""
        return node_name(value, what)


@dataclass(frozen=True)
class EndField(FieldForm):
    """Body, node, frame, or a point fixed in the world."""

    kind: str = "str, array (3,) or None"
    takes_none: ClassVar[bool] = True

    def check(self, value: Any, what: str, error: Any) -> Any:
        """The value, or the origin of the world for None."""
        if value is None:
            return np.zeros(3)
        point = None if isinstance(value, (str, Part)) else as_numbers(value)
        if isinstance(value, (str, Part)) or (
            point is not None and point.shape == (3,) and np.all(np.isfinite(point))
        ):
            return value
        raise error(
            f'{what} = {shown(value)} is not a place; give "body", "body.node", a frame, three '
            "numbers for a point fixed in the world, or None for its origin"
        )


@dataclass(frozen=True)
class SignalField(FieldForm):
    """Constant, table or function of time, which a plan checks with the size that it must have."""

    kind: str = "number, array (n_v,), Table or callable"


@dataclass(frozen=True)
class FunctionField(FieldForm):
    """Function of the user's program, or an object with a method `update`."""

    kind: str = "callable or object"


def per_motion(load: Any, attribute: str, n: int) -> Array:
    """Attribute as n numbers, one for each motion of a joint."""
    values = np.asarray(getattr(load, attribute), dtype=float)
    if values.shape not in ((), (n,)):
        raise LoadError(
            f"{load.label}: {attribute} has shape {values.shape}; expected one number or ({n},)"
        )
    return np.broadcast_to(values, (n,))


def place_text(where: Any) -> str:
    """Place as text; None is the origin of the world."""
    if isinstance(where, (str, Part)):
        return str(where)
    point = np.zeros(3) if where is None else where
    return shown(point.tolist() if isinstance(point, np.ndarray) else point)


def in_slot(frame: Frame, at: Array) -> Array:
    """Point of a frame in the axes of its slot, from the node or from the origin of the frame."""
    turned = frame.rotation @ at
    return turned if frame.grounded else frame.position + turned
