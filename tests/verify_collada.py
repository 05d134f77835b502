"""Collada meshes with random mistakes: what is wrong comes as our error, soon, in little memory."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Matrices are small: threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tests.samples.collada_files import ColladaFuzz
    from tests.tools.fuzz_report import report

    result = "each was read, or answered with an error of lissom"
    sys.exit(report(ColladaFuzz, "mutated Collada meshes", result, __doc__))
