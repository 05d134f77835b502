"""Fields of gravity that would count the same gravity twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import LoadError, shown
from ..loads.central_gravity import CentralGravity
from ..loads.gravity_gradient import GravityGradient


def check_counted_once(load: Any, others: Sequence[Any]) -> None:
    """Refuse a field of gravity beside another that contains it.

    Parameters
    ----------
    load : Load
        The load.
    others : sequence of Load
        Loads before it.
    """
    fields = (CentralGravity, GravityGradient)
    for other in others if isinstance(load, fields) else ():
        if not isinstance(other, fields):
            continue
        if not (isinstance(load, CentralGravity) and isinstance(other, CentralGravity)):
            raise LoadError(
                f"{load.label} and {other.label}: a GravityGradient is what is left of a centre's "
                "gravity in axes that go along an orbit, so that another field counts the gradient "
                "twice; take CentralGravity alone with the orbit in the state, or GravityGradient "
                "alone with the state relative to the point on the orbit"
            )
        if np.array_equal(load.center, other.center):
            raise LoadError(
                f"{load.label} and {other.label}: both have their centre at "
                f"{shown(load.center.tolist())} m, so that its gravity counts twice; leave one "
                "out, or give the sum of both mu"
            )
