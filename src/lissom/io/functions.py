"""Functions that model files name: "file.py:name" beside the file, or "module:name"."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..errors import LoadError, suggestion
from .reading import read_regular

__all__ = ["FROM_FILE", "found_function", "unread_function"]

LARGEST = 64_000_000  # bytes of a program
FROM_FILE = "_lissom_"  # how modules made of files beside a model file begin


def unread_function(*arguments: Any) -> Any:
    """What stands for a function that is not looked up; it is never called."""
    raise AssertionError("a function that was not looked up is called")


def found_function(name: str, folder: str, modules: dict[str, ModuleType]) -> Any:
    """Function of the user's program, or object with a method `update`; this runs the program.

    Parameters
    ----------
    name : str
        "file.py:name" or "module:name".
    folder : str
        Where the model file is; files and modules there are found.
    modules : dict
        Programs that were run for this model file, by their place: each is run once.
    """
    place, _, attribute = name.rpartition(":")
    if place not in modules:
        from_file = place.endswith(".py")
        path = os.path.join(folder, place)
        modules[place] = _from_file(path) if from_file else _module(place, folder)
    module = modules[place]
    function = getattr(module, attribute, None)
    if not callable(function) and not callable(getattr(function, "update", None)):
        known = [x for x, value in vars(module).items() if callable(value) and x[0] != "_"]
        raise LoadError(f"{place} has no function {attribute!r}; {suggestion(attribute, known)}")
    return function


def _from_file(path: str) -> ModuleType:
    try:
        text = read_regular(path, LARGEST)
    except OSError as error:
        raise LoadError(f"{path}: it cannot be read ({error.strerror})") from None
    name = f"{FROM_FILE}{os.path.splitext(os.path.basename(path))[0]}"
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module  # classes look for their module
    _run(lambda: exec(compile(text, path, "exec"), module.__dict__), path)
    return module


def _module(name: str, folder: str) -> ModuleType:
    sys.path.insert(0, os.path.abspath(folder or "."))
    try:
        return _run(lambda: importlib.import_module(name), name)
    finally:
        sys.path.pop(0)


def _run(program: Callable[[], Any], name: str) -> Any:
    """Run the user's program; what it raises is told in one line."""
    try:
        return program()
    except (Exception, SystemExit) as error:
        words = " ".join(str(error).split())
        raise LoadError(f"{name}: {type(error).__name__}: {words}") from error
