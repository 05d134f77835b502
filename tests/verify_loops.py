"""lissom against the particle model on many random trees with random loops.

Closure, its derivative and bias, operational compliance, accelerations by all methods and loop
forces, at one state each.  Prints progress, every disagreement, how often each feature was drawn
and the largest relative error of each quantity; the last line is the result.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter

from tests.loop_comparison import DIRECT, DYNAMIC, check_looped_seed
from tests.random_loops import FEATURES


def main() -> int:
    """Run the comparison over the seeds asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000, help="number of mechanisms")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    options = parser.parse_args()
    coverage, worst, failed = Counter(), {}, []
    began = time.perf_counter()
    for done, seed in enumerate(range(options.start, options.start + options.count), start=1):
        failures = _check(seed, coverage, worst)
        if failures:
            failed.append(seed)
            print("\n".join(failures), flush=True)
        if done % 100 == 0 or done == options.count:
            print(f"{done} of {options.count}, {time.perf_counter() - began:.0f} s", flush=True)
    print("how often each feature was drawn")
    for name in FEATURES:
        print(f"{coverage[name]:8d}  {name}")
    print("largest relative errors")
    for quantity, (error, seed) in sorted(worst.items()):
        print(f"{error:8.1e}  {quantity} (seed {seed})")
    return _conclude(options.count, failed, worst)


def _check(seed: int, coverage: Counter, worst: dict[str, tuple[float, int]]) -> list[str]:
    """Check one seed, update the tallies, and say what disagreed."""
    try:
        result = check_looped_seed(seed)
    except Exception:
        return [f"seed {seed}: {traceback.format_exc()}"]
    coverage.update(result.coverage)
    for quantity, error in result.errors.items():
        worst[quantity] = max(worst.get(quantity, (0.0, seed)), (error, seed))
    return result.failures


def _conclude(count: int, failed: list[int], worst: dict[str, tuple[float, int]]) -> int:
    if failed:
        print(f"{len(failed)} of {count} looped mechanisms disagree, seeds {failed[:20]}")
        return 1
    direct = max(error for name, (error, _) in worst.items() if ":" not in name)
    dynamic = max(error for name, (error, _) in worst.items() if ":" in name)
    print(
        f"{count} looped mechanisms agree; largest relative errors {direct:.1e} of closure and "
        f"compliance (bound {DIRECT:.0e}), {dynamic:.1e} of accelerations and loop forces "
        f"(bound {DYNAMIC:.0e})"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
