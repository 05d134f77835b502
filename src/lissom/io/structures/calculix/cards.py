"""Keyword cards of a CalculiX deck, with what it includes."""

from __future__ import annotations

from dataclasses import dataclass

from ..text import Lines, included

_MOST_LINES = 50_000_000  # of a deck with its includes


@dataclass(frozen=True, eq=False)
class KeywordCard:
    """A keyword line and its data lines."""

    keyword: str  # upper case, without the asterisk and blanks: "SOLIDSECTION"
    # of the keyword line; names in upper case; a parameter without value has ""
    parameters: dict[str, str]
    lines: Lines  # of the whole deck
    at: int  # index of the keyword line
    data: range  # indices of the data lines

    @property
    def title(self) -> str:
        """Keyword as the manual writes it, for messages."""
        first = self.lines.texts[self.at].split(",")[0].strip().upper()
        return first if self.lines.files[self.at] == self.lines.path else f"*{self.keyword}"

    @property
    def place(self) -> str:
        """Line and keyword for lists: "line 12 *CLOAD"."""
        return f"{self.lines.place(self.at)} {self.title}"

    def name(self, parameter: str) -> str:
        """Value of a parameter that must be there, in upper case."""
        value = self.parameters.get(parameter, "").upper()
        if not value:
            message = f"{self.title} has no {parameter}; write {self.title}, {parameter}=NAME"
            raise self.lines.refused(self.at, message)
        return value

    def rows(self) -> list[tuple[int, list[str]]]:
        """Index and words of each data line; empty words at the end are left out."""
        rows = []
        for k in self.data:
            words = [word.strip() for word in self.lines.texts[k].split(",")]
            while words and not words[-1]:
                words.pop()
            rows.append((k, words))
        return rows


def read_cards(path: str) -> list[KeywordCard]:
    """Cards of a deck in their order; comments and empty lines are left out."""
    lines = _flat(path)
    starts = [k for k, text in enumerate(lines.texts) if text.startswith("*")]
    if not starts or starts[0] > 0:
        message = "expected a CalculiX deck, which begins with a keyword such as *NODE"
        raise lines.refused(0, message)
    cards = []
    for at, stop in zip(starts, [*starts[1:], len(lines)], strict=True):
        keyword, parameters, first = _keyword(lines, at, stop)
        cards.append(KeywordCard(keyword, parameters, lines, at, range(first, stop)))
    return cards


def _keyword(lines: Lines, at: int, stop: int) -> tuple[str, dict[str, str], int]:
    """Keyword, parameters, and index of the first data line; a comma at the end continues."""
    text, first = lines.texts[at], at + 1
    while text.rstrip().endswith(",") and first < stop and "=" in lines.texts[first]:
        text, first = text + lines.texts[first], first + 1
    keyword, *rest = text.split(",")
    parameters = {}
    for word in rest:
        name, _, value = word.partition("=")
        if name := "".join(name.split()).upper():
            parameters[name] = value.strip()
    return "".join(keyword[1:].split()).upper(), parameters, first


def _flat(path: str) -> Lines:
    flat = Lines(path)
    _append(flat, path, (path,))
    if not len(flat):
        flat.append("", path, 1)
    return flat


def _append(flat: Lines, path: str, chain: tuple[str, ...]) -> None:
    for number, text in enumerate(Lines.of(path, "a CalculiX deck").texts, 1):
        text = text.lstrip()
        if not text or text.startswith("**"):
            continue
        flat.append(text, path, number)
        if len(flat) > _MOST_LINES:
            raise flat.refused(len(flat) - 1, f"more than {_MOST_LINES} lines; split the deck")
        if "".join(text.partition(",")[0].split()).upper() == "*INCLUDE":
            name = text.partition("=")[2].strip().strip("\"'")
            below = included(flat, len(flat) - 1, name, chain)
            flat.pop()
            _append(flat, below, (*chain, below))
