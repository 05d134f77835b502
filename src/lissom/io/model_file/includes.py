"""Model files with the files they include."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError, ModelFileError, suggestion
from .addresses import AddressError, Path, changed, path_of_address
from .problems import Problem, key_text
from .schema.model import FileTable
from .schema.simulation import SimulationTable
from .source import Source, read_source
from .validation import validated

MOST_FILES = 100  # different files
MOST_INCLUDES = 1000  # includes of one file
DEEPEST = 20  # levels of files attached with a prefix or a place


@dataclass(frozen=True)
class IncludeEntry:
    """A table and its location in a file."""

    source: Source
    path: tuple[str | int, ...]
    table: Any

    def problem(self, message: str, *inner: str | int) -> Problem:
        """Problem at this table, or at a key inside it."""
        path = self.path
        for step in inner:
            value = self.source.value((*path, step))
            if value is None:
                break
            path = (*path, step)
        return self.source.problem(path, message)


@dataclass(frozen=True)
class AttachedFile:
    """A file attached as a separate model: its include entry and its content."""

    entry: IncludeEntry
    document: Document


@dataclass
class Document:
    """Content of a model file and its includes, with locations."""

    source: Source  # the file itself
    table: FileTable | None = None  # its validated content; None if it is invalid
    problems: list[Problem] = field(default_factory=list)  # invalid keys and values
    # materials, bodies, parts, loops, joins, couplings, frames, shapes: entries of the file and
    # of the files merged into it
    materials: dict[str, IncludeEntry] = field(default_factory=dict)
    bodies: dict[str, IncludeEntry] = field(default_factory=dict)
    parts: list[IncludeEntry] = field(default_factory=list)
    loops: list[IncludeEntry] = field(default_factory=list)
    joins: list[IncludeEntry] = field(default_factory=list)
    couplings: list[IncludeEntry] = field(default_factory=list)
    frames: list[IncludeEntry] = field(default_factory=list)
    shapes: list[IncludeEntry] = field(default_factory=list)
    # files included with a prefix or a place
    assemblies: list[AttachedFile] = field(default_factory=list)

    @property
    def simulation(self) -> IncludeEntry | None:
        """Section [simulation] of the file itself."""
        table: SimulationTable | None = self.table.simulation if self.table else None
        return None if table is None else IncludeEntry(self.source, ("simulation",), table)

    @property
    def sweep(self) -> IncludeEntry | None:
        """Section [sweep] of the file itself."""
        table = self.table.sweep if self.table else None
        return None if table is None else IncludeEntry(self.source, ("sweep",), table)


def read_document(path: str | os.PathLike[str], changes: Sequence[str] = ()) -> Document:
    """Model file with all its includes; raises only if the file itself cannot be read."""
    source = read_source(path)
    return document_of(overridden(source, changes) if changes else source)


def document_of(source: Source) -> Document:
    """Model file that was parsed, with all its includes."""
    return _FileReader().document(source, [os.path.realpath(source.path)])


class _FileReader:
    """Reader of files with includes; each file is read once."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[Source, FileTable | None, list[Problem]]] = {}
        self.assemblies: dict[str, Document] = {}
        self.reported: set[tuple[int, str]] = set()

    def document(self, source: Source, chain: list[str]) -> Document:
        """Content of a file and its includes; the chain of real paths ends with this file."""
        document = Document(source)
        self.files.setdefault(chain[-1], (source, *validated(source)))
        document.table = self.take(document, chain, set())
        return document

    def take(self, document: Document, chain: list[str], seen: set[str]) -> FileTable | None:
        """Add the content of a file to a document, after the content of its includes."""
        seen.add(chain[-1])
        source, table, problems = self.files[chain[-1]]
        document.problems += problems
        if table is None:
            return None
        if len(table.include) > MOST_INCLUDES:
            message = f"there are more than {MOST_INCLUDES} includes; use fewer"
            document.problems.append(source.problem(("include",), message))
            return table
        for k, include in enumerate(table.include):
            entry = IncludeEntry(source, ("include", k), include)
            if problem := self.include(document, entry, chain, seen):
                document.problems.append(entry.problem(problem, "file"))
        _add_entries(document, source, table)
        return table

    def include(
        self, document: Document, entry: IncludeEntry, chain: list[str], seen: set[str]
    ) -> str:
        """Add an included file; return the reason if that is not possible, otherwise ""."""
        name, placed = entry.table.file, entry.table.placed
        path = os.path.join(os.path.dirname(entry.source.path), name)
        real = os.path.realpath(path) if "\0" not in path else path
        if real in chain:
            return f"is {name!r}, which includes this file again; remove one of the includes"
        if placed and len(chain) > DEEPEST:
            return f"attached files are nested more than {DEEPEST} levels deep; use fewer levels"
        if real not in self.files:
            if len(self.files) >= MOST_FILES:
                return f"more than {MOST_FILES} files are included; use fewer"
            try:
                source = read_source(path, included=True)
            except ModelFileError as error:
                return f"cannot be included: {error}"
            self.files[real] = (source, *validated(source))
        if placed:
            if real not in self.assemblies:
                self.assemblies[real] = self.document(self.files[real][0], [*chain, real])
            attached = self.assemblies[real]
            if (id(document), real) not in self.reported:  # once, however often it is attached
                self.reported.add((id(document), real))
                document.problems += [x for x in attached.problems if x not in document.problems]
            document.assemblies.append(AttachedFile(entry, attached))
        elif real not in seen:
            self.take(document, [*chain, real], seen)
        return ""


