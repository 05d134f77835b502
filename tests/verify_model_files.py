"""Model files with random mistakes: what is wrong comes as a problem, soon, in little memory."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Matrices are small: threads would only wait for each other.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tests.tools.fuzz_report import report
    from tests.tools.model_file_mutations import ModelFileFuzz

    result = "each was read, or answered with its problems"
    sys.exit(report(ModelFileFuzz, "mutated model files", result, __doc__))
