"""Safe file operations: free space, atomic replacement, locks, durable names."""

from __future__ import annotations

import errno
import itertools
import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from ...errors import ResultError
from .shield import give_way, shielded

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PathLike = str | os.PathLike[str]


def as_path(path: object) -> str:
    """Path as text, or a ResultError; a number, which would be a file descriptor, is rejected."""
    try:
        text = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        text = None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ResultError(f"path is {path!r}; expected the name of a file, such as 'run.nc'")
    return text


def open_regular(path: PathLike) -> BinaryIO:
    """File to read; pipes and devices, which may never end, are rejected without waiting."""
    file = open(path, "rb", opener=_without_waiting)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))
    return file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def check_space(path: PathLike, bytes_needed: float) -> None:
    """Reject a run whose results will not fit on the disk."""
    folder = os.path.dirname(os.path.abspath(written(os.fspath(path))))
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
    """Name of a new file next to `path` that replaces it when the block succeeds.

    A Ctrl-C waits until then, see `shield`.  If `path` is a symbolic link, its target is replaced.
    Temporary files left behind by killed programs are removed from the folder.
    """
    final = written(os.path.abspath(path))
    temporary = ""
    with shielded():
        try:
            if os.path.isdir(final):
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            _remove_left(os.path.dirname(final))
            temporary, lock = _new_beside(final)
            try:
                yield temporary
                give_way()
                with open(temporary, "rb+") as file:
                    os.fsync(file.fileno())
                os.replace(temporary, final)
                flush_folder(final)
            finally:
                if lock is not None:
                    os.close(lock)
        except ResultError:
            raise
        except (OSError, RuntimeError) as error:  # RuntimeError: raised by HDF5
            raise ResultError.of(error, path, "write") from None
        finally:
            with suppress(OSError):
                os.unlink(temporary)


def written(path: str) -> str:
    """File that is written for `path`: the target, if it is a symbolic link."""
    return os.path.realpath(path) if os.path.islink(path) else path


def journal_path(path: PathLike) -> tuple[str, str]:
    """Paths NAME.nc and NAME.nc.part from either one, or those of the target of a symbolic link."""
    name = written(os.fspath(path).removesuffix(".part"))
    return name, name + ".part"


_COUNT = itertools.count()
_LEFT = re.compile(r"\..+\.\d+-\d+\.lissom\.tmp")


def _new_beside(final: str) -> tuple[str, int | None]:
    """New file in the folder of another: its name, and the open file descriptor with its lock."""
    folder, name = os.path.split(final)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = os.path.join(folder, f".{name}.{os.getpid()}-{next(_COUNT)}.lissom.tmp")
        try:
            lock = os.open(path, flags, 0o666)
        except FileExistsError:
            continue
        if fcntl is None:  # Windows cannot replace an open file
            os.close(lock)
            return path, None
        locked(lock)
        with suppress(OSError):
            if os.path.samestat(os.fstat(lock), os.stat(path)):
                return path, lock
        os.close(lock)  # another program removed it as abandoned before it was locked


def locked(file: int) -> bool:
    """Lock an open file until it is closed; return False if another process has locked it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def _remove_left(folder: str) -> None:
    """Remove our temporary files that no program has open."""
    names = []
    with suppress(OSError):  # problems with the folder are reported when it is written to
        names = [name for name in os.listdir(folder) if _LEFT.fullmatch(name)]
    for name in names if fcntl is not None else ():
        with suppress(OSError):
            file = os.open(path := os.path.join(folder, name), os.O_RDWR)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(file)


def flush_folder(path: PathLike) -> None:
    """Flush the directory entry of a new file to the disk, if the operating system supports it."""
    with suppress(OSError):
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
