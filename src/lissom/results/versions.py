"""Versions that files state, and whether one can be read."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..errors import ResultError
from .disk import PathLike

__all__ = ["FORMAT_VERSION", "check_version", "lissom_version"]

FORMAT_VERSION = 1  # of all files of results; a reader refuses later ones


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
