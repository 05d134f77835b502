"""Kernels are compiled before the workers of pytest-xdist start, each of which takes one core."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.tools.children import bound_all


def pytest_configure(config: pytest.Config) -> None:
    bound_all()
    # Where a shell started the tests in the background Ctrl-C is ignored, also by programs that
    # they start; tests that send it would wait for ever.
    with suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"):
        # More threads than cores in BLAS wait for each other, and take time from other workers.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        compile_kernels()


def pytest_collection_finish() -> None:
    """Take what was imported out of garbage collections: 600,000 objects, again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def small_chunks(monkeypatch):
    """Journals that grow with every step."""
    from lissom.sim.run import record, runner

    monkeypatch.setattr(record, "PERIOD", 0.0)
    monkeypatch.setattr(runner, "SLICE", 1e-9)
    monkeypatch.setattr(runner, "FIRST_BUDGET", 1)


def compile_kernels() -> None:
    """Build all kernels, for a minute or two where they are not up to date.

    Without a C compiler Numba compiles what the tests use.
    """
    subprocess.run([sys.executable, "-m", "lissom.building"], check=False)
