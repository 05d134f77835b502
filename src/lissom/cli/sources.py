"""Models that commands are told to work on: where they are, and how they are got from there.

A source is what stands before the last colon, and a name in it after the colon:
"arm.py:build", "package.module:model", "arm.py" alone, or a model file such as "arm.toml".  Another
kind of file is one more reader in `_READERS`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from ..errors import LissomError, ModelError, name_list, suggestion
from ..io.reading import read_regular
from ..model import Model

Reader = Callable[[Path, str], Model]

LARGEST = 64_000_000  # bytes of a program or a robot

_WRITE = "write file.py, file.py:name, module:name or file.toml"


def load_model(source: str, *, code: bool = True) -> Model:
    """Model of a source.

    Parameters
    ----------
    source : str
        "module:name", "file.py:name" or "file.py".
    code : bool
        Whether programs of the user may be run, which models in Python are.
    """
    place, name = divided(source)
    path = Path(place)
    if not code and path.suffix not in _READERS.keys() - {".py"}:
        raise ModelError(
            f"{place}: a model in Python is a program, and --no-code refuses to run any; give a "
            "model file, or leave out --no-code"
        )
    if path.is_dir() and path.suffix not in _READERS:
        raise ModelError(f"{place} is a folder; give a model file in it")
    if path.suffix in _READERS:
        return _READERS[path.suffix](path, name)
    if place.endswith((".nc", ".npz", ".nc.part")):
        raise ModelError(f"{place} is for results, not for a model; see lissom plot, lissom view")
    if path.exists() or "/" in place or "\\" in place:
        kinds = ", ".join(_READERS)
        raise ModelError(
            f"{place!r}: the suffix {path.suffix!r} is not that of a model; models are read from "
            f"modules and files that end in {kinds}"
        )
    return _from_module(place, name)


def short_name(source: str) -> str:
    """Name for files that are made of a source: that of its file or module.

    Parameters
    ----------
    source : str
        As of `load_model`.
    """
    place, _ = divided(source)
    path = Path(place)
    return path.stem if path.suffix in _READERS else place.rpartition(".")[2]


def divided(source: str) -> tuple[str, str]:
    """Place and name; a colon that no name follows belongs to the place."""
    place, _, name = source.rpartition(":")
    return (place, name) if place and name.isidentifier() else (source.removesuffix(":"), "")


def _from_python_file(path: Path, name: str) -> Model:
    with _at_work(path.parent):
        module = ModuleType("_lissom_source")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module  # classes look for their module
        text = _text(path)
        with _own_mistakes(str(path)):
            exec(compile(text, str(path), "exec"), module.__dict__)
        return _found(module, str(path), name)


def _text(path: Path, suffix: str = ".py") -> bytes:
    try:
        return read_regular(path, LARGEST)
    except OSError as error:
        if not path.parent.is_dir():
            raise ModelError(f"{path}: there is no folder {path.parent}; correct it") from None
        if not path.exists():
            known = sorted(p.name for p in path.parent.glob(f"*{suffix}"))
            near = suggestion(path.name, known) if known else "correct the path"
            raise ModelError(f"{path}: there is no such file; {near}") from None
        raise ModelError(f"{path}: it cannot be read ({error.strerror}); correct that") from None


def _from_module(place: str, name: str) -> Model:
    with _at_work(Path()):
        if not all(part.isidentifier() for part in place.split(".")):
            raise ModelError(f"{place!r} is neither a file nor a module; {_WRITE}")
        file = _file_of(place)
        with _own_mistakes(file or place):
            module = importlib.import_module(place)
        return _found(module, place, name)


def _file_of(module: str) -> str:
    """File of a module, which need not have one; importing its package may fail already."""
    with _own_mistakes(module):
        try:
            spec = importlib.util.find_spec(module)
        except ModuleNotFoundError as error:
            if not f"{module}.".startswith(f"{error.name}."):
                raise
            spec = None
    if spec is None:
        raise ModelError(
            f"there is neither a file nor a module {module!r}; {_WRITE} (modules are looked for in "
            "this folder and where Python has them)"
        )
    return spec.origin or ""


@contextmanager
def _at_work(folder: Path) -> Iterator[None]:
    """Modules of that folder can be imported; what the user's program prints is not our output."""
    folder_name = str(folder.resolve())
    sys.path.insert(0, folder_name)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if folder_name in sys.path:
            sys.path.remove(folder_name)