def _add_entries(document: Document, source: Source, table: FileTable) -> None:
    for group in ("materials", "bodies"):
        by_name = getattr(document, group)
        for name, value in getattr(table, group).items():
            if name in by_name:
                other = by_name[name]
                line = other.source.places.of(other.path)[0]
                where = f"{other.source.path}, line {line}"
                message = f"is given twice, also in {where}; remove or rename one"
                document.problems.append(source.problem((group, name), message))
            by_name[name] = IncludeEntry(source, (group, name), value)
    for group in ("parts", "loops", "joins", "couplings", "frames", "shapes"):
        entries = [IncludeEntry(source, (group, k), x) for k, x in enumerate(getattr(table, group))]
        getattr(document, group).extend(entries)


def unknown_message(what: str, name: str, choices: Any) -> str:
    """Message about a name that does not exist."""
    return f"is {name!r}, but there is no such {what}; {suggestion(name, choices)}"


_LIKE = 'such as gravity[2]=-1.62 or "parts.payload.body.mass=3 kg"'


def overridden(source: Source, changes: Sequence[str]) -> Source:
    """Content of a file with other values."""
    values: dict[Path, Any] = {}
    texts: dict[Path, str] = {}
    for text in changes:
        address, equals, value = text.partition("=")
        address = address.strip()
        if not equals or not address:
            raise ModelError(f"{text!r}: expected ADDRESS=VALUE, {_LIKE}")
        try:
            path = path_of_address(source.data, address)
        except AddressError as error:
            raise ModelError(f"{source.path}: {address!r} {error}") from None
        if path in values:
            raise ModelError(f"{text!r}: {address!r} is given twice; give one value")
        values[path], texts[path] = _value(value.strip()), text
    return _Changed(source, changed(source.data, values), texts)


class _Changed(Source):
    """A file with other values."""

    def __init__(self, source: Source, data: dict[str, Any], texts: Mapping[Path, str]) -> None:
        super().__init__(source.path, source.text, data, lambda: source.places)
        self.texts = texts

    def problem(self, path: Sequence[str | int], message: str) -> Problem:
        """Problem at a key; for a given value not the line of the file, which has another."""
        here = tuple(path)
        for changed_path, text in self.texts.items():
            if here[: len(changed_path)] == changed_path:
                return Problem(self.path, 0, 0, key_text(here), f'{message} (given as "{text}")')
        inside = [x for path, x in self.texts.items() if here and path[: len(here)] == here]
        also = f' (with "{inside[0]}")' if inside else ""
        return super().problem(path, message + also)


def _value(text: str) -> Any:
    """Value as in TOML; what TOML cannot read is text, such as 3 kg."""
    if "\n" in text:
        return text
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return text
