"""Content of results files besides the rows, as arrays: the system and three texts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...system import System
from .packed import json_text
from .system import describe

Array = np.ndarray

TEXTS = ("description", "wrenches", "meta")  # JSON, as characters


def system_arrays(system: System, names: Any, meta: dict[str, Any]) -> dict[str, Array]:
    """The system, the names of its loads and the notes of a run as arrays.

    Parameters
    ----------
    system, names, meta
        Simulated system, `Columns.names`, JSON-compatible notes.
    """
    description, arrays = describe(system)
    for name, value in zip(TEXTS, (description, names, meta), strict=True):
        arrays[name] = np.frombuffer(json_text(value).encode("ascii"), "S1")
    return arrays


def group_digest(arrays: Mapping[str, Array]) -> str:
    """SHA-256 of the result of `system_arrays`.

    Parameters
    ----------
    arrays : mapping
        Arrays as stored in a file; empty ones are ignored.
    """
    result = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        if array.size:
            kind = array.dtype.newbyteorder("<")
            result.update(f"{name} {kind.str} {array.shape} ".encode())
            result.update(array.astype(kind).tobytes())
    return result.hexdigest()
