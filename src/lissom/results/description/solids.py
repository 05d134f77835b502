"""Conversion of solids to text and numbers, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...bodies.solids import SOLIDS, Solid, solid_fields
from .joints import Numbers

_KINDS = {kind.__name__: kind for kind in SOLIDS.values()}


def described_solids(solids: Sequence[Solid]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Kind, color and sizes of each solid; numbers of all solids."""
    words: list[dict[str, Any]] = []
    numbers: list[Any] = []
    for solid in solids:
        fields = solid_fields(type(solid))
        counted = [name for name, (shape, *_) in fields.items() if shape and shape[0] < 0]
        rows = {name: _rows(getattr(solid, name), fields[name][0]) for name in counted}
        words.append({"kind": solid.name, "color": solid.color, "rows": rows})
        numbers += [solid.at, solid.rotation, *(getattr(solid, name) for name in fields)]
    return words, numbers


def restored_solids(words: Sequence[dict[str, Any]], numbers: Numbers) -> tuple[Solid, ...]:
    """Solids from a description."""
    return tuple(_restored(word, numbers) for word in words)


def _rows(value: Any, shape: tuple[int, ...]) -> int | list[int]:
    """Number of rows, or numbers of arrays and of rows of each."""
    counts = list(np.shape(value))[: np.ndim(value) - len(shape) + 1]
    return counts[0] if len(counts) == 1 else counts


def _restored(word: dict[str, Any], numbers: Numbers) -> Solid:
    kind = _KINDS[word["kind"]]
    at, rotation = numbers.take(3), numbers.take(3, 3)
    values = {}
    for name, (shape, whole, _) in solid_fields(kind).items():
        rows = np.atleast_1d(word["rows"][name]).tolist() if shape and shape[0] < 0 else shape[:1]
        value = numbers.take(*(int(n) for n in (*rows, *shape[1:])))
        values[name] = value.astype(int) if whole else value
    return kind(at=at, rotation=rotation, color=word["color"], **values)
