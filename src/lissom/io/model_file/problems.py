"""Problems in model files, with their locations."""

from __future__ import annotations

from dataclasses import dataclass

from ...printing import Shown


@dataclass(frozen=True, order=True)
class Problem(Shown):
    """A problem in a model file.

    Attributes
    ----------
    file : str
        Path as given.
    line, column : int
        Counted from 1; zero if the problem has no line.
    key : str
        Path of the key, such as "parts[2].body.mass".
    message : str
        Value found, expectation and remedy.
    """

    file: str
    line: int
    column: int
    key: str
    message: str

    def __str__(self) -> str:
        """One line in the format of compilers, "file:line:column: key: message"."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return ": ".join(x for x in (place, self.key, self.message) if x)


def key_text(path: tuple[str | int, ...]) -> str:
    """Path of a key as text, such as "parts[2].body.mass"."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
