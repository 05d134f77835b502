"""Sources of models given on the command line, and loading of models and runs from them.

A source is a place, optionally followed by a colon and a name in it: "arm.py:build",
"package.module:model", "arm.py", or a model file such as "arm.toml".  Other kinds of files are
added as readers in `_READERS`.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from ..errors import LissomError, ModelError, name_list, suggestion
from ..io.reading import read_regular
from ..model import Model

if TYPE_CHECKING:
    from ..io.model_file.build.simulation import ModelRun
    from ..io.model_file.problems import Problem


Reader = Callable[[Path, str], Model]

LARGEST = 64_000_000  # bytes of a program or URDF file

_WRITE = "write file.py, file.py:name, module:name or file.toml"


def load_model(source: str, *, code: bool = True) -> Model:
    """Model of a source.

    Parameters
    ----------
    source : str
        "module:name", "file.py:name" or "file.py".
    code : bool
        Whether user programs may be run; required for models in Python.
    """
    place, name = split_source(source)
    path = Path(place)
    if not code and path.suffix not in _READERS.keys() - {".py"}:
        raise ModelError(
            f"{place}: a model in Python is a program, which --no-code does not allow; give a "
            "model file, or omit --no-code"
        )
    if path.is_dir() and path.suffix not in _READERS:
        raise ModelError(f"{place} is a folder; give a model file in it")
    if path.suffix in _READERS:
        return _READERS[path.suffix](path, name)
    if place.endswith((".nc", ".npz", ".nc.part")):
        raise ModelError(f"{place} is a results file, not a model; use lissom plot or view")
    if path.exists() or "/" in place or "\\" in place:
        kinds = ", ".join(_READERS)
        raise ModelError(
            f"{place!r}: the suffix {path.suffix!r} is not that of a model; give a module, or a "
            f"file that ends in {kinds}"
        )
    return _from_module(place, name)


def short_name(source: str) -> str:
    """Name for output files of a source: that of its file or module.

    Parameters
    ----------
    source : str
        As for `load_model`.
    """
    place, _ = split_source(source)
    path = Path(place)
    return path.stem if path.suffix in _READERS else place.rpartition(".")[2]


def split_source(source: str) -> tuple[str, str]:
    """Place and name; a colon without a name after it belongs to the place."""
    place, _, name = source.rpartition(":")
    return (place, name) if place and name.isidentifier() else (source.removesuffix(":"), "")


def _from_python_file(path: Path, name: str) -> Model:
    with _importable(path.parent):
        module = ModuleType("_lissom_source")
        module.__file__ = str(path)
        sys.modules[module.__name__] = module  # classes look up their module
        text = _text(path)
        with _user_errors(str(path)):
            exec(compile(text, str(path), "exec"), module.__dict__)
        return _model_in(module, str(path), name)


def _text(path: Path, suffix: str = ".py") -> bytes:
    try:
        return read_regular(path, LARGEST)
    except OSError as error:
        if not path.parent.is_dir():
            raise ModelError(
                f"{path}: there is no folder {path.parent}; correct the path"
            ) from None
        if not path.exists():
            files = sorted(p.name for p in path.parent.glob(f"*{suffix}"))
            near = suggestion(path.name, files) if files else "correct the path"
            raise ModelError(f"{path}: there is no such file; {near}") from None
        raise ModelError(
            f"{path}: cannot be read ({error.strerror}); give a readable file"
        ) from None


def _from_module(place: str, name: str) -> Model:
    with _importable(Path()):
        if not all(part.isidentifier() for part in place.split(".")):
            raise ModelError(f"{place!r} is neither a file nor a module; {_WRITE}")
        file = _file_of(place)
        with _user_errors(file or place):
            module = importlib.import_module(place)
        return _model_in(module, place, name)


def _file_of(module: str) -> str:
    """File of a module, "" if it has none; importing its package may fail."""
    with _user_errors(module):
        try:
            spec = importlib.util.find_spec(module)
        except ModuleNotFoundError as error:
            if not f"{module}.".startswith(f"{error.name}."):
                raise
            spec = None
    if spec is None:
        raise ModelError(
            f"there is neither a file nor a module {module!r}; {_WRITE} (modules are searched for "
            "in this folder and on Python's path)"
        )
    return spec.origin or ""


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Make modules of a folder importable, and redirect what the user program prints."""
    folder_name = str(folder.resolve())
    sys.path.insert(0, folder_name)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if folder_name in sys.path:
            sys.path.remove(folder_name)