@contextmanager
def _own_mistakes(file: str) -> Iterator[None]:
    """Exceptions of the user's program as one line with the place in their file."""
    try:
        yield
    except (Exception, SystemExit) as error:
        folder = Path(file).resolve().parent
        places = [
            (x.filename, x.lineno)
            for x in extract_tb(error.__traceback__)
            if x.filename == file or _is_inside(x.filename, folder)
        ]
        if isinstance(error, SyntaxError) and error.filename:
            places.append((error.filename, error.lineno))
        where = f"{places[-1][0]}, line {places[-1][1]}" if places else file
        raise ModelError(f"{where}: {_message(error)}") from None


def _is_inside(file: str, folder: Path) -> bool:
    """Whether a file is a neighbour of the user's, not of a package installed there."""
    path = Path(file)
    return path.is_relative_to(folder) and "site-packages" not in path.parts


def _message(error: BaseException) -> str:
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    if isinstance(error, SystemExit):
        return "the program ends itself here; put that under if __name__ == '__main__'"
    if isinstance(error, LissomError):
        return text  # it says all there is to say
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _found(module: ModuleType, place: str, name: str) -> Model:
    if not name:
        return _only_model(module, place)
    if not hasattr(module, name):
        known = [*_models(module), *_functions(module)]
        raise ModelError(f"{place} has no {name!r}; {suggestion(name, known)}")
    value = getattr(module, name)
    title = f"{place}: {name}"
    if callable(value) and not isinstance(value, type):
        return _checked(_called(value, title, module), f"{title}() returns")
    return _checked(value, f"{title} is")


def _only_model(module: ModuleType, place: str) -> Model:
    models = _models(module)
    if len({id(x) for x in models.values()}) == 1:
        return next(iter(models.values()))
    if models:
        names = name_list(models, show=str)
        raise ModelError(
            f"{place} has several models: {names}; say which, such as {place}:{next(iter(models))}"
        )
    if functions := _functions(module):
        raise ModelError(
            f"{place} has no Model at module level; if a function makes it, say which of "
            f"{name_list(functions, show=str)}, such as {place}:{functions[0]}"
        )
    raise ModelError(
        f"{place} has neither a Model nor a function; add one, such as model = lissom.Model()"
    )


def _models(module: ModuleType) -> dict[str, Model]:
    """Models at module level by name."""
    own = vars(module).items()
    return {name: x for name, x in own if isinstance(x, Model) and not name.startswith("_")}


def _functions(module: ModuleType) -> list[str]:
    """Functions that the module defines itself."""
    return [
        name
        for name, x in vars(module).items()
        if inspect.isfunction(x) and x.__module__ == module.__name__ and not name.startswith("_")
    ]


def _called(function: Callable[[], Any], title: str, module: ModuleType) -> Any:
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a function of C without a signature
        arguments = {}.values()
    needed = [
        x.name
        for x in arguments
        if x.default is x.empty and x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD)
    ]
    if needed:
        raise ModelError(
            f"{title}() needs {name_list(needed, show=str)}; write a function without arguments "
            "that calls it and returns the model"
        )
    with _own_mistakes(getattr(module, "__file__", None) or title):
        return function()


def _checked(value: Any, title: str) -> Model:
    if isinstance(value, Model):
        return value
    name = type(value).__name__
    kind = f"the class {value.__name__}" if isinstance(value, type) else f"of type {name}"
    kind = "None" if value is None else kind
    remedy = "give a Model, or a function without arguments that returns one"
    if name == "System":
        remedy = "give the model that it was compiled from"
    raise ModelError(f"{title} {kind}, not a Model; {remedy}")


def _from_model_file(path: Path, name: str) -> Model:
    from ..io import load

    if name:
        raise ModelError(f"{path}: a model file holds one model; leave out {':' + name!r}")
    if path.suffix == ".urdf":
        _text(path, ".urdf")
    model: Model = load(path)
    return model


_READERS: dict[str, Reader] = {
    ".py": _from_python_file,
    ".toml": _from_model_file,
    ".json": _from_model_file,
    ".yaml": _from_model_file,
    ".yml": _from_model_file,
    ".urdf": _from_model_file,
}
