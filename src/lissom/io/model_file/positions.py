"""Line and column of every key in a file, for messages.

Parsers do not report the lines of keys.  These small scanners go through text that a parser has
already accepted and record where each key and each entry of a list begins.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Sequence
from typing import Any

KeyPath = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(r"[^,\]\}\s#]+(?: \d\d:[^,\]\}\s#]+)?")
_NOTED = ("[", "{", '"', "'")  # beginnings of list entries that are recorded: not bare numbers
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
        Content of the file.
    """

    def __init__(self, text: str) -> None:
        self.offsets: dict[KeyPath, int] = {}
        self._starts = [0, *(m.end() for m in re.finditer("\n", text))]

    def of(self, path: Sequence[str | int]) -> tuple[int, int]:
        """Line and column, from 1, of a key or of the innermost known table around it."""
        key = tuple(path)
        while key and key not in self.offsets:
            key = key[:-1]
        return self.position(self.offsets.get(key, 0))

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset in the text."""
        line = bisect.bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


class _Scanner:
    """Scanner of TOML or JSON values, which differ in the separator after a key."""

    def __init__(self, text: str, separator: str) -> None:
        self.text, self.separator, self.offset = text, separator, 0
        self.places = Places(text)

    def skip(self, pattern: re.Pattern[str] = _BLANK) -> None:
        found = pattern.match(self.text, self.offset)
        self.offset = found.end() if found else self.offset

    def next(self) -> str:
        return self.text[self.offset : self.offset + 1]

    def note(self, path: KeyPath, offset: int) -> None:
        self.places.offsets.setdefault(path, offset)

    def string(self) -> str:
        """Consume a string and return its text; only escapes valid in JSON are decoded."""
        quote = next(q for q in _STRINGS if self.text.startswith(q, self.offset))
        found = _STRINGS[quote].match(self.text, self.offset)
        if found is None:
            raise ValueError("a string is not closed")
        self.offset = found.end()
        inner = found[0][len(quote) : -len(quote)]
        if "\\" in inner and quote == '"':
            try:
                return str(json.loads(f'"{inner}"'))
            except ValueError:
                return inner
        return inner

    def key(self) -> KeyPath:
        """Consume a dotted key and return it as a path."""
        names: list[str] = []
        while True:
            self.skip(_SPACE)
            if self.next() in "\"'":
                names.append(self.string())
            else:
                found = _BARE.match(self.text, self.offset)
                if found is None:
                    raise ValueError("a key is expected")
                names.append(found[0])
                self.offset = found.end()
            self.skip(_SPACE)
            if self.next() != ".":
                return tuple(names)
            self.offset += 1

    def pair(self, path: KeyPath) -> None:
        """Consume a key, its separator and its value."""
        start = self.offset
        names = self.key()
        self.skip()
        if self.next() != self.separator:
            raise ValueError("a separator is expected")
        self.offset += 1
        for k in range(len(names)):
            self.note(path + names[: k + 1], start)
        self.skip()
        self.value(path + names)

    def value(self, path: KeyPath) -> None:
        first = self.next()
        if first in ("[", "{"):
            self.several(path, "]" if first == "[" else "}")
        elif first in ('"', "'"):
            self.string()
        else:
            found = _TOKEN.match(self.text, self.offset)
            if found is None:
                raise ValueError("a value is expected")
            self.offset = found.end()

    def several(self, path: KeyPath, end: str) -> None:
        """Consume a list or table in brackets."""
        self.offset += 1
        n = 0
        while True:
            self.skip()
            if self.next() == end:
                self.offset += 1
                return
            if not self.next():
                raise ValueError("a bracket is not closed")
            if end == "]":
                if self.next() in _NOTED:
                    self.note((*path, n), self.offset)
                self.value((*path, n))
            else:
                self.pair(path)
            n += 1
            self.skip()
            if self.next() == ",":
                self.offset += 1


def json_places(text: str) -> Places:
    """Locations of keys in a valid JSON file."""
    scanner = _Scanner(text, ":")
    scanner.skip()
    scanner.value(())
    return scanner.places


def toml_places(text: str) -> Places:
    """Locations of keys in a valid TOML file."""
    scanner = _Scanner(text, "=")
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    while True:
        scanner.skip()
        if not scanner.next():
            return scanner.places
        if scanner.next() == "[":
            table = _header(scanner, counts)
        else:
            scanner.pair(table)


def _header(scanner: _Scanner, counts: dict[KeyPath, int]) -> KeyPath:
    """Path of the table opened by a line [a.b] or [[a.b]]."""
    start = scanner.offset
    many = scanner.text.startswith("[[", start)
    scanner.offset += 2 if many else 1
    names = scanner.key()
    scanner.offset += 2 if many else 1
    path: KeyPath = ()
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
    """Locations of keys in a YAML file, from the nodes composed by its parser."""
    places = Places(text)
    waiting: list[tuple[KeyPath, Any]] = [((), node)]
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
