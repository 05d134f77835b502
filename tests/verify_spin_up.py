"""Booms that spin up beyond their first frequency, in parts, against geometrically exact beams.

Two booms, each in two times; parts at level "stiffened" on Fixed joints with few shapes each.  The
reference is Exudyn's, extrapolated in mesh and step; how far a finer run is from it is told beside
it.  The tip's deflection must agree within 1 % of the largest.  The last line is the result, the
exit status the number of comparisons that did not pass.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace

import numpy as np

import lissom as ls
from tests.references.exudyn_spin_up import PUBLISHED, Boom, exact_beams, parts_in_a_row

SOFTER = Boom(length=8.0, EA=5.04e6, EI=566.0, GA=1.6e6, line=0.202, spin=6.0, time=15.0)
BOOMS = [replace(boom, time=time) for boom in (PUBLISHED, SOFTER) for time in (15.0, 12.0)]
PARTS = (1, 2, 4, 8, 16)
SHAPES = [
    {"bending": (2, 0), "torsion": 0, "stretch": 0},
    {"bending": (2, 2), "torsion": 1, "stretch": 1},
    {},
]
PROMISED, BOUND = (8, 16), 0.01  # of parts; relative to the largest deflection


def reference(boom: Boom) -> np.ndarray:
    """Tip of the exact beams: errors are of second order in mesh and step."""
    coarse, finer_mesh, finer_step = (
        exact_beams(boom, *how) for how in ((32, 0.01), (64, 0.01), (64, 0.005))
    )
    return finer_step + (finer_mesh - coarse) / 3 + (finer_step - finer_mesh) / 3


def compare(boom: Boom) -> tuple[float, dict[int, float]]:
    """Error of the reference, and the largest of the parts by their number."""
    exact = reference(boom)[:, 1]
    size, fine = np.abs(exact).max(), exact_beams(boom, 96, 0.0025)[:, 1]
    doubt = float(np.abs(exact - fine).max() / size)
    print(
        f"{boom.length:g} m to {boom.spin:g} rad/s in {boom.time:g} s, first frequency "
        f"{boom.first_frequency:.2g} rad/s: deflects by {size:.4f} m, reference to {doubt:.1e}"
    )
    found = dict.fromkeys(PARTS, 0.0)
    for parts in PARTS:
        for asked in SHAPES:
            tip = parts_in_a_row(boom, parts, step=0.005, level="stiffened", **asked)[:, 1]
            error = float(np.abs(tip - exact).max() / size)
            print(f"  parts: {parts}, {asked or 'default shapes'}: {error:.1e}")
            found[parts] = max(found[parts], error)
    return doubt, found


def main() -> int:
    """Compare all booms."""
    warnings.simplefilter("error", ls.SimulationWarning)
    warnings.filterwarnings("ignore", "body 'part0' deflects", ls.SimulationWarning)  # one part
    doubts, errors = zip(*(compare(boom) for boom in BOOMS), strict=True)
    failed = sum(found[n] > BOUND for found in errors for n in PROMISED) + (max(doubts) > BOUND / 5)
    worst = ", ".join(f"{max(found[n] for found in errors):.1e} in {n}" for n in PARTS)
    print(
        f"{len(BOOMS)} spin-ups, tip to {worst} parts, relative to the largest deflection; "
        f"reference to {max(doubts):.1e}"
    )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
