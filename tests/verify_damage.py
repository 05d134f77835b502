"""Damaged files of results: each is refused with an error that names it, or its data are right."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from functools import partial

    from tests.tools.damaged_files import ResultFuzz
    from tests.tools.fuzz_report import report

    result = "each was refused with an error that names it, or gave the right data; none hung"
    sys.exit(report(partial(ResultFuzz, old=0.02), "damaged files of results", result, __doc__))
