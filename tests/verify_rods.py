"""Rods: random trees against Lagrange's equations, motions against Exudyn and rigid rods.

Prints progress and what was found; the last line is the result.  The exit status is 1 if a tree
disagrees or a motion differs by more than its bound.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np

import lissom as ls
from benchmarks.rods.motions import DOUBLE, FRAME, SOFT, RodMotion
from benchmarks.rods.runs import Plan, error, exact_motion, fine_motion, whole
from tests.references import lagrange_rods
from tests.references.lagrange_rods import Result
from tests.references.rod_motions import (
    BOOM,
    SLENDER,
    spun_elements,
    spun_rod,
    spun_segments_in_the_limit,
)
from tests.tools.kernel_comparison import Case, Findings, compare_all, compare_products
from tests.tools.tallies import tally_seeds

METHOD = ls.GeneralizedAlpha(spectral_radius=0.9, tolerance=1e-10)
# Largest distances from the converged motion, in lengths, by the number of functions.
CONVERGENCE = {
    SOFT: {3: 8e-3, 4: 3e-3, 6: 8e-4, 8: 1.2e-4},
    DOUBLE: {3: 2e-3, 4: 5e-4, 6: 8e-5, 8: 6e-5},
    FRAME: {3: 1e-2, 4: 2.5e-3, 5: 6e-4, 6: 2e-4, 8: 8e-5},
}
AGREEMENT = {SOFT: 4e-5, DOUBLE: 1e-5, FRAME: 2e-5}  # of rods and Exudyn, in lengths


def check(seed: int) -> Result:
    """Lagrange's equations, and both texts."""
    result = lagrange_rods.check_seed(seed)
    system, rng = lagrange_rods.random_tree(seed).system, np.random.default_rng(seed)
    q, v, _ = lagrange_rods.random_motion(system, rng)
    case = Case(Findings(f"seed {seed}"), system, system.state(q, v), rng)
    compare_all(case)
    compare_products(case)
    result.failures.extend(case.findings.failures)
    return result


class Bounds:
    """Numbers found, and those beyond their bounds."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def add(self, what: str, found: float, most: float) -> str:
        """Print a number; returns it as text."""
        verdict = "" if found <= most else f": more than {most:.1e}"
        print(f"{what}: {found:.1e}{verdict}", flush=True)
        if verdict:
            self.failed.append(what)
        return f"{found:.0e}"


def spin_up(bounds: Bounds) -> tuple[str, str]:
    """Distance from Exudyn with stretch and shear, and from rigid rods without [m]."""

    def far(a, b):
        return float(np.linalg.norm(a - b, axis=1).max())

    def extrapolated(a, b):
        return b + (b - a) / 3

    meshes = []
    for n in (32, 64):
        meshes.append(extrapolated(spun_elements(n, 0.01), spun_elements(n, 0.005)))
    steps = (spun_rod(BOOM, 6, whole(BOOM, 6), integrator=METHOD, step=h) for h in (0.01, 0.005))
    theirs = far(extrapolated(*steps), extrapolated(*meshes))
    rod = spun_rod(SLENDER, 6, {"stretch": 0, "shear": 0}, integrator="dop853", rtol=1e-9)
    rigid = far(rod, spun_segments_in_the_limit((8, 12, 16, 24, 32, 48)))
    return (
        bounds.add("spin-up to 1.6 times the first frequency, against Exudyn [m]", theirs, 1e-5),
        bounds.add("the same without stretch, against rigid rods [m]", rigid, 1e-7),
    )


def convergence(bounds: Bounds, motion: RodMotion) -> tuple[str, str]:
    """Distance from Exudyn's motion, and from the converged one with the most functions."""
    exact, apart = exact_motion(motion, Plan())
    assert apart is not None, "Exudyn is not installed"
    said = bounds.add(f"{motion.name}, against Exudyn [lengths]", apart, AGREEMENT[motion])
    for functions, most in CONVERGENCE[motion].items():
        found = fine_motion(motion, functions)
        last = bounds.add(
            f"{motion.name}, {functions} functions", error(found, exact, motion.length), most
        )
    return said, last


def main() -> int:
    """Run all checks."""
    warnings.simplefilter("ignore", ls.SimulationWarning)
    tally, bounds = tally_seeds(__doc__, 300, check, parallel=True), Bounds()
    tally.print_errors()
    theirs, rigid = spin_up(bounds)
    found = {motion.name: convergence(bounds, motion) for motion in CONVERGENCE}
    if tally.failed or bounds.failed:
        seeds = tally.failed[:20]
        print(
            f"{len(tally.failed)} of {tally.count} trees disagree, seeds {seeds}; {bounds.failed}"
        )
        return 1
    motions = ", ".join(
        f"{name} {far} L (8 functions: {last} L)" for name, (far, last) in found.items()
    )
    print(
        f"{tally.count} trees obey Lagrange's equations to {tally.largest():.0e}; from Exudyn: "
        f"spin-up {theirs} m, {motions}; from rigid rods {rigid} m"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
