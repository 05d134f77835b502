"""What commands write: nothing that a file holds can command the terminal."""

from __future__ import annotations

from typing import Any

import typer

from ..errors import printable


def say(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Write text with its control characters shown, not sent.

    Parameters
    ----------
    text : str
        May have several lines.
    err : bool
        Whether to the standard error.
    end : str
        What follows.
    """
    typer.echo(printable(text.replace("\t", "    "), lines=True) + end, err=err, nl=False)


def json_text(facts: Any) -> str:
    """Facts as JSON, as all commands write it; control characters are escaped as JSON does it.

    Parameters
    ----------
    facts : object
        What `json` can write.
    """
    import json

    text = json.dumps(facts, indent=1, ensure_ascii=False)
    return "".join(x if x.isprintable() or x == "\n" else json.dumps(x)[1:-1] for x in text)
