"""Running a comparison over many seeds: progress, disagreements, coverage and largest errors."""

from __future__ import annotations

import argparse
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What came out of a comparison over many seeds."""

    count: int
    coverage: Counter = field(default_factory=Counter)
    worst: dict[str, tuple[float, int]] = field(default_factory=dict)  # error and its seed
    failed: list[int] = field(default_factory=list)

    def largest(self, counts: Callable[[str], bool] = lambda name: True) -> float:
        """Largest relative error of the quantities that count."""
        return max((e for name, (e, _) in self.worst.items() if counts(name)), default=0.0)

    def print_errors(self) -> None:
        """The largest relative error of each quantity."""
        print("largest relative errors")
        for quantity, (error, seed) in sorted(self.worst.items()):
            print(f"{error:8.1e}  {quantity} (seed {seed})")


def tally_seeds(description: str, default: int, check: Callable) -> Tally:
    """Check the seeds asked for on the command line; print progress and every disagreement.

    `check(seed)` gives `failures` (lines), `coverage` and `errors` by quantity.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("count", type=int, nargs="?", default=default, help="number of mechanisms")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    options = parser.parse_args()
    tally, began = Tally(options.count), time.perf_counter()
    for done, seed in enumerate(range(options.start, options.start + options.count), start=1):
        failures = _check(seed, tally, check)
        if failures:
            tally.failed.append(seed)
            print("\n".join(failures), flush=True)
        if done % 100 == 0 or done == options.count:
            elapsed = time.perf_counter() - began
            print(f"{done} of {options.count} mechanisms, {elapsed:.0f} s", flush=True)
    return tally


def _check(seed: int, tally: Tally, check: Callable) -> list[str]:
    """Check one seed, update the tally, and say what disagreed."""
    try:
        result = check(seed)
    except Exception:
        return [f"seed {seed}: {traceback.format_exc()}"]
    tally.coverage.update(result.coverage)
    for quantity, error in result.errors.items():
        tally.worst[quantity] = max(tally.worst.get(quantity, (0.0, seed)), (error, seed))
    return result.failures
