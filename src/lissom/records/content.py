"""Content of results files besides the rows: the system, the names of its loads, and notes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..system import System
from .packed import pack, unpack
from .system import describe

Array = np.ndarray

TEXTS = ("description", "wrenches", "meta")  # JSON, as characters
CONTENT = "content"  # variable of files with all of it, packed


def packed_content(system: System, names: Any, meta: dict[str, Any]) -> Array:
    """Bytes of all content; `names` are `Columns.names`."""
    words, arrays = describe(system)
    return np.frombuffer(pack(dict(zip(TEXTS, (words, names, meta), strict=True)), arrays), "u1")


def unpacked_content(stored: dict[str, Array]) -> tuple[list[Any], dict[str, Array]]:
    """The three texts and the arrays of a system, from the variables of a file.

    Before format 10, in NumPy archives before 11, each array and each text was a variable.
    """
    if CONTENT not in stored:
        return [json.loads(stored.pop(name).tobytes()) for name in TEXTS], stored
    texts, arrays = unpack(stored[CONTENT].tobytes())
    return [texts[name] for name in TEXTS], arrays


def group_digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the variables of a file that hold its content."""
    result = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.size:
            kind = array.dtype.newbyteorder("<")
            result.update(f"{name} {kind.str} {array.shape} ".encode())
            result.update(array.astype(kind).tobytes())
    return result.hexdigest()
