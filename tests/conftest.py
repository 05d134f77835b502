"""Kernels are compiled in one process before the workers of pytest-xdist start."""

from __future__ import annotations

import importlib
import importlib.util
import signal
from contextlib import nullcontext, suppress

import pytest

ENTRIES = (
    "lissom.algorithms._kernels.entries",
    "lissom.sim",  # it registers the loads that the kernel of a run is made of
    "lissom.algorithms._kernels.simulation.run",
)


def pytest_configure(config: pytest.Config) -> None:
    # Where a shell started the tests in the background Ctrl-C is ignored, also by programs that
    # they start; tests that send it would wait for ever.
    with suppress(ValueError):  # not in the main thread
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    is_controller = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if is_controller and importlib.util.find_spec(ENTRIES[0]) is not None:
        from lissom.algorithms._kernels.compiling import compile_all

        for name in ENTRIES:
            importlib.import_module(name)
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            compile_all()
