"""Results as Markdown, as tables on a terminal, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from lissom.selftest.versions import machine

from .result import REQUIREMENT_HEADER, Requirement, Result, Table, shown

if TYPE_CHECKING:
    from rich.console import Console

FORMAT = 1


def as_json(
    results: Iterable[Result], *, made: Mapping[str, Mapping[str, str]] | None = None, **facts: str
) -> str:
    """Text of a JSON file with all results.

    Parameters
    ----------
    results : iterable of Result
        Measured results.
    made : mapping, optional
        Provenance of each result by name, if they were not measured together.
    **facts
        Further provenance, such as the depth.
    """
    own = made or {}
    whole: dict[str, Any] = {
        "format": FORMAT,
        "made": machine() | facts,
        "results": {
            r.name: r.as_json() | ({"made": own[r.name]} if r.name in own else {}) for r in results
        },
    }
    return json.dumps(whole, indent=1, ensure_ascii=False)


def markdown_table(table: Table) -> str:
    """Markdown of a table, with its title in bold and its note."""
    lines = [f"**{table.title}**", ""]
    if table.rows:
        lines += _markdown_rows(table.header, table.rows)
    if table.note:
        lines += [*([""] if table.rows else []), table.note]
    return "\n".join(lines) + "\n"


def markdown_requirements(requirements: Iterable[Requirement]) -> str:
    """Markdown of bounds and measured values."""
    rows = [requirement.row() for requirement in requirements]
    return "\n".join(_markdown_rows(REQUIREMENT_HEADER, rows)) + "\n"


def _markdown_rows(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    names = list(header)
    lines = [f"| {' | '.join(names)} |", "|---" * len(names) + "|"]
    return lines + [f"| {' | '.join(shown(cell) for cell in row)} |" for row in rows]


def print_result(result: Result, console: Console) -> None:
    """Print a result on a terminal.

    Parameters
    ----------
    result : Result
        Measured result.
    console : rich.console.Console
        Destination.
    """
    from rich.markdown import Markdown

    console.rule(f"[bold]{result.title}")
    console.print(Markdown(result.about))
    for table in result.tables:
        if table.rows:
            _print_rows(table.title, table.header, table.rows, console)
        if table.note:
            console.print(f"{table.title}: {table.note}", highlight=False, markup=False)
    rows = [wanted.row() for wanted in result.requirements if wanted.measured is not None]
    if rows:
        _print_rows("Required and measured", REQUIREMENT_HEADER, rows, console)
    console.print()


def _print_rows(
    title: str, header: Iterable[str], rows: Iterable[Iterable[Any]], console: Console
) -> None:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    colour = {"yes": "green", "no": "red"}
    written = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for place, name in enumerate(header):
        justify: Literal["left", "right"] = "left" if place == 0 else "right"
        # Wrapped between words here, because a narrow terminal would break within them.
        width = max(8, *map(len, name.split()))
        written.add_column(textwrap.fill(name, width), justify=justify)
    for row in rows:
        cells = [shown(cell) for cell in row]
        written.add_row(*(Text(text, style=colour.get(text, "")) for text in cells))
    console.print()
    console.print(Text(title, style="bold"))
    console.print(written)
