"""Files of any supported type: `READERS` by suffix, and checks of model files."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import ModelFileError, printable
from ..results import Trajectory

if TYPE_CHECKING:
    from .model_file.build.simulation import ModelRun
    from .model_file.build.sweep import ModelSweep
    from .model_file.problems import Problem

MODEL_SUFFIXES = (".toml", ".json", ".yaml", ".yml")

# What `load` reads, by suffix: the module below `lissom.io` and its function, which takes the path
# and returns a model.  All other files are results, or refused as such.
READERS = {
    **dict.fromkeys(MODEL_SUFFIXES, ("model_file.build.model", "read_model")),
    ".urdf": ("urdf.robot", "read_robot"),
}
_READ = "ls.load reads model files (.toml, .json, .yaml), robots (.urdf) and results (.nc, .npz)"
# Files of other programs that look like one of these.
_FOREIGN = {
    ".xml": f"{_READ}; ls.read_urdf reads a URDF file of any name. MJCF of MuJoCo is not read: "
    "write the mechanism as a model, see the page 'From MuJoCo'",
    ".sdf": f"{_READ}, not SDF: convert it to URDF and use ls.read_urdf",
    ".xacro": f"{_READ}; expand it with xacro into a .urdf first",
}


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model or a trajectory; the suffix determines the type.

    Parameters
    ----------
    path : path
        A model file NAME.toml, NAME.json or NAME.yaml, see the page "Model files"; a robot
        NAME.urdf, see `read_urdf`; or results of a run: NAME.nc, NAME.npz, or the journal
        NAME.nc.part of an unfinished run.

    Returns
    -------
    Model or Trajectory

    Raises
    ------
    ModelFileError
        If a model file has errors; all of them are listed.
    ResultError
        If results cannot be read.
    """
    suffix = _suffix(path)
    if suffix in _FOREIGN:
        raise ModelFileError(f"{printable(os.fspath(path))}: {_FOREIGN[suffix]}")
    if suffix not in READERS:
        return Trajectory.load(path)
    module, function = READERS[suffix]
    return getattr(import_module(f"..{module}", __name__), function)(os.fspath(path))


def check_file(path: str | os.PathLike[str], *, functions: bool = False) -> list[Problem]:
    """All problems of a model file; an empty list if there are none.

    Parameters
    ----------
    path : path
        NAME.toml, NAME.json or NAME.yaml.
    functions : bool
        Whether to look up the functions named in the section [simulation], which runs the programs
        that define them.  If False, no code is run.

    Returns
    -------
    list of Problem
        Each with file, line, column, key and message; also what `simulate` would refuse at the
        start of the run, where loops are closed.  If the file names functions and they are not
        looked up, nothing is evaluated: only loops and settings are checked.
    """
    from .model_file.build.simulation import checked_run

    _check_path(path)
    try:
        return sorted(checked_run(path, functions=functions, begin=True)[1])
    except ModelFileError as error:
        return list(error.problems)


def load_run(path: str | os.PathLike[str], *, code: bool = True) -> ModelRun:
    """Load a model file with its section [simulation], ready to run.

    Parameters
    ----------
    path : path
        NAME.toml, NAME.json or NAME.yaml.
    code : bool
        Whether to look up the functions named in the file, which runs the programs that define
        them.  Use False for untrusted files: a file that names functions is then rejected.

    Returns
    -------
    ModelRun
        With ``.model``, ``.system``, ``.state``, ``.settings`` and ``.simulate()``.
    """
    from .model_file.build.simulation import checked_run
    from .model_file.source import failed

    _check_path(path)
    run, problems = checked_run(path, functions=code, code=code)
    if run is None or problems:
        raise failed(sorted(problems))
    return run


def load_sweep(path: str | os.PathLike[str], *, code: bool = True) -> ModelSweep:
    """Load a model file with its section [sweep], a parameter study ready to run.

    Parameters
    ----------
    path : path
        NAME.toml, NAME.json or NAME.yaml.
    code : bool
        Whether to look up the functions named in the file, as of `load_run`; that is done when
        all else in the file is right.

    Returns
    -------
    ModelSweep
        With ``.parameters``, ``.settings`` and ``.sweep()``.
    """
    from .model_file.build.simulation import checked_document
    from .model_file.build.sweep import check_section, model_sweep, names_functions
    from .model_file.includes import read_document
    from .model_file.source import failed

    _check_path(path)
    document = read_document(path)
    check_section(document)

    def checked(functions: bool) -> ModelRun:
        run, problems = checked_document(document, functions=functions, code=code)
        if run is None or problems:
            raise failed(sorted(problems))
        return run

    if code and names_functions(document):
        checked(functions=False)
    return model_sweep(document, checked(functions=code), code=code)


def _suffix(path: Any) -> str:
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else ""
    return os.path.splitext(name)[1].lower() if isinstance(name, str) else ""


def _check_path(path: Any) -> None:
    if not isinstance(path, (str, os.PathLike)) or not isinstance(os.fspath(path), str):
        raise ModelFileError(f"path is {path!r}; expected a path, such as 'arm.toml'")
