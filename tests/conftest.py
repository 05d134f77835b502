"""Kernels are compiled in two processes before the workers of pytest-xdist start."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress

import pytest

# The kernel of a run takes as long to compile as all the others, and comes last; `lissom.sim`
# registers the loads that it is made of.
RUN = "import lissom.sim\nfrom lissom.kernels.run.advance import ADVANCE\n"
PROGRAMS = (
    f"{RUN}ADVANCE.load()",
    f"{RUN}from lissom.kernels.compiling import compile_all; compile_all()",
)


def pytest_configure(config: pytest.Config) -> None:
    # Where a shell started the tests in the background Ctrl-C is ignored, also by programs that
    # they start; tests that send it would wait for ever.
    with suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput"):
        compile_kernels()


def compile_kernels() -> None:
    """Fill the cache; a minute or two where it is empty."""
    started = [
        subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.PIPE, text=True)
        for text in PROGRAMS
    ]
    for process in started:
        _, said = process.communicate()
        if process.returncode:
            raise pytest.UsageError(f"the kernels do not compile:\n{said}")
