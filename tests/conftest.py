"""Kernels are compiled in one process before the workers of pytest-xdist start."""

from __future__ import annotations

import importlib
import importlib.util
from contextlib import nullcontext

import pytest

ENTRIES = "lissom.algorithms._kernels.entries"


def pytest_configure(config: pytest.Config) -> None:
    is_controller = config.getoption("dist", "no") != "no" and not hasattr(config, "workerinput")
    if is_controller and importlib.util.find_spec(ENTRIES) is not None:
        from lissom.algorithms._kernels.compiling import compile_all

        importlib.import_module(ENTRIES)
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            compile_all()