@contextmanager
def _user_errors(file: str) -> Iterator[None]:
    """Convert exceptions of a user program to one line with file and line number."""
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
    """Whether a file is in the user's folder and not in a package installed there."""
    path = Path(file)
    return path.is_relative_to(folder) and "site-packages" not in path.parts


def _message(error: BaseException) -> str:
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split())
    if isinstance(error, SystemExit):
        return "the program exits here; put this under if __name__ == '__main__'"
    if isinstance(error, LissomError):
        return text  # complete as it is
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _model_in(module: ModuleType, place: str, name: str) -> Model:
    if not name:
        return _only_model(module, place)
    if not hasattr(module, name):
        names = [*_models(module), *_functions(module)]
        raise ModelError(f"{place} has no {name!r}; {suggestion(name, names)}")
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
            f"{place} has several models: {names}; choose one, such as {place}:{next(iter(models))}"
        )
    if functions := _functions(module):
        raise ModelError(
            f"{place} has no Model at module level; if a function returns it, choose one of "
            f"{name_list(functions, show=str)}, such as {place}:{functions[0]}"
        )
    raise ModelError(
        f"{place} has neither a Model nor a function; add one, such as model = lissom.Model()"
    )


def _models(module: ModuleType) -> dict[str, Model]:
    """Models at module level by name."""
    variables = vars(module).items()
    return {name: x for name, x in variables if isinstance(x, Model) and not name.startswith("_")}


def _functions(module: ModuleType) -> list[str]:
    """Functions defined in the module."""
    return [
        name
        for name, x in vars(module).items()
        if inspect.isfunction(x) and x.__module__ == module.__name__ and not name.startswith("_")
    ]


def _called(function: Callable[[], Any], title: str, module: ModuleType) -> Any:
    try:
        arguments = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a built-in function without a signature
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
    with _user_errors(getattr(module, "__file__", None) or title):
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
        raise ModelError(f"{path}: a model file contains one model; omit {':' + name!r}")
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


def load_source(source: str, *, code: bool = True, changes: Sequence[str] = ()) -> ModelRun:
    """Model of a source, ready to run; without a section [simulation] it starts at rest.

    Parameters
    ----------
    source : str
        As for `load_model`.
    code : bool
        Whether user programs may be run.
    changes : sequence of str
        Values in place of those of a model file, ADDRESS=VALUE.
    """
    run, problems = checked_source(source, functions=True, code=code, changes=changes)
    if run is None or problems:
        from ..io.model_file.source import failed

        raise failed(sorted(problems))
    return run


def checked_source(
    source: str,
    *,
    functions: bool,
    code: bool = True,
    changes: Sequence[str] = (),
    begin: bool = False,
) -> tuple[ModelRun | None, list[Problem]]:
    """Run of a source, or None if it cannot be loaded, and the problems of a model file.

    Parameters
    ----------
    source : str
        As for `load_model`.
    functions : bool
        Whether to look up functions named in a model file, which runs user programs.
    code : bool
        Whether user programs may be run; otherwise functions are problems.
    changes : sequence of str
        As for `load_source`.
    begin : bool
        Whether to close loops, and to put the run of a model file at its start, which finds what
        `run` refuses.
    """
    from ..io.load import MODEL_SUFFIXES
    from ..io.model_file.build.simulation import ModelRun, checked_run

    place, name = split_source(source)
    if not name and place.lower().endswith(MODEL_SUFFIXES):
        run, problems = checked_run(
            place, functions=functions, code=code, changes=changes, begin=begin
        )
        if run is None or problems or run.settings:
            return run, problems
    elif changes:
        raise typer.BadParameter(
            f"--set {changes[0]}: {source} is no model file, whose values could be set; write one "
            "with Model.save, or change the program"
        )
    else:
        model = load_model(source, code=code)
        system = model.compile()
        run = ModelRun(model, system, system.neutral(), {})
    if begin:
        from ..io.model_file.build.closed_start import closed_start

        run, _ = closed_start(run)
    return run, []
