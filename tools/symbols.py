"""The page docs/papers/symbols.md from docs/papers/symbols.toml and the sources.

    python tools/symbols.py            writes the page (`make pages`)
    python tools/symbols.py --check    says whether it is up to date

The table of symbols has for each paper its equations, those that a row names and that the source
does not cite (``text_only``, with the reason), and rows of

    symbol     LaTeX
    equation   numbers of the equations that define it, without the letter of the paper; "list" is
               the paper's list of symbols, and "at 43" the text beside (43)
    meaning    in our words
    names      dotted names, with ``:variable`` for a variable of a function
    note       how the name differs from the symbol, or why there is none
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from source_lines import SOURCES, find

PAPERS = SOURCES.parent / "docs" / "papers"
TABLE, PAGE = PAPERS / "symbols.toml", PAPERS / "symbols.md"
COMMAND = "make pages"
TAG = re.compile(r"\\tag\{([^}]*)\}")
NUMBER = re.compile(r"[A-Z]?\d+(?:\.\d+)?[a-c]?")
ACCENT = re.compile(r"\\(bar|overline|dot|ddot|tilde|hat) ?(\\[A-Za-z]+|\{[^{}]*\}|\w)")
READ = {r"\S": "§", r"\pm": "+-", r"\square": "box", r"\varepsilon": "epsilon"}

TITLE = f"""# Symbols of the papers

<!-- Made by `{COMMAND}` from symbols.toml and the sources; edit that file, not this one. -->
"""
LAST = "How to get an object of a class"


def load() -> dict[str, Any]:
    """The table of symbols: an entry for each paper, and the texts of the page."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def equations(paper: dict[str, Any]) -> list[str]:
    """Numbers of all equations of a paper, in order."""
    return [number for item in paper["equations"] for number in _expanded(item)]


def _expanded(item: str) -> list[str]:
    """Numbers of "4.1-4.20" or "A1-A10" or "18a-18c"; one number stands for itself."""
    first, _, last = item.partition("-")
    if not last:
        return [first]
    if first[-1].isalpha():
        return [first[:-1] + chr(k) for k in range(ord(first[-1]), ord(last[-1]) + 1)]
    head = re.match(r"(.*?\D)?(?=\d+$)", first)
    start = (head[0] if head else "") or ""
    return [f"{start}{k}" for k in range(int(first[len(start) :]), int(last[len(start) :]) + 1)]


def computed(paper: dict[str, Any]) -> list[str]:
    """Numbers of the equations that the source must cite: a row names a line for their symbol."""
    rows = (row for row in paper["rows"] if row["names"] and not row["equation"].startswith("at "))
    left_out = {number for item in paper.get("text_only", ()) for number in mentioned(item)}
    return [number for row in rows for number in mentioned(row) if number not in left_out]


def mentioned(row: dict[str, Any]) -> list[str]:
    """Numbers of the equations that a row names, or that stand beside its definition."""
    return NUMBER.findall(row.get("equation") or row["equations"])


def without_symbol(paper: dict[str, Any]) -> list[str]:
    """Equations that define no symbol of a row."""
    defining = (row for row in paper["rows"] if not row["equation"].startswith("at "))
    named = {number for row in defining for number in mentioned(row)}
    return [number for number in equations(paper) if number not in named]


def sections(page: Path) -> dict[str, str]:
    """Anchor of the section of a paper's page that shows each equation "A 51"."""
    found: dict[str, str] = {}
    anchor, fenced = "", False
    for line in page.read_text(encoding="utf-8").splitlines():
        fenced ^= line.startswith("```")
        if not fenced and (heading := re.match(r"##+ (.*)", line)):
            anchor = anchor_of(heading[1])
        found |= dict.fromkeys(tags(line), anchor)
    return found


def tags(text: str) -> list[str]:
    r"""Numbers of the equations that a text shows, each in the form "A 51" of ``\tag{A 51}``."""
    return [number for tag in TAG.findall(text) for number in tag.split(", ")]


