"""The kernels on strided arrays, uncompiled; `tests.verify_strided` compiles them for such."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def test_kernels_give_the_same_on_columns_of_wider_arrays():
    done = subprocess.run(
        [sys.executable, "-m", "tests.verify_strided"],
        cwd=Path(__file__).parents[2],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "strided: simulation" in done.stdout
