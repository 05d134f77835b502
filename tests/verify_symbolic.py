"""Derived equations against the particle model on many random trees, rigid and flexible.

Even seeds at level "linear", odd ones at "full".  Prints progress, every disagreement and the
largest errors; the last line is the result.
"""

from __future__ import annotations

import sys

from tests.symbolic_comparison import BOUND, check_seed
from tests.tallies import tally_seeds


def main() -> int:
    """Run the comparison over the seeds asked for."""
    tally = tally_seeds(__doc__, 500, lambda seed: check_seed(seed, ("linear", "full")[seed % 2]))
    names = ("mass", "bias", "inverse_dynamics", "forward_dynamics", "qdot", "kinetic", "potential")
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
