"""lissom against the oracle on many random mechanisms.

Prints progress, every disagreement, how often each feature was drawn and the largest relative error
of each quantity; the last line is the result. The exit status is 1 if anything disagreed.
"""

from __future__ import annotations

import sys

from tests.oracle.random_mechanism import coverage_table
from tests.references import lagrange_stiffened
from tests.tools.oracle_comparison import TOLERANCE, Comparison, check_both_texts, check_seed
from tests.tools.tallies import tally_seeds


def check(seed: int) -> Comparison:
    """The compiled text; every tenth time the readable one, and a tree of stiffened bodies."""
    if seed % 10:
        return check_seed(seed)
    result = check_both_texts(seed)
    result.errors.update(lagrange_stiffened.check_seed(seed).errors)
    return result


def main() -> int:
    """Run the comparison over the seeds asked for."""
    tally = tally_seeds(__doc__, 5000, check)
    print("how often each feature was drawn", coverage_table(tally.coverage), sep="\n")
    tally.print_errors()
    if tally.failed:
        seeds = tally.failed[:20]
        print(f"{len(tally.failed)} of {tally.count} mechanisms disagree, seeds {seeds}")
        return 1
    print(
        f"{tally.count} mechanisms agree within {TOLERANCE:.0e}; "
        f"largest relative error {tally.largest():.1e}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