def anchor_of(heading: str) -> str:
    """Anchor that code hosts and MyST give to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def spelled(symbol: str) -> str:
    r"""Symbol in letters that can be typed: ``\bar\tau_R`` is ``tau_bar_R``."""
    text = re.sub(r"\\(?:boldsymbol|mathrm|mathbf|mathtt|[lr]brace) ?", "", symbol)
    text = re.sub(r"\{\\math(?:cal|frak) (\w)\}|\\math(?:cal|frak) (\w)", r"{script \1\2}", text)
    text = re.sub(r"(?<=[A-Za-z}])(?=\\|\{script)", " ", text)
    while accent := ACCENT.search(text):
        letter = accent[2].strip("{}")
        text = text.replace(accent[0], f"{{{letter}_{accent[1].replace('overline', 'bar')}}}")
    for command, letters in READ.items():
        text = text.replace(command, letters)
    return re.sub(r"\s+", " ", re.sub(r"[{}\\]", "", text)).strip()


def page() -> str:
    """The whole page."""
    papers = load()
    texts = papers.pop("page")
    parts = [TITLE, texts["opening"], _contents(papers)]
    parts += [_paper(key, paper) for key, paper in papers.items()]
    parts += [f"## {LAST}\n", texts["closing"], _classes(texts["classes"])]
    return "\n".join(parts)


def _contents(papers: dict[str, Any]) -> str:
    rows = [
        [f"[{key}](#{anchor_of(_title(key, paper))})", paper["title"], str(len(paper["rows"]))]
        for key, paper in papers.items()
    ]
    return _table(["", "paper", "symbols"], rows)


def _title(key: str, paper: dict[str, Any]) -> str:
    return f"{key}: {paper['title']}"


def _paper(key: str, paper: dict[str, Any]) -> str:
    """Heading, remark and table of one paper."""
    where = sections(PAPERS / paper["page"])
    head = ["symbol", "spelled", "meaning", "equation", "name", "source"]
    rows = [_row(key, row, paper["page"], where) for row in paper["rows"]]
    link = f"[All equations, checked]({paper['page']})."
    text = f"## {_title(key, paper)}\n\n{paper['remark']} {link}\n\n{_table(head, rows)}"
    if rest := without_symbol(paper):
        text += f"\nWithout a symbol of their own: {_linked(key, rest, paper['page'], where)}.\n"
    return text


def _linked(key: str, numbers: Iterable[str], file: str, where: dict[str, str]) -> str:
    named = [f"{key} {number}" for number in numbers]
    return ", ".join(f"[({name})]({file}#{where[name]})" for name in named)


def _row(key: str, row: dict[str, Any], file: str, where: dict[str, str]) -> list[str]:
    """Cells of one symbol."""
    named = [_named(name) for name in row["names"]]
    names = [shown for shown, _ in named] or ["–"]
    name = "<br>".join([*names, *([row["note"]] if "note" in row else [])])
    symbol, numbers = row["symbol"], mentioned(row)
    equation = row["equation"]
    if numbers:
        beside = "at " if equation.startswith("at ") else ""
        equation = beside + _linked(key, numbers, file, where)
    cells = [f"${symbol}$", f"`{spelled(symbol)}`", row["meaning"], equation, name]
    return [*cells, "<br>".join(link for _, link in named)]


def _named(name: str) -> tuple[str, str]:
    """Name as it is shown, and the link to its line."""
    place = find(name)
    path = place.path.relative_to(SOURCES)
    link = f"[{path.relative_to('lissom')}:{place.line}](../../src/{path}#L{place.line})"
    dotted, _, variable = name.partition(":")
    return (f"`{variable}` in `{dotted}`" if variable else f"`{dotted}`"), link


def _classes(rows: list[dict[str, str]]) -> str:
    cells = [[*_named(row["name"]), f"`{row['get']}`"] for row in rows]
    return _table(["class", "source", "how"], cells)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def main() -> int:
    """Write the page, or say whether it is what it should be."""
    made = page()
    if "--check" in sys.argv[1:]:
        same = PAGE.is_file() and PAGE.read_text(encoding="utf-8") == made
        print("up to date" if same else f"{PAGE.name} is out of date: {COMMAND}")
        return 0 if same else 1
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
