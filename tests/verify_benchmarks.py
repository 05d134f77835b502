"""Every benchmark at quick depth: its tables are whole, its figures and its JSON are made.

The last line is the result; the exit status is the number of benchmarks that failed.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from pathlib import Path

from benchmarks import NAMES, run_benchmark
from benchmarks.depth import QUICK
from tests.tools.benchmark_checks import check_result


def main() -> int:
    """Run all of them."""
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        for name in NAMES:
            start = time.perf_counter()
            try:
                check_result(run_benchmark(name, QUICK, lambda *_: None), name, Path(folder))
            except Exception:
                traceback.print_exc()
                failed.append(name)
            print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    if failed:
        print(f"{len(failed)} of {len(NAMES)} benchmarks fail: {', '.join(failed)}")
    else:
        print(f"{len(NAMES)} benchmarks: tables are whole, figures and JSON are made")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
