"""Writing text to files."""

from __future__ import annotations

from pathlib import Path

from ..errors import ResultError

__all__ = ["write_text"]


def write_text(path: str | Path, text: str) -> Path:
    """Write a file, and the folder if there is none, or say why that cannot be done."""
    where = Path(path)
    try:
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ResultError.of(error, where, "write") from None
    return where
