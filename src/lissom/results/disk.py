"""What the disk is asked for: space, whole files, names that last."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from ..errors import ResultError

__all__ = ["PathLike", "as_path", "check_space", "flush_folder", "open_regular", "replacing"]

PathLike = str | os.PathLike[str]


def as_path(path: object) -> str:
    """Path as text, or a ResultError; a number would name a file that is open already.

    Parameters
    ----------
    path : path
        What the user gave.
    """
    try:
        found = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        found = None
    if not isinstance(found, str) or not found or "\0" in found:
        raise ResultError(f"path is {path!r}; expected the name of a file, such as 'run.nc'")
    return found


def open_regular(path: PathLike) -> BinaryIO:
    """File to read; pipes and devices, which may never end, are refused without waiting.

    Parameters
    ----------
    path : path
        The file.
    """
    file = open(path, "rb", opener=_without_waiting)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    return file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def check_space(path: PathLike, bytes_needed: float) -> None:
    """Refuse a run whose results will not fit on the disk.

    Parameters
    ----------
    path : path
        File that will be written.
    bytes_needed : float
        All that will be written there.  The journal of a run and the file that it becomes are on
        the disk together for a moment: count both.
    """
    folder = os.path.dirname(os.path.abspath(path))
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise ResultError.of(error, path, "write") from None
    if free < bytes_needed:
        raise ResultError(
            f"cannot write {path}: {_size(bytes_needed)} are needed and {_size(free)} are free on "
            "the disk; free some space, choose a path on another disk or store fewer rows "
            "(a larger output_step)"
        )


def _size(n: float) -> str:
    return f"{n / 1e9:.3g} GB" if n >= 1e9 else f"{n / 1e6:.3g} MB"


@contextmanager
def replacing(path: PathLike) -> Iterator[str]:
    """Name of a new file beside `path` that takes its place when everything went well.

    Parameters
    ----------
    path : path
        The file.
    """
    final = os.path.abspath(path)
    folder, name = os.path.split(final)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        if os.path.isdir(final):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with open(temporary, "wb"):
            pass  # HDF5 would report a folder that cannot be written in words of its own
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, final)
        flush_folder(final)
    except ResultError:
        raise
    except (OSError, RuntimeError) as error:  # RuntimeError: some of HDF5's
        raise ResultError.of(error, path, "write") from None
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def flush_folder(path: PathLike) -> None:
    """Bring the name of a new file to the disk, where the system can do so.

    Parameters
    ----------
    path : path
        The file.
    """
    with suppress(OSError):
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
