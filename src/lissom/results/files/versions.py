"""Format versions of files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ...errors import ResultError
from .disk import PathLike

if TYPE_CHECKING:
    from ...system import System
    from ..store import Columns

__all__ = ["FORMAT_VERSION", "check_version", "lissom_version", "version_for"]

# Of all files of results; a reader refuses later ones.
# 1: trees; 2: loops; 3: couplings; 4: frames and servos; 5: bodies at level "stiffened"; 6: rods;
# 7: bodies at level "ruthless", or in the frame of their shapes; 8: loads on joints of loops;
# 9: rotors on bodies; 10: in NetCDF files, the system as one variable.
FORMAT_VERSION = 10


def version_for(system: System, columns: Columns | None = None, *, frames: bool = True) -> int:
    """Format version of the files of a system: the first that can hold it.

    So files without loops, couplings and named frames are read by every version of lissom, and
    digests stay.  Loads on frames go by names that an earlier reader would not find.  It may
    leave out the names of drives: nothing moves differently without them.
    """
    if columns is not None and columns.wheels:
        return 9
    if columns is not None and columns.loaded:
        return 8
    if any(body.floating is not None or body.level == "ruthless" for body in system.bodies):
        return 7
    if any(body.rod is not None for body in system.bodies):
        return 6
    if any(body.second_order is not None for body in system.bodies):
        return 5
    named = columns is not None and (columns.servos or columns.springs or columns.rotors)
    if named or (frames and system.frames):
        return 4
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
    """Reject a file written by a later version of lissom."""
    if int(version) > FORMAT_VERSION:
        raise ResultError(
            f"{path} has format version {int(version)}, but this lissom reads versions up to "
            f"{FORMAT_VERSION}; update lissom"
        )
