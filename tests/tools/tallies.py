"""Running a comparison over many seeds: progress, disagreements, coverage and largest errors."""

from __future__ import annotations

import argparse
import functools
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any


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


def tally_seeds(description: str, default: int, check: Callable, parallel: bool = False) -> Tally:
    """Check the seeds asked for on the command line; print progress and every disagreement.

    `check(seed)` gives `failures` (lines), `coverage` and `errors` by quantity; parallel: in one
    process for each processor, for checks that take seconds.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("count", type=int, nargs="?", default=default, help="number of mechanisms")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    options = parser.parse_args()
    tally, began = Tally(options.count), time.perf_counter()
    seeds = range(options.start, options.start + options.count)
    checked = functools.partial(_check, check)
    with ProcessPoolExecutor(os.cpu_count() if parallel else 1) as pool:
        results = pool.map(checked, seeds) if parallel else map(checked, seeds)
        for done, (seed, result) in enumerate(zip(seeds, results, strict=True), start=1):
            failures = _add(tally, seed, result)
            if failures:
                tally.failed.append(seed)
                print("\n".join(failures), flush=True)
            if done % 100 == 0 or done == options.count:
                elapsed = time.perf_counter() - began
                print(f"{done} of {options.count} mechanisms, {elapsed:.0f} s", flush=True)
    return tally


def _check(check: Callable, seed: int) -> Any:
    """What a check gives, or the text of its exception."""
    try:
        return check(seed)
    except Exception:
        return traceback.format_exc()


def _add(tally: Tally, seed: int, result: Any) -> list[str]:
    """Update the tally with one seed, and say what disagreed."""
    if isinstance(result, str):
        return [f"seed {seed}: {result}"]
    tally.coverage.update(result.coverage)
    for quantity, error in result.errors.items():
        tally.worst[quantity] = max(tally.worst.get(quantity, (0.0, seed)), (error, seed))
    return result.failures
