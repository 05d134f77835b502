"""Functions named in model files: "file.py:name", relative to the file, or "module:name"."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...errors import LoadError, suggestion
from ..reading import read_regular

LARGEST = 64_000_000  # most bytes of a program
FROM_FILE = "_lissom_"  # prefix of modules made from "file.py"


def unread_function(*_: Any) -> Any:
    """Placeholder for a function that is not looked up; never called."""
    raise AssertionError("a function was called that had not been looked up")


def import_function(name: str, folder: str, modules: dict[str, ModuleType]) -> Any:
    """Function of the user's program, or object with a method `update`; runs the program."""
    place, _, attribute = name.rpartition(":")
    if place not in modules:
        from_file = place.endswith(".py")
        path = os.path.join(folder, place)
        modules[place] = _from_file(path) if from_file else _module(place, folder)
    module = modules[place]
    function = getattr(module, attribute, None)
    if not callable(function) and not callable(getattr(function, "update", None)):
        names = [x for x, value in vars(module).items() if callable(value) and x[0] != "_"]
        raise LoadError(f"{place} has no function {attribute!r}; {suggestion(attribute, names)}")
    return function


def _from_file(path: str) -> ModuleType:
    try:
        text = read_regular(path, LARGEST)
    except OSError as error:
        raise LoadError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    name = f"{FROM_FILE}{os.path.splitext(os.path.basename(path))[0]}"
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module  # needed by dataclasses and pickle
    _run(lambda: exec(compile(text, path, "exec"), module.__dict__), path)
    return module


def _module(name: str, folder: str) -> ModuleType:
    sys.path.insert(0, os.path.abspath(folder or "."))
    try:
        return _run(lambda: importlib.import_module(name), name)
    finally:
        sys.path.pop(0)


def _run(program: Callable[[], Any], name: str) -> Any:
    """Run the user's program; an exception becomes a LoadError in one line."""
    try:
        return program()
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split())
        raise LoadError(f"{name}: {type(error).__name__}: {words}") from error
