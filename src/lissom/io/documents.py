"""A model file with the files that it includes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from ..errors import ModelFileError, suggestion
from .problems import Problem
from .schema import FileTable
from .schema_simulation import SimulationTable
from .sources import Source, read_source
from .validation import validated

__all__ = ["Document", "Entry", "read_document"]

MOST_FILES = 100


@dataclass(frozen=True)
class Entry:
    """A table with the place that it has in a file."""

    source: Source
    path: tuple[str | int, ...]
    table: Any

    def problem(self, message: str, *inner: str | int) -> Problem:
        """Problem here, or at a key within."""
        path = self.path
        for step in inner:
            value = self.source.value((*path, step))
            if value is None:
                break
            path = (*path, step)
        return self.source.problem(path, message)


@dataclass
class Document:
    """All that the files say, each thing with its place.

    Attributes
    ----------
    source : Source
        The file itself.
    table : FileTable, optional
        What it says; None if that is not acceptable.
    problems : list of Problem
        What is wrong with keys and values.
    """

    source: Source
    table: FileTable | None = None
    problems: list[Problem] = field(default_factory=list)
    materials: dict[str, Entry] = field(default_factory=dict)
    bodies: dict[str, Entry] = field(default_factory=dict)
    parts: list[Entry] = field(default_factory=list)
    loops: list[Entry] = field(default_factory=list)
    joins: list[Entry] = field(default_factory=list)

    @property
    def simulation(self) -> Entry | None:
        """The section [simulation] of the file itself."""
        table: SimulationTable | None = self.table.simulation if self.table else None
        return None if table is None else Entry(self.source, ("simulation",), table)


def read_document(path: str | os.PathLike[str]) -> Document:
    """Model file with all that it includes; raises only if the file itself cannot be read."""
    source = read_source(path)
    document = Document(source)
    seen: set[str] = set()
    document.table = _take(document, source, [os.path.realpath(source.path)], seen)
    return document


def _take(document: Document, source: Source, chain: list[str], seen: set[str]) -> FileTable | None:
    """Put what a file and its includes say into the document; included things come first."""
    seen.add(chain[-1])
    table, problems = validated(source)
    document.problems += problems
    if table is None:
        return None
    for k, name in enumerate(table.include):
        where = ("include", k)
        path = os.path.join(os.path.dirname(source.path), name)
        real = os.path.realpath(path) if "\0" not in path else path
        if real in chain:
            message = f"is {name!r}, which includes this file again; break the circle"
            document.problems.append(source.problem(where, message))
        elif real not in seen and len(seen) >= MOST_FILES:
            message = f"more than {MOST_FILES} files are included; use fewer"
            document.problems.append(source.problem(where, message))
        elif real not in seen:
            try:
                included = read_source(path)
            except ModelFileError as error:
                document.problems.append(source.problem(where, f"cannot be included: {error}"))
            else:
                _take(document, included, [*chain, real], seen)
    _keep(document, source, table)
    return table


def _keep(document: Document, source: Source, table: FileTable) -> None:
    for group in ("materials", "bodies"):
        kept = getattr(document, group)
        for name, value in getattr(table, group).items():
            if name in kept:
                other = kept[name]
                line = other.source.places.of(other.path)[0]
                message = f"is given twice: also in {other.source.path}, line {line}"
                document.problems.append(source.problem((group, name), message))
            kept[name] = Entry(source, (group, name), value)
    for group in ("parts", "loops", "joins"):
        entries = [Entry(source, (group, k), x) for k, x in enumerate(getattr(table, group))]
        getattr(document, group).extend(entries)


def unknown(what: str, name: str, known: Any) -> str:
    """Sentence about a name that does not exist."""
    return f"is {name!r}, but there is no such {what}; {suggestion(name, known)}"
