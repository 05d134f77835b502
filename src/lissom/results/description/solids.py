"""Conversion of solids to text and numbers, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...bodies.solids import SOLIDS, Solid, solid_fields
from .joints import Numbers

_KINDS = {kind.__name__: kind for kind in SOLIDS.values()}


def described_solids(solids: Sequence[Solid]) -> tuple[list[dict[str, Any]], list[Any]]:
    """Kind, color and sizes of each solid; numbers of all solids.

    Parameters
    ----------
    solids : sequence of Solid
        Solids of one body.
    """
    words: list[dict[str, Any]] = []
    numbers: list[Any] = []
    for solid in solids:
        fields = solid_fields(type(solid))
        counted = [name for name, (shape, _) in fields.items() if shape and shape[0] < 0]
        rows = {name: len(getattr(solid, name)) for name in counted}
        words.append({"kind": solid.name, "color": solid.color, "rows": rows})
        numbers += [solid.at, solid.rotation, *(getattr(solid, name) for name in fields)]
    return words, numbers


def restored_solids(words: Sequence[dict[str, Any]], numbers: Numbers) -> tuple[Solid, ...]:
    """Solids from a description.

    Parameters
    ----------
    words : sequence of dict
        Result of `described_solids`.
    numbers : Numbers
        Numbers, which are consumed in order.
    """
    return tuple(_restored(word, numbers) for word in words)


def _restored(word: dict[str, Any], numbers: Numbers) -> Solid:
    kind = _KINDS[word["kind"]]
    at, rotation = numbers.take(3), numbers.take(3, 3)
    values = {}
    for name, (shape, whole) in solid_fields(kind).items():
        sizes = tuple(int(word["rows"][name]) if n < 0 else n for n in shape)
        value = numbers.take(*sizes)
        values[name] = value.astype(int) if whole else value
    return kind(at=at, rotation=rotation, color=word["color"], **values)
