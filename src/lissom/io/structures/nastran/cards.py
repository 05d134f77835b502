"""Cards of Nastran bulk data in free, short and long fields, with continuations and includes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..text import Lines, included

_BEGIN = re.compile(r"^\s*BEGIN\b", re.IGNORECASE)
_INCLUDE = re.compile(r"^\s*INCLUDE\b\s*(.*)$", re.IGNORECASE)
_NAME = re.compile(r"^[A-Z][A-Z0-9]{0,7}$")
_MOST_LINES = 50_000_000


@dataclass(eq=False)
class BulkCard:
    """One card."""

    name: str  # upper case: "GRID"
    lines: Lines
    at: int  # index of its first line
    # after the name, without the fields of continuation
    fields: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)  # index of the line of each field

    def text(self, k: int) -> str:
        """Field by its number, from 0; empty if it is not there."""
        return self.fields[k] if k < len(self.fields) else ""

    def integer(self, k: int, what: str, default: int | None = None, least: int = 0) -> int:
        """Whole number in a field."""
        text = self.text(k)
        if not text and default is not None:
            return default
        return self.lines.integer(text, self._line(k), f"{what} of {self.name}", least)

    def real(self, k: int, what: str, default: float | None = 0.0) -> float:
        """Finite number in a field; parameters as for `integer`."""
        text = self.text(k)
        if not text and default is not None:
            return default
        return self.lines.real(text, self._line(k), f"{what} of {self.name}")

    def _line(self, k: int) -> int:
        return self.places[k] if k < len(self.places) else self.at

    def refused(self, message: str) -> Exception:
        """Error at the card."""
        return self.lines.refused(self.at, f"{self.name}: {message}")

    @property
    def place(self) -> str:
        """Place and name for lists: "line 12 CQUAD4"."""
        return f"{self.lines.place(self.at)} {self.name}"


def read_cards(path: str) -> list[BulkCard]:
    """Cards of a file of bulk data; what stands before BEGIN BULK is left out."""
    lines = Lines(path)
    _append(lines, path, (path,))
    cards: list[BulkCard] = []
    for k in range(len(lines)):
        name, fields = _split(lines, k)
        if name in ("", "+", "*"):
            if not cards:
                raise lines.refused(k, "a continuation before any card; expected bulk data")
        elif not _NAME.match(name):
            expected = "expected a card of bulk data, such as GRID"
            raise lines.refused(k, f"{lines.quoted(name, k)} found; {expected}")
        else:
            cards.append(BulkCard(name, lines, k))
        cards[-1].fields += fields
        cards[-1].places += [k] * len(fields)
    if not cards:
        lines.append("", path, 1)
        raise lines.refused(0, "no card of bulk data; expected GRID and others")
    return cards


def _split(lines: Lines, k: int) -> tuple[str, list[str]]:
    """Name and fields of a line: eight short ones or four long ones."""
    text = lines.texts[k]
    if "," in text:
        name, *words = (word.strip() for word in text.split(","))
        count = 4 if "*" in name else 8
        if any(word[:1] not in ("+", "*") for word in words[count:] if word):
            raise lines.refused(k, f"more than {count} fields; continue on the next line")
        return _mark(name.upper()), (words + [""] * count)[:count]
    text = text.expandtabs(8)
    name = text[:8].strip().upper()
    width, count = (16, 4) if "*" in name else (8, 8)
    fields = [text[8 + width * j : 8 + width * (j + 1)].strip() for j in range(count)]
    return _mark(name), fields


def _mark(name: str) -> str:
    """Name without the star of long fields; continuations have "", "+" or "*"."""
    return name[:1] if name[:1] in ("+", "*") else name.rstrip("*")


def _append(flat: Lines, path: str, chain: tuple[str, ...]) -> None:
    texts = Lines.of(path, "bulk data of Nastran").texts
    begin = next((k for k, x in enumerate(texts) if _BEGIN.match(x)), -1) if len(chain) == 1 else -1
    for k in range(begin + 1, len(texts)):
        text = texts[k].partition("$")[0].rstrip()
        if not text.strip():
            continue
        if text.strip().upper() == "ENDDATA":
            return
        flat.append(text, path, k + 1)
        if len(flat) > _MOST_LINES:
            raise flat.refused(len(flat) - 1, f"more than {_MOST_LINES} lines; split the model")
        if match := _INCLUDE.match(text):
            below = included(flat, len(flat) - 1, match[1].strip().strip("'\""), chain)
            flat.pop()
            _append(flat, below, (*chain, below))
