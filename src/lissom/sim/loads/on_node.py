"""Places of loads on nodes: as text and as coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import LoadError, ModelError, shown
from ...model import Part
from ...spatial.given import unit_axis
from ...system import Frame
from ..run.checks import numbers
from .load import Load

Array = np.ndarray


def place_text(where: Any) -> str:
    """Place as text."""
    if isinstance(where, (str, Part)):
        return str(where)
    return shown(where.tolist() if isinstance(where, np.ndarray) else where)


def point(load: Load, attribute: str) -> Array:
    """Attribute as three finite numbers."""
    what = f"{load.label}: {attribute}"
    return numbers(getattr(load, attribute), what, "three numbers [m]", n=3)


def direction(load: Load, attribute: str) -> Array:
    """Attribute as a unit vector, from "x", "y", "z" or three numbers."""
    try:
        return unit_axis(getattr(load, attribute), f"{load.label}: {attribute}")
    except ModelError as error:
        raise LoadError(str(error)) from None


def in_slot(frame: Frame, at: Array) -> Array:
    """Point of a frame in the axes of its slot, from the node or from the origin of the frame."""
    turned = frame.rotation @ at
    return turned if frame.grounded else frame.position + turned
