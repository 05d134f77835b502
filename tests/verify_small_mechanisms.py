"""Small mechanisms at random: modes, linear models, rests and steady motions, or named errors.

python -m tests.verify_small_mechanisms 1000 [first]
"""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import lissom as ls
from tests.samples.small_mechanisms import CALLS, drawn, numbers


def outcomes(number: int) -> tuple[int, list[tuple[str, str]]]:
    """For each call: "numbers", "error" of lissom, or what should not have happened."""
    mechanism = drawn(number)
    if mechanism is None:
        return number, []
    verdicts = []
    for name, call in CALLS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            warnings.simplefilter("ignore", ls.SimulationWarning)
            try:
                finite = all(np.all(np.isfinite(x)) for x in numbers(call(mechanism)))
                verdict = "numbers" if finite else "numbers that are not finite"
            except ls.LissomError:
                verdict = "error"
            except Exception as error:  # what this check is for
                verdict = repr(error)
        verdicts.append((name, verdict))
    return number, verdicts


def main() -> int:
    """Draw the mechanisms; the exit status is 0 if every outcome is numbers or a named error."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    counts, wrong, empty = Counter(), 0, 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, verdicts in pool.map(outcomes, range(first, first + count), chunksize=5):
            empty += not verdicts
            for name, verdict in verdicts:
                counts[verdict if verdict in ("numbers", "error") else "wrong"] += 1
                if verdict not in ("numbers", "error"):
                    wrong += 1
                    print(f"{number}, {name}: {verdict}", flush=True)
    print(
        f"{count - empty} mechanisms, {len(CALLS)} calls each: {counts['numbers']} with numbers, "
        f"{counts['error']} with a named error, {wrong} with anything else"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
