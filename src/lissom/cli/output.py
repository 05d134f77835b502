"""Output of commands: text and JSON with control characters escaped, pages in the browser."""

from __future__ import annotations

from typing import Any

import typer

from ..errors import printable


def say(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Write text with control characters escaped.

    Parameters
    ----------
    text : str
        Text of one or more lines.
    err : bool
        Whether to write to the standard error.
    end : str
        Appended to the text.
    """
    typer.echo(printable(text.replace("\t", "    "), lines=True) + end, err=err, nl=False)


def json_text(facts: Any) -> str:
    """JSON text of facts, formatted as in all commands; control characters are escaped.

    Parameters
    ----------
    facts : object
        Object that `json` can serialise.
    """
    import json

    text = json.dumps(facts, indent=1, ensure_ascii=False)
    return "".join(x if x.isprintable() or x == "\n" else json.dumps(x)[1:-1] for x in text)


def open_in_browser(address: str) -> None:
    """Open an address, or ask the user to open it.

    Parameters
    ----------
    address : str
        Address of a page or a file.
    """
    import webbrowser

    if not webbrowser.open(address):
        say(f"lissom: no browser was found; open {address} yourself", err=True)
