"""Numbers and room that are put one after another in a packed array."""

from __future__ import annotations

import numpy as np

Array = np.ndarray


class Stack:
    """Constants that are put one after another."""

    def __init__(self, header: int) -> None:
        self.values = [np.zeros(header)]
        self.size = header

    def add(self, *pieces: Array) -> int:
        """Offset of the first of new pieces."""
        offset = self.size
        for piece in pieces:
            flat = np.asarray(piece, dtype=float).ravel()
            self.values.append(flat)
            self.size += len(flat)
        return offset

    def joined(self) -> Array:
        """All of them in one array."""
        return np.concatenate(self.values)


class Room:
    """Room that is handed out."""

    def __init__(self, size: int) -> None:
        self.size = size

    def add(self, n: int) -> int:
        """Offset of n more numbers."""
        self.size += n
        return self.size - n
