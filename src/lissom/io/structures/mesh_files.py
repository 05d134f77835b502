"""Mesh files, read by meshio.

Some of its readers never end on a file that is cut off, or end the program; the files that they get
from here raise an error instead, and only formats are read of which this is known.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import warnings
from collections.abc import Callable
from typing import Any

from ...errors import ModelError, ModelFileError, printable, shown

_MOST = 2_000_000_000  # bytes
_ENDS = 100  # times that a reader may ask for more at the end of a file


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
    title, reader, opened = _format(path, name)
    module, function = reader.split(":")
    said = io.StringIO()
    try:
        with opened(path) as file, _quiet(said):
            return getattr(importlib.import_module(module), function)(file)
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


class _Bytes(io.BufferedReader):
    """Binary file that ends."""

    _ends = 0

    def read(self, size: int | None = -1, /) -> bytes:
        return self._noticed(super().read(size))

    def readline(self, size: int | None = -1, /) -> bytes:
        return self._noticed(super().readline(-1 if size is None else size))

    def _noticed(self, data: bytes) -> bytes:
        self._ends += not data
        if self._ends > _ENDS:
            raise EOFError("it ends too early")
        return data


class _Text(io.TextIOWrapper):
    """Text file that ends."""

    _ends = 0

    def read(self, size: int | None = -1, /) -> str:
        return self._noticed(super().read(size))

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        return self._noticed(super().readline(size))

    def _noticed(self, data: str) -> str:
        self._ends += not data
        if self._ends > _ENDS:
            raise EOFError("it ends too early")
        return data


def _bytes(path: Any) -> Any:
    return _Bytes(io.FileIO(path))


def _text(path: Any) -> Any:
    return _Text(_Bytes(io.FileIO(path)), encoding="utf-8")


def _path(path: Any) -> Any:
    return contextlib.nullcontext(os.fspath(path))


# Format by suffix, the function of meshio that reads it, and how this wants the file
FORMATS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    ".msh": ("Gmsh", "meshio.gmsh.main:read_buffer", _bytes),
    ".inp": ("Abaqus", "meshio.abaqus._abaqus:read", _text),
    ".vtk": ("VTK", "meshio.vtk._main:read_buffer", _bytes),
    ".vtu": ("VTK", "meshio.vtu._vtu:read", _path),
    ".bdf": ("Nastran", "meshio.nastran._nastran:read", _text),
    ".nas": ("Nastran", "meshio.nastran._nastran:read", _text),
    ".mesh": ("Medit", "meshio.medit._medit:read_ascii_buffer", _text),
    ".med": ("Salome", "meshio.med._med:read", _path),
}


def _format(path: str | os.PathLike[str], name: str) -> tuple[str, str, Callable[[Any], Any]]:
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
