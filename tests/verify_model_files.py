"""Model files with random mistakes: what is wrong comes as a problem, soon, in little memory."""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small: threads would only wait

from tests.fuzz_report import report
from tests.model_file_mutations import ModelFileFuzz

if __name__ == "__main__":
    result = "each was read, or answered with its problems"
    sys.exit(report(ModelFileFuzz, "mutated model files", result, __doc__))
