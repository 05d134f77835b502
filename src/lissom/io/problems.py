"""Problems of model files, each with its place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Problem", "key_text"]


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong in a model file.

    Attributes
    ----------
    file : str
        Path as it was given.
    line, column : int
        From 1; zero where no line is to blame.
    key : str
        Path of the key, such as "parts[2].body.mass".
    message : str
        What was found, what was expected, what to do.
    """

    file: str
    line: int
    column: int
    key: str
    message: str

    def __str__(self) -> str:
        """One line, as compilers write it."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return ": ".join(x for x in (place, self.key, self.message) if x)


def key_text(path: tuple[str | int, ...]) -> str:
    """Path of a key in words, such as "parts[2].body.mass"."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
