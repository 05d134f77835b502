"""Checks that rods stay in the range of their model.

Two measures, at some rows of a run or at a state at rest.  A piece between two stations is turned
by the sixth order of an expansion, good for a fraction of a turn: the limit is a quarter.  The
material is linear, and strains are taken as small: the limit is a tenth, of stretch, of shear, and
of the strains at the surface by bending and torsion (`surface_strains`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...bodies.rod import MOST_STATIONS
from ...bodies.rod_poses import piece_turns
from ...bodies.rod_strains import surface_strains
from ...bodies.rod_tables import RodTables
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
        sizes = surface_strains(rod, eta)
        if (size := float(sizes.max(initial=0.0))) > STRAIN:
            row, kind = divmod(int(np.argmax(sizes)), len(_KINDS))
            strained.append((size, _of_strain(name, _KINDS[kind], size, when(row)), name))
    for what, found in (("rod turns", turns), ("rod strains", strained)):
        if found:
            worst = max(found)
            others = [name for _, _, name in found if name != worst[2]]
            say(what, worst[0], worst[1] + also(others), stacklevel + 1)


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
