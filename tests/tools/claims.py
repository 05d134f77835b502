"""Where pages say what lissom does not do: the rule by which such claims are found.

A claim is

- an item of a list under a heading *Not offered* or *What is not offered*;
- an item of a list under a heading *Limits ...* that has a word such as "no", "not" or "refuse", or
  that begins with words in bold;
- the first paragraph under *Limits* of the README;
- anywhere else an item that begins with a bold "No", and a sentence with one of the phrases of
  `PHRASES`.

Pages that tell of papers, decisions, measurements and of the code itself are left out, and so is
"What can go wrong", each case of which is executed.  `tests/tools/limits_register.py` has an entry
for each claim, with the date on which it was tried and a function that shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("", "how_to", "coming_from", "theory")
EXEMPT = {"what_can_go_wrong.md", "house.md", "notation.md", "references.md"}
HEADING = re.compile(r"(Limits\b.*|Not offered|What is not offered)$")
DENIED = re.compile(
    r"\b(no|not|cannot|never|neither|nor|none|refuses?|refused|missing)\b|^- \*\*", re.I
)
PHRASES = re.compile(
    r"not offered|not supported|not possible|not yet|no counterpart|(is|are) not read\b|no call of"
    r"|(has|have) no (formula|derivatives|method)|there is no (contact|collision|formula)"
    r"|(refuses?|refused)\b.{0,40}\b(rods|loops|contacts|trees|symbols)\b"
    r"|\b(loops|rods|contacts|symbols)\b.{0,50}\brefused?\b|on trees only|only on trees|trees only",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Place:
    """A claim: page, line and text, with single blanks."""

    page: str
    line: int
    text: str


def pages() -> list[Path]:
    """Pages that are searched."""
    paths = [x for folder in FOLDERS for x in (ROOT / "docs" / folder).glob("*.md")]
    return [ROOT / "README.md", *sorted(x for x in paths if x.name not in EXEMPT)]


def claims() -> list[Place]:
    """All claims of absence."""
    return [place for page in pages() for place in _of_page(page)]


def _of_page(page: Path) -> Iterator[Place]:
    name, level, first = page.relative_to(ROOT).as_posix().removeprefix("docs/"), 0, False
    every = False
    for line, text in _blocks(page.read_text(encoding="utf-8")):
        if heading := re.match(r"(#+) (.*)", text):
            depth = len(heading[1])
            if not level or depth <= level:
                level = depth if depth > 1 and HEADING.match(heading[2]) else 0
                first = bool(level) and name == "README.md"
                every = heading[2].lower().endswith("not offered")
        elif level and (first or text.startswith("- ")):
            if first or every or DENIED.search(text):
                yield Place(name, line, text)
            first = False
        elif text.startswith("- **No "):
            yield Place(name, line, text)
        else:
            for sentence in re.split(r"(?<=[.:;])\s+", text):
                if PHRASES.search(sentence):
                    yield Place(name, line, sentence)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Headings, items and lines of paragraphs outside of code, with their first lines."""
    block, start, code = "", 0, False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.startswith("```")
        whole = not line.strip() or fence or code or line.startswith("#")
        if block and (whole or re.match(r"(- |\||\d+\. )", line) or block.startswith("#")):
            yield start, " ".join(block.split())
            block = ""
        code ^= fence
        if line.strip() and not fence and not code:
            start = start if block else number
            block = f"{block} {line.strip()}" if block else line
    if block:
        yield start, " ".join(block.split())
