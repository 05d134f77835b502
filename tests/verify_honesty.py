"""Random runs, most with default settings: each is right, or says that it may not be.

python -m tests.verify_honesty 1000 [first]
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor

from tests.samples.honest_draws import draw
from tests.tools.honest_runs import PATIENCE, TooLong, judged

NOT_COMPARED = "not compared"


def verdict_of(number: int) -> tuple[bool, str, float, str]:
    """Whether a run was honest, what it told, its error in what is allowed, and words for it."""
    try:
        verdict = judged(draw(number))
    except TooLong as error:
        return True, NOT_COMPARED, 0.0, str(error)
    except RuntimeError as error:  # there is nothing to compare with
        return False, "", 0.0, str(error)
    part = verdict.error / verdict.allowed if verdict.allowed else 0.0
    return verdict.honest, verdict.told, part, str(verdict)


def main() -> int:
    """Judge the runs; the exit status is 0 if all were honest."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    told, refused, compared, wrong, largest = 0, 0, count, 0, 0.0
    begun = time.perf_counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(verdict_of, range(first, first + count))
        for k, (honest, words, part, line) in enumerate(found, 1):
            if words == NOT_COMPARED:
                compared -= 1
                print(line, flush=True)
                continue
            told += bool(words)
            refused += words.startswith(("refused", "ended", "the run ended early"))
            largest = largest if words else max(largest, part)
            if not honest:
                wrong += 1
                print(line, flush=True)
            if k % 50 == 0:
                seconds = time.perf_counter() - begun
                print(f"{k} runs, {wrong} wrong, {seconds:.0f} s", flush=True)
    print(
        f"{count} runs, {count - compared} of them without a converged run in {PATIENCE:.0f} s; of "
        f"the others {compared - told} without a word, largest error {largest:.2g} of what is "
        f"allowed; {told} told ({refused} refused or ended early); {wrong} wrong"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
