"""Numbers of shapes that a beam is asked for.

The families of shapes are, in this order, bending in the plane x-y, bending in the plane x-z,
torsion and stretch.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError, ModelWarning
from ._checks import count

Array = NDArray[np.float64]
Functions = tuple[int, int, int, int]  # of each family

SHAPES = ("static", "clamped")
MOST_FUNCTIONS = 100  # of one family

_BENDING, _TORSION, _STRETCH = 3, 1, 1  # unless others are asked for
_CLAMPED_MODES = 6
_SAME_FREQUENCY = 1e-9  # relative; frequencies closer than this count as equal


def shape_counts(
    shapes: object, modes: object, bending: object, torsion: object, stretch: object
) -> int | Functions:
    """Number of shapes in all, or of each family; parameters as in `beam`, checked."""
    if not isinstance(shapes, str) or shapes not in SHAPES:
        raise ModelError(
            f"beam: shapes must be 'static' or 'clamped', not {shapes!r}; give one of the two"
        )
    strains = {"bending": bending, "torsion": torsion, "stretch": stretch}
    options = [f"{name}={value!r}" for name, value in strains.items() if value is not None]
    if modes is not None and options:
        raise ModelError(
            f"beam: modes={modes!r} and {options[0]} both say how many shapes the beam has; give "
            "modes alone, or bending, torsion and stretch"
        )
    if modes is not None:
        return count(modes, "beam: modes")
    if shapes == "clamped" and not options:
        return _CLAMPED_MODES
    counts = (
        *_planes(_BENDING if bending is None else bending),
        _functions(_TORSION if torsion is None else torsion, "beam: torsion"),
        _functions(_STRETCH if stretch is None else stretch, "beam: stretch"),
    )
    if not any(counts):
        raise ModelError(
            "beam: bending, torsion and stretch are 0, so nothing deforms; give one of them "
            "shapes, or use RigidBody.rod"
        )
    return counts


def _planes(bending: Any) -> tuple[int, int]:
    """Numbers for both planes, from one or two."""
    what = "beam: bending"
    if isinstance(bending, (str, bytes)) or not isinstance(bending, (Sequence, np.ndarray)):
        both = _functions(bending, what)
        return both, both
    if np.ndim(bending) != 1 or len(bending) != 2:
        raise ModelError(
            f"{what} must be one number or two, for the planes x-y and x-z, not {bending!r}; give "
            "for example bending=3 or bending=(3, 2)"
        )
    y, z = bending
    return _functions(y, f"{what} in the plane x-y"), _functions(z, f"{what} in the plane x-z")


def _functions(value: object, what: str) -> int:
    number = count(value, what, least=0)
    check_most(number, what)
    return number


def check_most(number: int, what: str) -> None:
    """Reject more functions of a family than `MOST_FUNCTIONS`."""
    if number > MOST_FUNCTIONS:
        raise ModelError(
            f"{what} is {number} and must not exceed {MOST_FUNCTIONS}; give fewer, or divide the "
            "beam into parts in a row on Fixed joints"
        )


def lowest_bending(rates: Array, modes: int) -> Functions:
    """Numbers of the families that keep the lowest bending frequencies of both planes.

    The ratio of the planes' frequencies is a property of the section, so that the numbers do not
    depend on the length.

    `rates` (2,): angular frequency [rad/s] per dimensionless frequency of each plane.
    """
    roots = (np.arange(modes) + 0.5) * np.pi  # of cos β cosh β = -1; 0.4 % off at the second
    roots[0] = 1.8751
    family, _ = lowest([rate * roots**2 for rate in rates], modes)
    y, z = (int(np.sum(family == plane)) for plane in (0, 1))
    check_most(max(y, z), f"beam: modes={modes}: the number of shapes in one plane")
    return y, z, 0, 0


def warn_of_one_shape(rates: Array, modes: int, stacklevel: int) -> None:
    """Warn where `modes` leaves one static shape to a plane: too stiff for what it promises."""
    y, z, *_ = lowest_bending(rates, modes)
    if 1 not in (y, z):
        return
    where = "each plane" if y == z else f"the plane {'x-y' if y == 1 else 'x-z'}"
    two = (2 if n == 1 else n for n in (y, z))
    warnings.warn(
        f"beam: modes={modes} leaves one bending shape in {where}, of constant curvature: the "
        "first frequency there is 27 % too high, and a force at the tip bends it 25 % too little; "
        f"give {_as_bending(*two)}, torsion=0, stretch=0 (or {_as_bending(y, z)}, if one shape "
        "is meant)",
        ModelWarning,
        stacklevel + 1,
    )


def _as_bending(y: int, z: int) -> str:
    return f"bending={y if y == z else (y, z)}"


def lowest(omega: Sequence[Array], n_mode: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Family and number within the family of the lowest modes, ordered by frequency, then family.

    `omega` holds the frequencies of each family.  Frequencies that differ from their neighbour
    only by rounding count as equal, so that rounding does not affect the order.
    """
    flat = np.concatenate(omega)
    family = np.repeat(np.arange(len(omega)), [len(x) for x in omega])
    index = np.concatenate([np.arange(len(x)) for x in omega])
    ascending = np.argsort(flat, kind="stable")
    steps = np.diff(flat[ascending], prepend=0.0) > _SAME_FREQUENCY * flat[ascending]
    family, index = family[ascending], index[ascending]
    order = np.lexsort((family, np.cumsum(steps)))[:n_mode]
    return family[order], index[order]
