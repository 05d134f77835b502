"""Format versions of files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import ResultError
from .disk import PathLike

if TYPE_CHECKING:
    from ..system import System

# Version of all results files; later versions are rejected.  1: trees; 2: loops; 3: couplings.
FORMAT_VERSION = 3


def version_for(system: System) -> int:
    """Format version of the files of a system: the first that supports it.

    So files without loops and couplings can be read by every version of lissom, and digests do not
    change.  Earlier readers may ignore the names of drives, which do not affect the motion.

    Parameters
    ----------
    system : System
        System in the file.
    """
    if system.couplings:
        return 3
    return 2 if system.loops else 1


@cache
def lissom_version() -> str:
    """Version of lissom, as noted in files."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("lissom")
    except PackageNotFoundError:
        return "not installed"


def check_version(path: PathLike, version: Any) -> None:
    """Reject a file written by a later version of lissom.

    Parameters
    ----------
    path : path
        The file, for messages.
    version : int
        Format version of the file.
    """
    if int(version) > FORMAT_VERSION:
        raise ResultError(
            f"{path} has format version {int(version)}, but this lissom reads versions up to "
            f"{FORMAT_VERSION}; update lissom"
        )
