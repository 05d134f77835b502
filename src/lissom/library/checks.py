"""Constants and checks shared by the mechanisms of the library."""

from __future__ import annotations

from typing import Any

from .. import fields

MOST = 100_000  # bodies, elements or modes
EARTH = (0.0, 0.0, -9.81)


def count(value: Any, what: str, least: int) -> int:
    """Whole number from `least` to `MOST`."""
    return fields.count(value, what, least, MOST)
