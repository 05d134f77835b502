"""Arrays of numbers for a page, without duplicates."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray

LARGEST = 1e30  # larger numbers, from failed runs, are clipped
_TYPES = {
    "float64": "<f8",
    "float32": "<f4",
    "uint32": "<u4",
    "uint16": "<u2",
    "int16": "<i2",
    "int8": "|i1",
    "uint8": "|u1",
}


class Arrays:
    """Numbered arrays; an array that is added again gets the number of the first."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._computed: dict[Any, Any] = {}

    def add(self, values: Any, kind: str = "float32") -> int:
        """Number by which the page accesses these values."""
        data = np.ascontiguousarray(values, dtype=_TYPES[kind]).tobytes()
        return self._numbers.setdefault((kind, data), len(self._numbers))

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """Result of `make`, computed once for each key."""
        if key not in self._computed:
            self._computed[key] = make()
        return self._computed[key]

    def encoded(self) -> list[list[str]]:
        """Kind and base64 text of each array, in the order of their numbers."""
        return [[kind, base64.b64encode(data).decode()] for kind, data in self._numbers]
