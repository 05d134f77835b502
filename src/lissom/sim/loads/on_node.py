"""Places of loads on nodes: in words, and as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import Part
from ..checks import numbers, shown
from .load import Load

__all__ = ["point", "worded"]

Array = np.ndarray


def worded(where: Any) -> str:
    """Place in words."""
    if isinstance(where, (str, Part)):
        return str(where)
    return shown(where.tolist() if isinstance(where, np.ndarray) else where)


def point(load: Load, attribute: str) -> Array:
    """Attribute as three finite numbers."""
    what = f"{load.label}: {attribute}"
    return numbers(getattr(load, attribute), what, "three numbers [m]", n=3)
