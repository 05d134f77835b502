"""Files with random mistakes, by the hundred thousand: progress, failures, and the result.

Files that fail are kept in the folder that is printed, and each is told with its seed and number:
--seed S --first K does it again from there.  The exit status is the number of failures, at most
100; the last line is the result.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

from tests.tools.file_fuzz import Fuzz, faults, peak

BLOCK = 2000  # files between two lines of progress


def report(make: Callable[[Path], Fuzz], what: str, result: str, words: str | None) -> int:
    """Run the blocks of files and report.

    Parameters
    ----------
    make : callable
        Gives the files, with a folder for them.
    what, result : str
        Of the last line.
    words : str
        What the command says of itself.
    """
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("files", type=int, nargs="?", default=100_000, help="how many")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    options = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)
    folder = Path(tempfile.mkdtemp(prefix="lissom_files_"))
    fuzz = make(folder)
    start, last, found = time.perf_counter(), options.first + options.files, 0
    for first in range(options.first, last, BLOCK):
        cases = range(first, min(first + BLOCK, last))
        for wrong in faults(fuzz, folder, options.seed, cases):
            found += 1
            print(wrong, flush=True)
        seconds, done = time.perf_counter() - start, cases.stop - options.first
        left = seconds / done * (options.files - done)
        print(f"{done} files, {seconds:.0f} s, {left:.0f} s to go, {peak():.0f} MB", flush=True)
    if found:
        print(f"{found} of {options.files} {what} were not answered properly, see {folder}")
    else:
        print(f"{options.files} {what}: {result}")
    return min(found, 100)
