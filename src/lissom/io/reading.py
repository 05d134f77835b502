"""Reading of whole regular files up to a size limit."""

from __future__ import annotations

import errno
import os

from ..results.files.disk import open_regular


def read_regular(path: str | os.PathLike[str], most: int) -> bytes:
    """Content of a regular file; pipes and devices are rejected without blocking.

    `most`: largest size [bytes].
    """
    with open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most / 1e6:g} MB", str(path))
    return content
