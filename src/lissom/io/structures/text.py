"""Text files of finite-element programs: lines with their places, and numbers in them.

What a file includes is quoted in no message: a file of a stranger could include any private one.
"""

from __future__ import annotations

import errno
import math
import os
from dataclasses import dataclass, field

from ...errors import ModelFileError, printable, suggestion
from ...results.files.disk import open_regular
from ..model_file.problems import Problem
from ..reading import read_regular

LARGEST = 4_000_000_000  # bytes of one file
DEEPEST = 16  # files that include each other
MOST_NUMBER = 2_000_000_000  # of a node or an element
_QUOTED = 60  # characters of a line in a message


def refused(path: str, message: str, line: int = 0) -> ModelFileError:
    """Error of one file."""
    problem = Problem(path, line, 1, "", message)
    return ModelFileError(str(problem), [problem])


def path_text(path: object) -> str:
    """Path as text; a ModelFileError for anything else."""
    name = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(name, str) or not name or "\0" in name:
        raise ModelFileError(f"path is {path!r}; expected the name of a file, such as 'arm.inp'")
    return name


def read_bytes(path: str, first: int | None = None) -> bytes:
    """Content of a regular file."""
    try:
        if first is None:
            return read_regular(path, LARGEST)
        with open_regular(path) as file:
            return file.read(first)
    except (OSError, ValueError, MemoryError) as error:
        if getattr(error, "errno", None) == errno.ENOENT:
            raise refused(path, f"there is no such file; {_neighbour(path)}") from None
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise refused(path, f"cannot be read ({reason}); give a plain file") from None


def _neighbour(path: str) -> str:
    try:
        names = sorted(os.listdir(os.path.dirname(path) or "."))
    except OSError:
        names = []
    return suggestion(os.path.basename(path), names) if names else "correct the path"


def read_text(path: str, what: str) -> str:
    """Content of a text file; binary files are named."""
    content = read_bytes(path)
    if not content.strip():
        raise refused(path, f"the file is empty; expected {what}")
    at = content.find(b"\0")
    if at >= 0:
        line = content[:at].count(b"\n") + 1
        raise refused(path, f"byte {at} is zero: a binary file; expected {what} as text", line)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


@dataclass(eq=False)
class Lines:
    """Lines of a file and of those that it includes, in the order of reading."""

    path: str  # the first file
    texts: list[str] = field(default_factory=list)  # lines without their ends
    files: list[str] = field(default_factory=list)  # file of each
    numbers: list[int] = field(default_factory=list)  # line number of each in its file

    @classmethod
    def of(cls, path: str, what: str) -> Lines:
        """Lines of one file; see `read_text`."""
        texts = read_text(path, what).splitlines()
        return cls(path, texts, [path] * len(texts), list(range(1, len(texts) + 1)))

    def __len__(self) -> int:
        return len(self.texts)

    def append(self, text: str, file: str, number: int) -> None:
        """Append one line."""
        self.texts.append(text)
        self.files.append(file)
        self.numbers.append(number)

    def pop(self) -> None:
        """Drop the last line."""
        for part in (self.texts, self.files, self.numbers):
            part.pop()

    def place(self, k: int) -> str:
        """Place of a line for lists: "line 12", with the name of an included file."""
        words = f"line {self.numbers[k]}"
        return words if self.files[k] == self.path else f"{self.files[k]}, {words}"

    def quoted(self, text: str, k: int) -> str:
        """Word of a line as a message may show it."""
        if self.files[k] != self.path:
            return "a word of this line"
        words = text.strip()
        return repr(words if len(words) <= _QUOTED else f"{words[:_QUOTED]}...")

    def refused(self, k: int, message: str) -> ModelFileError:
        """Error at a line."""
        k = min(k, len(self.texts) - 1)
        return refused(self.files[k], message, self.numbers[k])

    def integer(self, text: str, k: int, what: str, least: int = 1) -> int:
        """Whole number in a line."""
        value = whole(text)
        if value is None or not least <= value <= MOST_NUMBER:
            expected = f"expected {what}, a whole number from {least} to {MOST_NUMBER}"
            raise self.refused(k, f"{self.quoted(text, k)} found; {expected}")
        return value

    def real(self, text: str, k: int, what: str) -> float:
        """Finite number in a line; parameters as for `integer`."""
        value = number(text)
        if value is None:
            raise self.refused(k, f"{self.quoted(text, k)} found; expected {what}, a finite number")
        return value


def whole(text: str) -> int | None:
    """Whole number of a word; None if it is none."""
    text = text.strip()
    if len(text) > 18 or "_" in text or not text.isascii():
        return None
    try:
        return int(text)
    except ValueError:
        return None


def number(text: str) -> float | None:
    """Finite number of a word, Fortran's exponents 1.D3 and 1.+3 included; None if it is none."""
    text = text.strip()
    if "_" in text or not text.isascii():
        return None
    try:
        value = float(text)
    except ValueError:
        value = _fortran(text.upper())
    return value if math.isfinite(value) else None


def _fortran(text: str) -> float:
    text = text.replace("D", "E")
    cut = max(text.rfind("+"), text.rfind("-"))
    if cut > 0 and text[cut - 1] != "E" and "E" not in text:
        text = f"{text[:cut]}E{text[cut:]}"
    try:
        return float(text)
    except ValueError:
        return math.nan


def included(lines: Lines, k: int, name: str, chain: tuple[str, ...]) -> str:
    """Path of an included file, seen from the folder of the first."""
    if not name or "\0" in name:
        raise lines.refused(k, "include of no file; write its name")
    path = os.path.normpath(os.path.join(os.path.dirname(lines.path), name))
    if path in chain or len(chain) >= DEEPEST:
        shown = printable(" -> ".join([*chain, path]))
        raise lines.refused(k, f"files include each other ({shown}); remove one of the includes")
    return path
