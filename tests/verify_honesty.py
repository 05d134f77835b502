"""Random runs with default settings: each is right, or says that it may not be.

python -m tests.verify_honesty 1000 [first]
"""

from __future__ import annotations

import sys
import time

from tests.honest_runs import draw, judged


def main() -> int:
    """Judge the runs; the exit status is 0 if all were honest."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    told, refused, wrong, ratios = 0, 0, [], []
    begun = time.perf_counter()
    for number in range(first, first + count):
        verdict = judged(draw(number))
        told += bool(verdict.told)
        refused += verdict.told.startswith(("refused", "ended"))
        if not verdict.told:
            ratios.append(verdict.error / verdict.allowed)
        if not verdict.honest:
            wrong.append(verdict)
            print(verdict, flush=True)
        if (number - first + 1) % 20 == 0:
            seconds = time.perf_counter() - begun
            print(f"{number - first + 1} runs, {len(wrong)} wrong, {seconds:.0f} s", flush=True)
    largest = max(ratios, default=0.0)
    print(
        f"{count} runs: {count - told} without a word, largest error {largest:.2g} of what is "
        f"allowed; {told} told ({refused} refused or ended early); {len(wrong)} wrong"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
