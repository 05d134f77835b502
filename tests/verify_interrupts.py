"""Ctrl-C at random moments of saving and loading: the process lives and the files are whole.

The last line is the result; the exit status is the number of batches that failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter

from tests.tools.children import bound_all

BATCH = 50  # in one process
SLOWEST = 600  # [s] for a batch


def batch(count: int, seed: int) -> tuple[str, Counter[str]]:
    """What a process says that is interrupted so many times, and what it saw; empty if all is well.

    Parameters
    ----------
    count, seed : int
        How many times, and where the random numbers start.
    """
    command = [sys.executable, "-m", "tests.tools.interrupted_saves", str(count), str(seed)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SLOWEST)
    except subprocess.TimeoutExpired:
        return f"it did not end in {SLOWEST} s", Counter()
    *words, last = done.stdout.strip().splitlines() or [""]
    if done.returncode or done.stderr:
        return f"exit code {done.returncode}\n{done.stdout}{done.stderr}", Counter()
    seen = (part.split("=") for part in last.split(", "))
    return "\n".join(words), Counter({name: int(n) for name, n in seen})


def main() -> int:
    """Run the batches and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interrupts", type=int, nargs="?", default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed, total = 0, Counter[str]()
    for first in range(0, options.interrupts, BATCH):
        seed = options.seed + first
        wrong, seen = batch(min(BATCH, options.interrupts - first), seed)
        total += seen
        failed += bool(wrong)
        if wrong:
            print(f"seed {seed}: {wrong}", flush=True)
        print(f"{first + BATCH} of {options.interrupts}: {dict(total)}", flush=True)
    if failed:
        print(f"{failed} processes ended badly or left files that are not whole")
    else:
        print(
            f"{total['interrupted']} interrupts while files were written and read: no process "
            f"ended, {total['old']} files were as before, {total['new']} new ones were whole, none "
            "lay about"
        )
    return failed


if __name__ == "__main__":
    bound_all()
    sys.exit(main())
