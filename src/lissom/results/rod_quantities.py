"""Quantities of the sections of rods: strains, and the moments and forces that follow from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..bodies import rod_strains
from ..bodies.rod_tables import EPS_X, RodTables
from ..errors import StateError, suggestion
from .labels import XYZ, Parts

if TYPE_CHECKING:
    from ..system import System

Array = np.ndarray
_STRAINS: Parts = (
    *((f"kappa_{x}", "rad/m") for x in XYZ),
    *((f"eps_{x}", "1") for x in XYZ),
)


class OfSection(NamedTuple):
    """Definition of a quantity of the sections of a rod.

    `parts` returns labels and units; `compute` the values (k, p, n_part) at p arc lengths for k
    rows of coordinates.
    """

    description: str
    parts: Callable[[RodTables], Parts]
    compute: Callable[[RodTables, Any, Array], Array]


def _carried(rod: RodTables, first: int) -> list[int]:
    """Components of moment (first = 0) or force (first = 3) that the rod is elastic in."""
    return [k for k in rod_strains.elastic(rod) if first <= k < first + 3]


def _stress_parts(first: int, unit: str) -> Callable[[RodTables], Parts]:
    return lambda rod: tuple((XYZ[k - first], unit) for k in _carried(rod, first))


def _stress(first: int) -> Callable[[RodTables, Any, Array], Array]:
    return lambda rod, at, eta: rod_strains.stresses(rod, at, eta)[:, :, _carried(rod, first)]


SECTION = {
    "curvature": OfSection(
        "twist and curvature of the section, section axes",
        lambda _: tuple((x, "rad/m") for x in XYZ),
        rod_strains.curvatures,
    ),
    "strain": OfSection(
        "strain against the natural shape, section axes", lambda _: _STRAINS, rod_strains.strains
    ),
    "section_moment": OfSection(
        "moment that the section carries elastically, section axes",
        _stress_parts(0, "N m"),
        _stress(0),
    ),
    "section_force": OfSection(
        "force that the section carries elastically, section axes",
        _stress_parts(EPS_X, "N"),
        _stress(EPS_X),
    ),
}


def missing(name: str, rod: RodTables | None, key: str) -> str:
    """Message for a quantity that a body does not have.

    Parameters
    ----------
    name : str
        Of the body.
    rod : RodTables, optional
        Its constants, if it is a rod.
    key : str
        One of `SECTION`.
    """
    if rod is None:
        return f"{name!r} is no rod and has no {key}; make the body with ls.rod"
    strains = "bending or torsion" if key == "section_moment" else "stretch or shear"
    return (
        f"rod {name!r} is rigid against {strains}, so that its {key} does not follow from strains; "
        f"give it functions of {strains}, or use '{name}.reaction', which is that of its joint"
    )


def asked(system: System, body: Any, quantity: Any, at: Any) -> tuple[int, OfSection, Array]:
    """Number of a rod, quantity and arc lengths (p,) of `Trajectory.along`, checked.

    Parameters
    ----------
    system : System
        Simulated system.
    body, quantity, at
        As given.
    """
    if not isinstance(body, str) or body not in system.names:
        raise StateError(f"there is no body {body!r}; {suggestion(str(body), system.names)}")
    if not isinstance(quantity, str) or quantity not in SECTION:
        raise StateError(
            f"the sections of a rod have no {quantity!r}; {suggestion(str(quantity), SECTION)}"
        )
    i = system.names.index(body)
    rod = system.bodies[i].rod
    if rod is None or not SECTION[quantity].parts(rod):
        raise StateError(missing(body, rod, quantity))
    try:
        places = np.asarray(at, dtype=float)
    except (TypeError, ValueError, OverflowError):
        places = np.array([np.nan])
    if places.ndim > 1 or not np.all((places >= 0) & (places <= rod.length)):
        raise StateError(
            f"at is {at!r}; expected arc lengths from the root of {body!r}, 0 to {rod.length:g} m"
        )
    return i, SECTION[quantity], places
