"""Versions that files state, and whether one can be read."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import ResultError
from .disk import PathLike

if TYPE_CHECKING:
    from ..system import System
    from .store import Columns

__all__ = ["FORMAT_VERSION", "check_version", "lissom_version", "version_for"]

# Of all files of results; a reader refuses later ones.
# 1: trees; 2: loops; 3: couplings; 4: servos.
FORMAT_VERSION = 4


def version_for(system: System, columns: Columns | None = None) -> int:
    """Format version of the files of a system: the first that can hold it.

    So files without loops and couplings are read by every version of lissom, and digests stay.  An
    earlier reader may leave out the names of drives: nothing moves differently without them.

    Parameters
    ----------
    system : System
        What the file is about.
    columns : Columns, optional
        What its rows hold.
    """
    if columns is not None and columns.servos:
        return 4
    if system.couplings:
        return 3
    return 2 if system.loops else 1


@cache
def lissom_version() -> str:
    """Version of lissom that writes a file, for its reader."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lissom")
    except PackageNotFoundError:
        return "not installed"


def check_version(path: PathLike, version: Any) -> None:
    """Refuse a file that a later version of lissom wrote.

    Parameters
    ----------
    path : path
        The file, for the message.
    version : int
        Format version that it states.
    """
    if int(version) > FORMAT_VERSION:
        raise ResultError(
            f"{path} has format version {int(version)}, and this lissom reads versions up to "
            f"{FORMAT_VERSION}; update lissom"
        )
