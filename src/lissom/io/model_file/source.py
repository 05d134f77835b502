"""Parsing of TOML, JSON and YAML files within limits, with line numbers for messages."""

from __future__ import annotations

import bisect
import errno
import json
import os
import re
import tomllib
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from ...errors import ModelFileError, suggestion
from ..reading import read_regular
from .problems import Problem, key_text

LARGEST = 4_000_000  # most bytes of a model file; large arrays belong in an .npz file
LARGEST_YAML = 1_000_000
MOST_TABLES = 100_000
DEEPEST = 40  # levels of nested tables and lists

_CLAIM = re.compile(r"""^[\s{]*["']?lissom["']?\s*[=:]\s*\d""", re.MULTILINE)
_APART = re.compile(r"[,=\[\]{}]+")
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")


class Source:
    """A parsed file."""

    def __init__(
        self, path: str, text: str, data: dict[str, Any], locate: Callable[[], KeyPositions]
    ) -> None:
        self.path, self.text, self.data = path, text, data
        self._locate = locate

    @cached_property
    def places(self) -> KeyPositions:
        """Lines and columns of keys, found on first access."""
        try:
            return self._locate()
        except (ValueError, IndexError, StopIteration, RecursionError):
            return KeyPositions(self.text)  # every key is reported at line 1

    def problem(self, path: Sequence[str | int], message: str) -> Problem:
        """Problem at a key."""
        line, column = self.places.of(path)
        return Problem(self.path, line, column, key_text(tuple(path)), message)

    def value(self, path: Sequence[str | int]) -> Any:
        """Value at a key path; None if it does not exist."""
        here: Any = self.data
        for step in path:
            try:
                here = here[step]
            except (KeyError, IndexError, TypeError):
                return None
        return here


def failed(problems: Sequence[Problem]) -> ModelFileError:
    """Error with all problems."""
    return ModelFileError("\n".join(map(str, problems)), problems)


def read_source(path: str | os.PathLike[str], *, included: bool = False) -> Source:
    """Parsed file; every syntax error is a ModelFileError with its line."""
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        kinds = ", ".join(SUFFIXES)
        raise _refused(name, f"the suffix {suffix!r} is not a known format; use {kinds}")
    text = _text(name)
    if included and not _CLAIM.search(text):
        raise _refused(name, "not a model file; write lissom = 2 at the top of model files")
    try:
        source = SUFFIXES[suffix](name, text)
    except RecursionError:
        raise _refused(name, _TOO_DEEP) from None
    _check_data(source)
    return source


_TOO_DEEP = f"tables and lists are nested more than {DEEPEST} levels deep; use fewer levels"


def _refused(name: str, message: str, line: int = 0, column: int = 0) -> ModelFileError:
    return failed([Problem(name, line, column, "", message)])


def _text(name: str) -> str:
    try:
        content = read_regular(name, LARGEST)
    except (OSError, ValueError) as error:
        if "\0" not in name and not os.path.exists(name):
            folder = os.path.dirname(name) or "."
            files = [x for x in _listed(folder) if Path(x).suffix.lower() in SUFFIXES]
            near = suggestion(os.path.basename(name), files) if files else "correct the path"
            raise _refused(name, f"there is no such file; {near}") from None
        reason = getattr(error, "strerror", None) or str(error)
        if getattr(error, "errno", None) == errno.EFBIG:
            reason = f"{reason}; put large arrays into an .npz file"
        raise _refused(name, f"cannot be read ({reason})") from None
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise _refused(name, "not UTF-8 text; save the file as UTF-8", line, 1) from None


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _from_toml(name: str, text: str) -> Source:
    _check_dotted(name, text)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _PLACE.search(str(error))
        message = _PLACE.sub("", str(error)).strip()
        line, column = (int(match[1]), int(match[2])) if match and match[1] else _end(text)
        hint = next((x for start, x in _TOML_HINTS.items() if message.startswith(start)), "")
        raise _refused(name, f"invalid TOML: {message}{hint}", line, column) from None
    except (ValueError, OverflowError) as error:  # such as an integer of 5000 digits
        raise _refused(name, f"invalid TOML: {_short(error)}", 1, 1) from None
    return Source(name, text, data, lambda: toml_places(text))


_TOML_HINTS = {  # remedies, by the beginning of the parser's message
    "Invalid value": "; write a number, true, false, or text in quotes",
    "Illegal character '\\n'": "; a string has no closing quote",
    "Unterminated string": "; a string has no closing quote",
    "Expected newline": '; text, and numbers with a unit, need quotes: "3 m"',
    "Expected '='": "; write NAME = VALUE",
    "Cannot overwrite": "; the key is given twice, remove one of them",
    "Cannot declare": "; this table is given twice; write [[name]] for a list of tables",
}


def _check_dotted(name: str, text: str) -> None:
    """Reject dotted keys with many parts, which would take the parser hours."""
    if text.count(".") <= DEEPEST:
        return
    for k, line in enumerate(text.split("\n")):
        if line.count(".") <= DEEPEST:
            continue
        for word in _APART.split(line.replace(" ", "").replace("\t", "")):
            if word.count(".") > DEEPEST and sum(map(bool, word.split("."))) > DEEPEST:
                raise _refused(name, _TOO_DEEP, k + 1, 1)


def _from_json(name: str, text: str) -> Source:
    try:
        data = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"invalid JSON: {error.msg}"
        raise _refused(name, message, error.lineno, error.colno) from None
    except (ValueError, OverflowError) as error:
        raise _refused(name, f"invalid JSON: {_short(error)}", 1, 1) from None
    return Source(name, text, _table(name, data), lambda: json_places(text))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(x for x in names if names.count(x) > 1)
        raise ValueError(_given_twice(twice))
    return table


