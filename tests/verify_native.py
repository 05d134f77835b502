"""Kernels built ahead, for each processor level, against those that Numba compiles here.

Every kernel that Python calls, on several mechanisms; runs with every load and integrator.  Prints
the largest difference of each kernel; the last line is the result.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from lissom.kernels.compiling import LIBRARY
from tests.tools.native_numbers import LONG, NUMBERS, differences, numbers_of

ROUNDING = {"advance": 1e-9}  # adaptive steps follow the rounding of their errors


def main() -> int:
    """Compare; the exit status is the number of kernels that disagree at a level."""
    if LIBRARY is None:
        print("the kernels are not built ahead: make kernels")
        return 1
    levels = LIBRARY.levels
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "numbers.npz")
        by_numba = numbers_of(file, *LONG, LISSOM_KERNELS="numba")
        failed = 0
        for level in levels:
            ahead = numbers_of(file, *LONG, LISSOM_KERNELS="native", LISSOM_KERNELS_LEVEL=level)
            worst: dict[str, float] = {}
            for key, error in differences(by_numba, ahead).items():
                symbol = key.partition(" ")[0]
                worst[symbol] = max(error, worst.get(symbol, 0.0))
            for symbol, error in worst.items():
                good = error <= ROUNDING.get(symbol, 1e-11)
                failed += not good
                print(f"{level:10} {symbol:20} {error:8.1e}{'' if good else '  TOO LARGE'}")
    if failed:
        print(f"{failed} kernels built ahead differ from those of Numba")
    else:
        print(f"{len(NUMBERS)} kernels at {', '.join(levels)}: as those of Numba, to round-off")
    return failed


if __name__ == "__main__":
    sys.exit(main())
