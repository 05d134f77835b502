"""Kernels are compiled before the workers of pytest-xdist start."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress

import pytest


def pytest_configure(config: pytest.Config) -> None:
    # Where a shell started the tests in the background Ctrl-C is ignored, also by programs that
    # they start; tests that send it would wait for ever.
    with suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"):
        compile_kernels()


def compile_kernels() -> None:
    """Build all kernels, for a minute or two where they are not up to date.

    Without a C compiler Numba compiles what the tests use.
    """
    subprocess.run([sys.executable, "-m", "lissom.building"], check=False)
