"""Where things stand in a file: line and column of every key, for messages.

Parsers forget the lines of what they have read.  These small scanners walk once more through text
that a parser has accepted, and note where each key and each entry of a list begins.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["Path", "Places", "json_places", "toml_places", "yaml_places"]

Path = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(r"[^,\]\}\s#]+(?: \d\d:[^,\]\}\s#]+)?")
_NOTED = ("[", "{", '"', "'")  # entries of lists with a place of their own: not bare numbers
_STRINGS = {
    '"""': re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}', re.DOTALL),
    "'''": re.compile(r"'''.*?'{3,5}", re.DOTALL),
    '"': re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL),
    "'": re.compile(r"'[^']*'"),
}


class Places:
    """Line and column of keys, by their path in the data.

    Parameters
    ----------
    text : str
        The file.
    """

    def __init__(self, text: str) -> None:
        self.offsets: dict[Path, int] = {}
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def of(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Line and column, from 1, of a key or of the nearest thing that encloses it."""
        key = tuple(path)
        while key and key not in self.offsets:
            key = key[:-1]
        return self.position(self.offsets.get(key, 0))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a place in the text."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class _Scanner:
    """Walks through values of TOML or JSON, which differ in the sign after a key."""

    def __init__(self, text: str, sign: str) -> None:
        self.text, self.sign, self.at = text, sign, 0
        self.places = Places(text)

    def skip(self, pattern: re.Pattern[str] = _BLANK) -> None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def note(self, path: Path, offset: int) -> None:
        self.places.offsets.setdefault(path, offset)

    def string(self) -> str:
        """Text of the string here, its escapes as they are but for those of keys."""
        quote = next(q for q in _STRINGS if self.text.startswith(q, self.at))
        found = _STRINGS[quote].match(self.text, self.at)
        if found is None:
            raise ValueError("a string does not end")
        self.at = found.end()
        inner = found[0][len(quote) : -len(quote)]
        if "\\" in inner and quote == '"':
            try:
                return str(json.loads(f'"{inner}"'))
            except ValueError:
                return inner
        return inner

    def key(self) -> Path:
        """Dotted key here, as a path."""
        names: list[str] = []
        while True:
            self.skip(_SPACE)
            if self.next() in "\"'":
                names.append(self.string())
            else:
                found = _BARE.match(self.text, self.at)
                if found is None:
                    raise ValueError("a key is expected")
                names.append(found[0])
                self.at = found.end()
            self.skip(_SPACE)
            if self.next() != ".":
                return tuple(names)
            self.at += 1

    def pair(self, path: Path) -> None:
        """Key, sign and value."""
        start = self.at
        names = self.key()
        self.skip()
        if self.next() != self.sign:
            raise ValueError("a sign is expected")
        self.at += 1
        for k in range(len(names)):
            self.note(path + names[: k + 1], start)
        self.skip()
        self.value(path + names)

    def value(self, path: Path) -> None:
        sign = self.next()
        if sign in ("[", "{"):
            self.several(path, "]" if sign == "[" else "}")
        elif sign in ('"', "'"):
            self.string()
        else:
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                raise ValueError("a value is expected")
            self.at = found.end()

    def several(self, path: Path, end: str) -> None:
        """List or table in brackets."""
        self.at += 1
        n = 0
        while True:
            self.skip()
            if self.next() == end:
                self.at += 1
                return
            if not self.next():
                raise ValueError("a bracket is open")
            if end == "]":
                if self.next() in _NOTED:
                    self.note((*path, n), self.at)
                self.value((*path, n))
            else:
                self.pair(path)
            n += 1
            self.skip()
            if self.next() == ",":
                self.at += 1


def json_places(text: str) -> Places:
    """Places in a JSON file that can be read."""
    scanner = _Scanner(text, ":")
    scanner.skip()
    scanner.value(())
    return scanner.places


def toml_places(text: str) -> Places:
    """Places in a TOML file that can be read."""
    scanner = _Scanner(text, "=")
    counts: dict[Path, int] = {}
    table: Path = ()
    while True:
        scanner.skip()
        if not scanner.next():
            return scanner.places
        if scanner.next() == "[":
            table = _header(scanner, counts)
        else:
            scanner.pair(table)


def _header(scanner: _Scanner, counts: dict[Path, int]) -> Path:
    """Path of the table that a line [a.b] or [[a.b]] opens."""
    start = scanner.at
    many = scanner.text.startswith("[[", start)
    scanner.at += 2 if many else 1
    names = scanner.key()
    scanner.at += 2 if many else 1
    path: Path = ()
    for k, name in enumerate(names):
        path = (*path, name)
        scanner.note(path, start)
        if many and k == len(names) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
            scanner.note(path, start)
    return path


def yaml_places(text: str, node: Any) -> Places:
    """Places in a YAML file, from the nodes that its parser composed."""
    places = Places(text)
    waiting: list[tuple[Path, Any]] = [((), node)]
    while waiting:
        path, here = waiting.pop()
        if here is None or not isinstance(here.value, list):
            continue
        for n, entry in enumerate(here.value):
            if isinstance(entry, tuple):
                key, value = entry
                inner = (*path, str(key.value))
                places.offsets.setdefault(inner, key.start_mark.index)
            else:
                value, inner = entry, (*path, n)
                if isinstance(value.value, str) and not value.style:
                    continue  # a bare number
                places.offsets.setdefault(inner, entry.start_mark.index)
            waiting.append((inner, value))
    return places
