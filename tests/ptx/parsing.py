"""PTX text as functions, data and statements."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


class PtxError(Exception):
    """Text that is not understood, or what must not happen while it is executed."""


@dataclass
class Parameter:
    name: str
    size: int


@dataclass
class Data:
    """An array with initial values, None for zeros; entries: bits, or the name of other data."""

    name: str
    type: str
    count: int
    align: int
    values: list[int | str] | None


@dataclass
class Function:
    name: str
    entry: bool
    visible: bool
    results: list[Parameter]
    parameters: list[Parameter]
    body: list[str] | None = None  # statements, labels with a colon, braces


@dataclass
class Module:
    functions: list[Function] = field(default_factory=list)
    data: list[Data] = field(default_factory=list)


SIZES = {"pred": 1, "b8": 1, "u8": 1, "s8": 1} | {
    f"{letter}{bits}": bits // 8 for letter in "bus" for bits in (16, 32, 64)
}
SIZES |= {"f32": 4, "f64": 8}
HEAD = re.compile(r"\.(version|target|address_size)\b[^\n]*\n")
FUNCTION = re.compile(
    r"(?P<words>(?:\.(?:extern|visible|weak|func|entry|noreturn)\s*)+)"
    r"(?:\((?P<results>[^)]*)\)\s*)?(?P<name>[\w$.]+)\s*(?:\((?P<parameters>[^)]*)\))?\s*"
    r"(?P<end>[{;])"
)
DATA = re.compile(
    r"(?P<words>(?:\.(?:visible|weak|global|const)\s+)+)(?:\.align\s+(?P<align>\d+)\s+)?"
    r"\.(?P<type>\w+)\s+(?P<name>[\w$.]+)(?:\[(?P<count>\d+)\])?\s*(?:=\s*(?P<values>[^;]*))?;"
)
PARAMETER = re.compile(
    r"\.param\s+(?:\.align\s+\d+\s+)?\.(?P<type>\w+)\s+"
    r"(?:\.ptr\s+(?:\.(?:global|const|local)\s+)?(?:\.align\s+\d+\s+)?)?"
    r"(?P<name>[\w$.]+)(?:\[(?P<count>\d+)\])?\s*$"
)
LABEL = re.compile(r"[\w$%.]+\s*:(?!:)")


def parse(text: str) -> Module:
    """Functions and data of a PTX text."""
    text = re.sub(r"/\*.*?\*/", " ", re.sub(r"//[^\n]*", "", text), flags=re.S)
    module, place = Module(), 0
    while True:
        place += len(text[place:]) - len(text[place:].lstrip())
        if place == len(text):
            return module
        if found := HEAD.match(text, place):
            place = found.end()
        elif found := FUNCTION.match(text, place):
            function = _function(found)
            place = found.end()
            if found["end"] == "{":
                function.body, place = _body(text, place)
            module.functions.append(function)
        elif (found := DATA.match(text, place)) and ".extern" not in found["words"]:
            module.data.append(_data(found))
            place = found.end()
        else:
            raise PtxError(f"not understood: {text[place : place + 80]!r}")


def _function(found: re.Match[str]) -> Function:
    words = found["words"]
    return Function(
        found["name"],
        ".entry" in words,
        any(x in words for x in (".visible", ".extern", ".entry", ".weak")),
        _parameters(found["results"]),
        _parameters(found["parameters"]),
    )


def _parameters(text: str | None) -> list[Parameter]:
    made = []
    for part in (text or "").split(","):
        if part.strip():
            found = PARAMETER.match(part.strip())
            if not found or found["type"] not in SIZES:
                raise PtxError(f"parameter not understood: {part.strip()!r}")
            made.append(Parameter(found["name"], SIZES[found["type"]] * int(found["count"] or 1)))
    return made


def _data(found: re.Match[str]) -> Data:
    values: list[int | str] | None = None
    if found["values"] is not None:
        values = []
        for word in found["values"].strip().strip("{}").split(","):
            word = word.strip()
            pointer = re.fullmatch(r"generic\(([\w$.]+)\)", word)
            values.append(pointer[1] if pointer else bits(word, 64))
    kind = found["type"]
    if kind not in SIZES:
        raise PtxError(f"data of type {kind} are not known: {found['name']}")
    count = int(found["count"] or 1)
    return Data(found["name"], kind, count, int(found["align"] or SIZES[kind]), values)


def bits(word: str, width: int) -> int:
    """Bits of a constant: 12, -3, 0x1F, 0d3FF0000000000000 (double), 0f3F800000 (single)."""
    if re.fullmatch(r"0[dD][0-9a-fA-F]{16}|0[fF][0-9a-fA-F]{8}", word):
        return int(word[2:], 16)
    if not re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|\d+)U?", word):
        raise PtxError(f"constant not understood: {word!r}")
    return int(word.rstrip("U"), 0) & ((1 << width) - 1)


def _body(text: str, place: int) -> tuple[list[str], int]:
    """Statements of a function from behind its brace, and where the text goes on."""
    made: list[str] = []
    depth = 1
    token = re.compile(r"\s*(?:([{}])|(" + LABEL.pattern + r")|([^;{}:][^;]*);)")
    while depth:
        found = token.match(text, place)
        if not found:
            raise PtxError(f"statement not understood: {text[place : place + 80].strip()!r}")
        brace, label, statement = found.groups()
        place = found.end()
        if brace:
            depth += 1 if brace == "{" else -1
            if depth:
                made.append(brace)
        elif label:
            made.append(re.sub(r"\s*:$", ":", label))
        else:
            made.append(" ".join(statement.split()))
    return made, place
