"""Text and arrays as bytes that are safe to read: JSON and plain numbers."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

Array = np.ndarray

_LAYOUT = struct.Struct("<Q")  # length of the text before packed arrays


def json_text(value: Any) -> str:
    """JSON in ASCII; NumPy numbers and arrays become numbers and lists."""

    def plain(x: Any) -> Any:
        if isinstance(x, (np.generic, np.ndarray)):
            return x.tolist()
        raise TypeError(f"{type(x).__name__} cannot be stored in a results file: {x!r}")

    return json.dumps(value, default=plain)


def pack(text: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """Dictionary and arrays as bytes, numbers little-endian."""
    stored = {name: np.asarray(array) for name, array in arrays.items()}
    stored = {name: a.astype(a.dtype.newbyteorder("<"), order="C") for name, a in stored.items()}
    if wrong := [name for name, a in stored.items() if a.dtype.kind not in "biufc"]:
        raise TypeError(f"array {wrong[0]!r} does not contain numbers")
    table = [[name, a.dtype.str, a.shape] for name, a in stored.items()]
    head = json_text({"text": text, "arrays": table}).encode("ascii")
    return b"".join([_LAYOUT.pack(len(head)), head, *(a.tobytes() for a in stored.values())])


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Dictionary and arrays from the bytes of `pack`; ValueError if they are incomplete."""
    try:
        (length,) = _LAYOUT.unpack_from(data)
        at = _LAYOUT.size + length
        head = json.loads(data[_LAYOUT.size : at])
        arrays = {}
        for name, kind, shape in head["arrays"]:
            dtype = np.dtype(kind)
            if dtype.kind not in "biufc":
                raise ValueError(f"array {name!r} does not contain numbers")
            size = int(np.prod(shape, dtype=int)) * dtype.itemsize
            arrays[name] = np.frombuffer(data[at : at + size], dtype).reshape(shape).copy()
            at += size
        return head["text"], arrays
    except (struct.error, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not packed text and arrays: {error}") from None
