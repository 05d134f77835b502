"""Parameters of loads on joints: one number for all motions of the joint, or one for each."""

from __future__ import annotations

import numpy as np

from ...errors import LoadError
from ..run.checks import numbers
from .load import Load

Array = np.ndarray


def check_not_negative(load: Load, attribute: str) -> None:
    """Refuse an attribute that is not one number or a row of numbers, all zero or more."""
    expected = "zero or more: one number, or one for each motion of the joint"
    numbers(getattr(load, attribute), f"{load.label}: {attribute}", expected, least=0.0)


def per_motion(load: Load, attribute: str, n: int) -> Array:
    """Attribute as n numbers."""
    values = np.asarray(getattr(load, attribute), dtype=float)
    if values.shape not in ((), (n,)):
        raise LoadError(
            f"{load.label}: {attribute} has shape {values.shape}; expected one number or ({n},)"
        )
    return np.broadcast_to(values, (n,))
