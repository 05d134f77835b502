"""Mesh files, read by meshio.

One of its readers (Fluent's .msh) never returns from a file that is cut off, and `meshio.read` ends
the program where it fails; so its readers are called directly, those that are known to end.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import warnings
from typing import Any

from ...errors import ModelError, ModelFileError, printable, shown
from .gmsh_sizes import check_sizes

_MOST = 2_000_000_000  # bytes


def read_mesh(path: str | os.PathLike[str]) -> Any:
    """Mesh of a file, as meshio has it.

    Parameters
    ----------
    path : path
        File whose suffix is that of a format, see `FORMATS`.

    Raises
    ------
    ModelFileError
        If the file is missing, empty, damaged or of another format.
    """
    try:
        import meshio  # noqa: F401
    except ImportError as error:
        raise ModelError(
            "mesh files are read by the package meshio, which is not installed; install it with: "
            'pip install "lissom[fe]"'
        ) from error
    name = file_name(path)
    _check_file(path, name)
    title, module = _format(path, name)
    said = io.StringIO()
    try:
        if title == "Gmsh":
            check_sizes(path)
        with _quiet(said):
            return importlib.import_module(f"meshio.{module}").read(os.fspath(path))
    except (Exception, SystemExit) as error:
        text = (str(error) or said.getvalue()).strip().splitlines() or [type(error).__name__]
        raise ModelFileError(
            f"{name}: it cannot be read as a file of {title} ({printable(text[0])}); the file is "
            "damaged, or its suffix is not that of its format"
        ) from None


def file_name(path: Any) -> str:
    """Name of a file in messages."""
    return os.path.basename(os.fspath(path)) or shown(path)


@contextlib.contextmanager
def _quiet(said: io.StringIO) -> Any:
    """What a reader prints goes to `said`; its warnings go nowhere: errors say more."""
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def _check_file(path: str | os.PathLike[str], name: str) -> None:
    try:
        size = os.stat(path).st_size
    except OSError as error:
        raise ModelFileError(f"{name}: {error.strerror}: {os.fspath(path)}") from None
    if not os.path.isfile(path):
        raise ModelFileError(f"{name}: not a regular file; give a mesh such as 'bracket.msh'")
    if not size:
        raise ModelFileError(f"{name}: the file is empty (0 bytes); write the mesh again")
    if size > _MOST:
        raise ModelFileError(f"{name}: the file has {size / 1e9:.3g} GB; meshes may have 2 GB")


# Format by suffix, and the module of meshio that reads it
FORMATS = {
    ".msh": ("Gmsh", "gmsh.main"),
    ".inp": ("Abaqus", "abaqus._abaqus"),
    ".vtk": ("VTK", "vtk._main"),
    ".vtu": ("VTK", "vtu._vtu"),
    ".bdf": ("Nastran", "nastran._nastran"),
    ".nas": ("Nastran", "nastran._nastran"),
    ".mesh": ("Medit", "medit._medit"),
    ".med": ("Salome", "med._med"),
}


def _format(path: str | os.PathLike[str], name: str) -> tuple[str, str]:
    suffix = os.path.splitext(name)[1].lower()
    if suffix not in FORMATS:
        raise ModelFileError(
            f"{name}: the suffix {suffix!r} is not that of a known mesh format; give "
            f"{', '.join(FORMATS)}, or read it yourself and give the mesh: meshio.read(path)"
        )
    with open(path, "rb") as file:
        start = file.read(100).lstrip()
    if suffix == ".msh" and not start.startswith(b"$"):
        raise ModelFileError(
            f"{name}: it is no mesh of Gmsh, which begins with $MeshFormat; save it as Gmsh does, "
            "or read it yourself and give the mesh: meshio.read(path)"
        )
    return FORMATS[suffix]
