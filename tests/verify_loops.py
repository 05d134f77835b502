"""lissom against the particle model on many random trees with random loops.

Closure, its derivative and bias, operational compliance, accelerations by all methods and loop
forces, at one state each.  Prints progress, every disagreement, how often each feature was drawn
and the largest relative error of each quantity; the last line is the result.
"""

from __future__ import annotations

import sys

from tests.samples.random_loops import FEATURES
from tests.tools.loop_comparison import DIRECT, DYNAMIC, check_looped_seed
from tests.tools.tallies import tally_seeds


def main() -> int:
    """Run the comparison over the seeds asked for."""
    tally = tally_seeds(__doc__, 2000, check_looped_seed)
    print("how often each feature was drawn")
    for name in FEATURES:
        print(f"{tally.coverage[name]:8d}  {name}")
    tally.print_errors()
    if tally.failed:
        seeds = tally.failed[:20]
        print(f"{len(tally.failed)} of {tally.count} looped mechanisms disagree, seeds {seeds}")
        return 1
    direct = tally.largest(lambda name: ":" not in name)
    dynamic = tally.largest(lambda name: ":" in name)
    print(
        f"{tally.count} looped mechanisms agree; largest relative errors {direct:.1e} of closure "
        f"and compliance (bound {DIRECT:.0e}), {dynamic:.1e} of accelerations and loop forces "
        f"(bound {DYNAMIC:.0e})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
