"""lissom against the oracle on many random mechanisms.

Prints progress, every disagreement, how often each feature was drawn and the largest relative error
of each quantity; the last line is the result. The exit status is 1 if anything disagreed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter

from tests.oracle.random_mechanism import coverage_table
from tests.oracle_comparison import TOLERANCE, check_seed


def main() -> int:
    """Run the comparison over the seeds asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=5000, help="number of mechanisms")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    options = parser.parse_args()
    coverage, worst = Counter(), {}
    failed = []
    began = time.perf_counter()
    for done, seed in enumerate(range(options.start, options.start + options.count), start=1):
        failures = _check(seed, coverage, worst)
        if failures:
            failed.append(seed)
            print("\n".join(failures), flush=True)
        if done % 100 == 0 or done == options.count:
            elapsed = time.perf_counter() - began
            print(f"{done} of {options.count} mechanisms, {elapsed:.0f} s", flush=True)
    print("how often each feature was drawn", coverage_table(coverage), sep="\n")
    print("largest relative errors")
    for quantity, (error, seed) in sorted(worst.items()):
        print(f"{error:8.1e}  {quantity} (seed {seed})")
    return _conclude(options.count, failed, worst)


def _check(seed: int, coverage: Counter, worst: dict[str, tuple[float, int]]) -> list[str]:
    """Check one seed, update the tallies, and say what disagreed."""
    try:
        result = check_seed(seed)
    except Exception:
        return [f"seed {seed}: {traceback.format_exc()}"]
    coverage.update(result.coverage)
    for quantity, error in result.errors.items():
        worst[quantity] = max(worst.get(quantity, (0.0, seed)), (error, seed))
    return result.failures


def _conclude(count: int, failed: list[int], worst: dict[str, tuple[float, int]]) -> int:
    largest = max((error for error, _ in worst.values()), default=0.0)
    if failed:
        print(f"{len(failed)} of {count} mechanisms disagree, seeds {failed[:20]}")
        return 1
    print(f"{count} mechanisms agree within {TOLERANCE:.0e}; largest relative error {largest:.1e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
