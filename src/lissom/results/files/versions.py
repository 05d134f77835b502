"""Format versions of files."""

from __future__ import annotations

from typing import Any

from ... import __version__
from ...errors import ResultError
from .disk import PathLike

__all__ = ["FORMAT_VERSION", "check_version", "lissom_version"]

# Of all files of results; a reader refuses later ones.
# 1: trees; 2: loops; 3: couplings; 4: frames and servos; 5: bodies at level "stiffened"; 6: rods;
# 7: bodies at level "ruthless", or in the frame of their shapes; 8: loads on joints of loops;
# 9: rotors on bodies; 10: in NetCDF files, the system as one variable; 11: the words of
# `records.codec`, before which a file had the first version that could hold it; 12: residual
# compliance of bodies, shapes of contact.
FORMAT_VERSION = 12


def lissom_version() -> str:
    """Version of lissom, as noted in files."""
    return __version__


def check_version(path: PathLike, version: Any) -> None:
    """Reject a file written by a later version of lissom."""
    if int(version) > FORMAT_VERSION:
        raise ResultError(
            f"{path} has format version {int(version)}, but this lissom reads versions up to "
            f"{FORMAT_VERSION}; update lissom"
        )
