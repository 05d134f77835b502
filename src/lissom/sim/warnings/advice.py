"""What helps a body that is used beyond its model: a rod, another level, or parts in a row.

The advice aims at an error of one per cent.

Parts.  With the curvature k and the length L of the body, each of n parts deflects by less than
k L / 2n of its length.  Under an axial force N a part lacks the fraction N L² / 3 EI n² of its
bending stiffness.  Bending grows as 1 / (1 - p) where N is the fraction p < 1 of the Euler load,
and beyond it as sqrt(p - 1), with a curvature of at most 2 sqrt(N / EI).

Level "stiffened".  A strong pull bends a link close to its ends only, and a fast spin close to its
root, which takes more shapes.  Their numbers are fitted to linear theory, see the tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...errors import name_list

DEFLECTION = 0.1  # limit, as a fraction of the length
GOOD = 0.01  # relative error that is aimed at
ROOT = 1.5  # relative deflection of the first part of a divided cantilever, compared with the whole
ROOM = 0.05  # to the Euler load, at least: nearer to it no answer is sure
MOST_SHAPES = 12  # beyond, parts are the better advice
MOST_PARTS = 100  # beyond, dividing a body is no advice
_ROD = "make a beam with ls.rod instead"


def against_deflection(part: float, turn: float, stiffened: bool) -> str:
    """Advice for a body that deflects by a part of its length; turn: curvature times length."""
    # with more shapes parts at level "stiffened" lose definiteness before they deflect that far
    kind = "static shapes and bending=2" if stiffened else "static shapes"
    return f"{_ROD}, or {_divide(max(ROOT * part, turn / 2) / DEFLECTION, kind)}"


def against_pull(part: float) -> str:
    """Advice for a pull of this part of 3 EI / L²."""
    shapes = 3 + max(0.0, 1.7 * math.log10(part / 20))
    return f"{_stiffened(shapes)}, or {_divide(math.sqrt(part / GOOD))}"


def against_press(part: float, ratio: float) -> str:
    """Advice for compression by this part of the Euler load, this ratio to 3 EI / L²."""
    room = 1 - part if part < 1 else 2 * (1 - 1 / part)
    parts = math.sqrt(ratio / (GOOD * min(1.0, max(room, ROOM))))
    if part < 1:
        return f"{_stiffened(3)}, or {_divide(parts)}"
    return f"{_ROD}, or {_divide(max(parts, math.sqrt(3 * ratio) / DEFLECTION))}"


def against_spin(ratio: float) -> str:
    """Advice for a spin of this ratio to the first frequency."""
    return _stiffened(max(3.0, 2.15 * math.sqrt(ratio)))


def _stiffened(shapes: float) -> str:
    level = 'use level="stiffened" (beams with static shapes, frames, panels and solids have it)'
    if shapes > MOST_SHAPES:
        return f"{level} in parts in a row"
    return f"{level} with bending={math.ceil(shapes)} or more"


def _divide(parts: float, kind: str = "static shapes") -> str:
    """Advice to divide a body; parts that lack static shapes would be too stiff."""
    if parts > MOST_PARTS:
        return f"more than {MOST_PARTS} parts in a row would be needed: check the loads and the run"
    n = max(2, math.ceil(parts))
    return f"divide the body into {n} or more in a row, beams with {kind}"


def also(names: Sequence[str]) -> str:
    """Ending of a warning about one part: the others that it holds for."""
    return f" (also {name_list(names, most=6)})" if names else ""
