"""Bump allocators for packed arrays."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


class ConstantStack:
    """Packed constants."""

    def __init__(self, header: int) -> None:
        self.values = [np.zeros(header)]
        self.size = header

    def add(self, *pieces: Array) -> int:
        """Append arrays; return the offset of the first."""
        offset = self.size
        for piece in pieces:
            flat = np.asarray(piece, dtype=float).ravel()
            self.values.append(flat)
            self.size += len(flat)
        return offset

    def joined(self) -> Array:
        """All constants in one array."""
        return np.concatenate(self.values)


class Buffer:
    """Packed array without content, of which parts are reserved."""

    def __init__(self, size: int) -> None:
        self.size = size

    def add(self, n: int) -> int:
        """Reserve n numbers; return their offset."""
        self.size += n
        return self.size - n
