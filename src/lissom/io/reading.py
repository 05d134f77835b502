"""Files that a model names: read whole, if they are files and not too large."""

from __future__ import annotations

import errno
import os

from ..results.disk import open_regular

__all__ = ["read_regular"]


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """What a file holds; pipes and devices, which may never end, are refused without waiting.

    Parameters
    ----------
    path : path
        The file.
    most : int
        Bytes that it may have.

    Raises
    ------
    OSError
        If it cannot be opened or read, is not a file, or has more bytes (EFBIG).
    """
    with open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has more than {most / 1e6:g} MB", str(path))
    return content
