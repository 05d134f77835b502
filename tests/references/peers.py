"""Other dynamics libraries that the tests compare with."""

from __future__ import annotations

import importlib
import os
from types import ModuleType
from typing import NoReturn

import pytest

IMPORT_NAMES = {"pin": "pinocchio", "mujoco": "mujoco", "exudyn": "exudyn", "casadi": "casadi"}


def peer(name: str) -> ModuleType:
    """Import a peer library by the name it is installed under.

    Without it the calling module or test is skipped. With CI=true it fails: there every comparison
    must run.
    """
    module = IMPORT_NAMES.get(name, name)
    try:
        return importlib.import_module(module)
    except ImportError as error:
        missing_peer(name, error)


def missing_peer(name: str, error: ImportError) -> NoReturn:
    """Skip, or fail where every comparison must run."""
    message = f"peer {name!r} is not installed: {error}"
    if os.environ.get("CI", "").lower() == "true":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)
