"""Derived equations against the particle model on many random trees, rigid and flexible.

Even seeds at level "linear", odd ones at "full"; the Coriolis matrices of some small trees at both.
Every fifth seed also with loops.  Prints progress, every disagreement and the
largest errors; the last line is the result.
"""

from __future__ import annotations

import sys

from tests.tools.symbolic_comparison import BOUND, Errors, check_coriolis, check_loops, check_seed
from tests.tools.tallies import tally_seeds

SMALL = (2, 3, 6, 11, 12, 16, 18, 20, 22, 24, 26, 27)  # trees of up to 20 speeds


def check(seed: int) -> Errors:
    """One level, and for small trees the Coriolis matrix at both."""
    result = check_seed(seed, ("linear", "full")[seed % 2])
    for level in ("linear", "full") if seed in SMALL else ():
        for quantity, error in check_coriolis(seed, level).errors.items():
            result.errors[f"{quantity}, {level}"] = error
    looped = check_loops(seed) if seed % 5 == 0 else None
    if looped is not None:
        result.errors |= looped.errors
    return result


def main() -> int:
    """Run the comparison over the seeds asked for."""
    tally = tally_seeds(__doc__, 500, check)
    names = ("mass", "bias", "inverse_dynamics", "forward_dynamics", "qdot", "kinetic", "potential")
    names += ("loops: accelerations", "loops: rates")
    for name in names:
        error, seed = tally.worst[name]
        print(f"{error:8.1e}  {name} (seed {seed})")
    if tally.failed:
        print(f"{len(tally.failed)} of {tally.count} trees disagree, seeds {tally.failed[:20]}")
        return 1
    print(
        f"{tally.count} trees: programs of their equations agree within {BOUND:.0e}; "
        f"largest relative error {tally.largest():.1e}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
