"""Model files with random mistakes, by the hundred thousand: no traceback, no hang.

Each mutated file is checked, and every fourth is loaded; whatever is wrong with a file must come as
a problem or as ModelFileError within seconds.  Files that fail are kept in the folder that is
printed.  The exit status is the number of failures, at most 100; the last line is the result.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

from tests.model_file_mutations import faults

BLOCK = 2000  # files of one seed


def main() -> int:
    """Run the blocks of files and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=int, nargs="?", default=100_000, help="how many")
    parser.add_argument("--seed", type=int, default=1000, help="of the first block")
    options = parser.parse_args()
    warnings.simplefilter("ignore", RuntimeWarning)
    folder = Path(tempfile.mkdtemp(prefix="lissom_model_files_"))
    start, done, found = time.perf_counter(), 0, 0
    for block in range(-(-options.files // BLOCK)):
        count = min(BLOCK, options.files - done)
        for wrong in faults(folder, count, options.seed + block):
            found += 1
            print(wrong, flush=True)
        done += count
        print(f"{done} files, {time.perf_counter() - start:.0f} s", flush=True)
    if found:
        print(f"{found} of {done} mutated model files were not answered properly, see {folder}")
    else:
        print(f"{done} mutated model files: each was read, or answered with its problems")
    return min(found, 100)


if __name__ == "__main__":
    sys.exit(main())
