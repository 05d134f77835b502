"""Content of results files besides the rows: the system, the names of its loads, and notes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...system import System
from .packed import json_text, pack, unpack
from .system import describe

Array = np.ndarray

TEXTS = ("description", "wrenches", "meta")  # JSON, as characters
CONTENT = "content"  # variable of NetCDF files with all of it, packed


def packed_content(system: System, names: Any, meta: dict[str, Any]) -> Array:
    """Bytes of all content; `names` are `Columns.names`."""
    description, arrays = describe(system)
    texts = dict(zip(TEXTS, (description, names, meta), strict=True))
    return np.frombuffer(pack(texts, arrays), np.uint8)


def unpacked_content(stored: dict[str, Array]) -> tuple[list[Any], dict[str, Array]]:
    """The three texts and the arrays of a system, from the variables of a file.

    Before format 10 each array and each text was a variable.
    """
    if CONTENT not in stored:
        return [json.loads(stored.pop(name).tobytes()) for name in TEXTS], stored
    texts, arrays = unpack(stored[CONTENT].tobytes())
    return [texts[name] for name in TEXTS], arrays


def system_arrays(system: System, names: Any, meta: dict[str, Any]) -> dict[str, Array]:
    """The system, the names of its loads and the notes of a run as arrays."""
    description, arrays = describe(system)
    for name, value in zip(TEXTS, (description, names, meta), strict=True):
        arrays[name] = np.frombuffer(json_text(value).encode("ascii"), "S1")
    return arrays


def group_digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the result of `system_arrays`."""
    result = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.size:
            kind = array.dtype.newbyteorder("<")
            result.update(f"{name} {kind.str} {array.shape} ".encode())
            result.update(array.astype(kind).tobytes())
    return result.hexdigest()
