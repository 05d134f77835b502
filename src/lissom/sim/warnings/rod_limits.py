"""Checks that rods stay in the range of their model.

Two measures, at some rows of a run or at a state at rest.  A piece between two stations is turned
by the sixth order of an expansion, good for a fraction of a turn: the limit is a quarter.  The
material is linear, and strains are taken as small: the limit is a tenth, of

    |eps_x|, |(eps_y, eps_z)|                               stretch, shear                   (1)
    |kappa_y| z + |kappa_z| y,  y² = 3 EI_z/EA, z² = 3 EI_y/EA   bending                     (2)
    |kappa_x| r,  r² = 2 GJ/GA                              torsion                          (3)

with curvatures less the natural ones.  y and z are the half sides of the rectangle with this
stiffness, r is the radius of the circle; for other sections they are estimates.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...bodies.rod import MOST_STATIONS
from ...bodies.rod_poses import piece_turns
from ...bodies.rod_strains import strains
from ...bodies.rod_tables import (
    EPS_X,
    EPS_Y,
    EPS_Z,
    KAPPA_X,
    KAPPA_Y,
    KAPPA_Z,
    RodTables,
)
from ...system import System
from .advice import also
from .gathering import say

Array = np.ndarray

TURN = math.pi / 2  # rad, of a piece between stations
STRAIN = 0.1
_KINDS = ("stretched", "sheared", "bent", "twisted")


def warn_of_rods(system: System, q: Array, when: Callable[[int], str], stacklevel: int) -> None:
    """Warn about the rod that turns most within a piece, and about the most strained one.

    Parameters
    ----------
    system : System
        The mechanism.
    q : array (n, n_q)
        Coordinates of some states.
    when : callable
        Words for the time of a state, by its number.
    stacklevel : int
        Stack level of the warning.
    """
    turns, strained = list[tuple[float, str, str]](), list[tuple[float, str, str]]()
    for i, (name, body) in enumerate(zip(system.names, system.bodies, strict=True)):
        rod = body.rod
        if rod is None:
            continue
        eta = q[:, system.layout.modal_q(i)]
        eta = np.where(np.isfinite(eta), eta, 0.0)  # what is not is reported elsewhere
        turned = piece_turns(rod, eta)
        if (turn := float(turned.max(initial=0.0))) > TURN:
            row = int(np.argmax(turned.max(axis=1)))
            turns.append((turn, _of_turn(name, rod, turn, when(row)), name))
        sizes = strain_sizes(rod, eta)
        if (size := float(sizes.max(initial=0.0))) > STRAIN:
            row, kind = divmod(int(np.argmax(sizes)), len(_KINDS))
            strained.append((size, _of_strain(name, _KINDS[kind], size, when(row)), name))
    for what, found in (("rod turns", turns), ("rod strains", strained)):
        if found:
            worst = max(found)
            others = [name for _, _, name in found if name != worst[2]]
            say(what, worst[0], worst[1] + also(others), stacklevel + 1)


def strain_sizes(rod: RodTables, eta: Array) -> Array:
    """Stretch, shear and strains at the surface by bending and torsion, (k, 4); largest of nodes.

    Parameters
    ----------
    rod : RodTables
        Constants of the rod.
    eta : array (k, m)
        Coordinates.
    """
    at = rod.places
    strain = np.abs(strains(rod, at, eta))
    C = rod.interpolated(at) @ rod.section_stiffness
    with np.errstate(divide="ignore", invalid="ignore"):
        y, z = (np.sqrt(3 * C[:, k] / C[:, EPS_X]) for k in (KAPPA_Z, KAPPA_Y))
        r = np.sqrt(2 * C[:, KAPPA_X] / np.minimum(C[:, EPS_Y], C[:, EPS_Z]))
    y, z, r = (np.where(np.isfinite(x), x, 0.0) for x in (y, z, r))  # (2)-(3): no EA or GA given
    measures = (
        strain[:, :, EPS_X],
        np.hypot(strain[:, :, EPS_Y], strain[:, :, EPS_Z]),
        strain[:, :, KAPPA_Y] * z + strain[:, :, KAPPA_Z] * y,
        strain[:, :, KAPPA_X] * r,
    )
    return np.stack([x.max(axis=1) for x in measures], axis=1)


def _of_turn(name: str, rod: RodTables, turn: float, when: str) -> str:
    n = len(rod.masses)
    wanted = math.ceil(n * turn)  # a radian each
    more = f"give it stations={wanted}, or " if wanted <= MOST_STATIONS else ""
    return (
        f"rod {name!r} turns by {turn:.3g} rad between two of its {n} stations ({when}), where a "
        f"quarter of a turn is the most that they follow well; {more}divide it into parts in a row "
        "on Fixed joints"
    )


def _of_strain(name: str, how: str, size: float, when: str) -> str:
    section = "thinner" if how in ("bent", "twisted") else "thicker"
    return (
        f"rod {name!r} is {how} to a strain of {size:.2g} ({when}); its material is linear, which "
        f"holds for strains below about {STRAIN:g}: check the loads, or take a {section} section "
        "or a stiffer material"
    )
