"""Text output to files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..errors import ResultError


def as_path(path: Any, what: str) -> Path:
    """Path given by the user; `what` names it in messages."""
    try:
        return Path(path)
    except TypeError:
        raise ResultError(f"{what} is {path!r}; give a path, such as 'generated'") from None


def write_text(path: str | Path, text: str) -> Path:
    """Write a file, creating its folder if needed, or raise a ResultError."""
    where = as_path(path, "path")
    try:
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ResultError.of(error, where, "write") from None
    return where
