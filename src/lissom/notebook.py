"""Tables of HTML for notebooks, in the colours and fonts of the page around them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from .errors import printable

__all__ = ["code", "hidden", "numbers", "table"]

_MOST_NUMBERS = 8  # of one cell
_CELL = "text-align:left;vertical-align:top;padding:1px 14px 1px 0;white-space:pre-wrap"
_HEAD = f"{_CELL};font-weight:600;border-bottom:1px solid currentColor"
_CODE = "font-family:monospace;white-space:pre"


class Marked(str):
    """Text that is HTML already."""

    __slots__ = ()


def code(text: str) -> Marked:
    """Text in letters of equal width, with its spaces."""
    return Marked(f'<span style="{_CODE}">{_safe(text)}</span>')


def numbers(values: Any) -> str:
    """Numbers with six digits, separated by commas.

    `values` (n,): numbers or symbols.
    """
    flat = np.ravel(np.asarray(values))
    words = [f"{x:.6g}" if isinstance(x, (float, complex)) else str(x) for x in flat.tolist()]
    more = f" ... {len(words)} in all" if len(words) > _MOST_NUMBERS else ""
    return ", ".join(words[:_MOST_NUMBERS]) + more


def table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> str:
    """Table with a title above and notes below."""
    first, colon, rest = title.partition(":")
    lines = [f"<div><b>{_safe(first)}</b>{colon}{_safe(rest)}</div>"]
    if rows:
        cells = "".join(f'<th style="{_HEAD}">{_safe(x)}</th>' for x in heads)
        lines.append(f'<table style="border-collapse:collapse"><thead><tr>{cells}</tr></thead>')
        for row in rows:
            cells = "".join(f'<td style="{_CELL}">{_safe(x)}</td>' for x in row)
            lines.append(f'<tr style="background:none">{cells}</tr>')
        lines.append("</table>")
    lines += [f"<div>{_safe(note)}</div>" for note in notes]
    return f'<div style="max-width:100%;overflow-x:auto">{"".join(lines)}</div>'


def hidden(title: str, text: str) -> Marked:
    """Text that a click opens."""
    shown = f'<pre style="margin:2px 0;background:none">{_safe(text, lines=True)}</pre>'
    return Marked(f"<details><summary>{_safe(title)}</summary>{shown}</details>")


def _safe(text: str, *, lines: bool = False) -> str:
    return text if isinstance(text, Marked) else escape(printable(text, lines=lines))