def _given_twice(key: str) -> str:
    return f"the key {key!r} is given twice in one table; remove one of them"


def _from_yaml(name: str, text: str) -> Source:
    try:
        import yaml
    except ImportError:
        raise _refused(name, "YAML needs PyYAML: pip install lissom[yaml]") from None
    if len(text) > LARGEST_YAML:
        size = f"{LARGEST_YAML / 1e6:g} MB"
        raise _refused(name, f"larger than {size}, too slow to read as YAML; use TOML or JSON")
    try:
        loader = _yaml_loader(yaml, name)(text)
        node = loader.get_single_node()
        _check_yaml_keys(yaml, node, name)
        data = loader.construct_document(node) if node is not None else {}
    except ModelFileError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        message = f"invalid YAML: {error.problem or error.context}"
        raise _refused(name, message, line, column) from None
    except (yaml.YAMLError, ValueError, OverflowError, TypeError, AttributeError) as error:
        raise _refused(name, f"invalid YAML: {_short(error)}", 1, 1) from None
    return Source(name, text, _table(name, data), lambda: yaml_places(text, node))


def _yaml_loader(yaml: Any, name: str) -> Any:
    """Loader that rejects aliases (which can expand beyond memory), tags and deep nesting."""

    class Loader(yaml.SafeLoader):
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            event = self.peek_event()
            place = (event.start_mark.line + 1, event.start_mark.column + 1)
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                remedy = "use [bodies] for bodies used several times"
                message = f"anchors and aliases (&, *) are not supported; {remedy}"
                raise _refused(name, message, *place)
            if getattr(event, "tag", None):
                message = f"the tag {event.tag!r} is not supported; leave it out"
                raise _refused(name, message, *place)
            if self.depth > DEEPEST:
                raise _refused(name, _TOO_DEEP, *place)
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

    return Loader


def _check_yaml_keys(yaml: Any, node: Any, name: str) -> None:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            place = (key.start_mark.line + 1, key.start_mark.column + 1)
            if not isinstance(key, yaml.ScalarNode):
                raise _refused(name, "a key is not text; put it into quotes", *place)
            if key.value in seen:
                raise _refused(name, _given_twice(key.value), *place)
            seen.add(key.value)
            _check_yaml_keys(yaml, value, name)
    elif isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            _check_yaml_keys(yaml, entry, name)


def _table(name: str, data: Any) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise _refused(name, "the content is not a table; expected keys with values", 1, 1)
    return data


def _check_data(source: Source) -> None:
    """Reject deep nesting, too many tables, and keys that are not text."""
    waiting: list[tuple[Any, int]] = [(source.data, 0)]
    tables = 0
    while waiting:
        here, depth = waiting.pop()
        tables += isinstance(here, dict)
        if tables > MOST_TABLES:
            message = f"more than {MOST_TABLES} tables; use repeat, or build the model in Python"
            raise _refused(source.path, message)
        if depth > DEEPEST:
            raise _refused(source.path, _TOO_DEEP)
        if isinstance(here, dict):
            odd = [key for key in here if not isinstance(key, str)]
            if odd:
                message = f"the key {odd[0]!r} is not text; put it into quotes"
                raise _refused(source.path, message)
            waiting += [(value, depth + 1) for value in here.values()]
        elif isinstance(here, list):
            waiting += [(value, depth + 1) for value in here if isinstance(value, (dict, list))]


def _end(text: str) -> tuple[int, int]:
    lines = text.split("\n")
    return len(lines), len(lines[-1]) + 1


def _short(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) < 200 else f"{text[:190]} ..."


SUFFIXES: dict[str, Callable[[str, str], Source]] = {
    ".toml": _from_toml,
    ".json": _from_json,
    ".yaml": _from_yaml,
    ".yml": _from_yaml,
}


# Line and column of every key in a file, for messages.
#
# Parsers do not report the lines of keys.  These small scanners go through text that a parser has
# already accepted and record where each key and each entry of a list begins.

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


class KeyPositions:
    """Line and column of keys, by their path in the data."""

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
        self.places = KeyPositions(text)

    def skip(self, pattern: re.Pattern[str] = _BLANK) -> None:
        match = pattern.match(self.text, self.offset)
        self.offset = match.end() if match else self.offset

    def next(self) -> str:
        return self.text[self.offset : self.offset + 1]

    def note(self, path: KeyPath, offset: int) -> None:
        self.places.offsets.setdefault(path, offset)

    def string(self) -> str:
        """Consume a string and return its text; only escapes valid in JSON are decoded."""
        quote = next(q for q in _STRINGS if self.text.startswith(q, self.offset))
        match = _STRINGS[quote].match(self.text, self.offset)
        if match is None:
            raise ValueError("a string is not closed")
        self.offset = match.end()
        inner = match[0][len(quote) : -len(quote)]
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
                match = _BARE.match(self.text, self.offset)
                if match is None:
                    raise ValueError("a key is expected")
                names.append(match[0])
                self.offset = match.end()
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
            match = _TOKEN.match(self.text, self.offset)
            if match is None:
                raise ValueError("a value is expected")
            self.offset = match.end()

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


def json_places(text: str) -> KeyPositions:
    """Locations of keys in a valid JSON file."""
    scanner = _Scanner(text, ":")
    scanner.skip()
    scanner.value(())
    return scanner.places


def toml_places(text: str) -> KeyPositions:
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


def yaml_places(text: str, node: Any) -> KeyPositions:
    """Locations of keys in a YAML file, from the nodes composed by its parser."""
    places = KeyPositions(text)
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
