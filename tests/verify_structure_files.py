"""Damaged finite-element files: each is refused with an error that names it, or gives numbers."""

from __future__ import annotations

import sys

if __name__ == "__main__":
    from tests.tools.fuzz_report import report
    from tests.tools.structure_file_fuzz import StructureFuzz

    result = "each was refused with an error that names it, or gave finite numbers; none hung"
    sys.exit(report(StructureFuzz, "damaged finite-element files", result, __doc__))
