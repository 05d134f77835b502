"""Residual compliance of uniform clamped beams at nodes on their axis.

A unit force at a moves the axis at b, as fractions of the length and a <= b, by

  along the beam   a L/(E A)                                                                    (1)
  across it        a^2 (3 b - a)/6 L^3/(E I)                                                    (2)

less what the shapes have.  A family of which no shapes were wanted is rigid.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bodies.residual import checked_contact_nodes, without_rounding
from .counts import Functions

Array = NDArray[np.float64]

_FAMILIES = (3, 0, 1)  # of shapes that move the axis along x, y, z


def beam_contact_nodes(contact: Any, n_end: int) -> tuple[int, ...]:
    """Numbers of contact nodes, which are among the first, on the axis."""
    return checked_contact_nodes(contact, {"root": 0, "tip": n_end - 1}, n_end, "beam: contact")


def yielding(shapes: str, counts: int | Functions) -> tuple[bool, ...]:
    """Whether each family of a beam is to yield, whatever shapes of it the beam has."""
    if isinstance(counts, int):
        return (True,) * 4 if shapes == "clamped" else (True, True, False, False)
    return tuple(n > 0 for n in counts)


def beam_residual(
    places: Array, compliances: Array, yields: tuple[bool, ...], shapes: Array, omega: Array
) -> Array:
    """Residual compliance (3 k, 3 k) of k nodes.

    `places` (k,): fractions of the length; `compliances` (3,): L/(E A), L^3/(E I) in the planes x-y
    and x-z [m/N]; `yields`: of `yielding`; `shapes` (k, 3, m), `omega` (m,): of the modes.
    """
    a, b = np.minimum.outer(places, places), np.maximum.outer(places, places)
    n = 3 * len(places)
    compliance = np.zeros((len(places), 3, len(places), 3))
    across = a**2 * (3 * b - a) / 6  # (2)
    fields = (a, across, across)
    for k, (family, field) in enumerate(zip(_FAMILIES, fields, strict=True)):
        if yields[family]:
            compliance[:, k, :, k] = compliances[k] * field
    moved = shapes.reshape(n, len(omega)) / omega
    whole = compliance.reshape(n, n)
    return without_rounding(whole - moved @ moved.T, whole)
