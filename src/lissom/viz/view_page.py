"""The page: one file of HTML with its style, its script and its data inside."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

ICON = '<link rel="icon" href="data:,">\n'  # so that no browser asks for one; frames need none
_SCRIPTS = (
    "numbers.js",
    "data.js",
    "cursor.js",
    "motion.js",
    "shaders.js",
    "drawing.js",
    "camera.js",
    "picture.js",
    "controls.js",
    "notes.js",
    "live.js",
    "main.js",
)


def page(data: dict[str, Any], *, title: str, theme: str, settings: dict[str, Any]) -> str:
    """Text of the page.

    Parameters
    ----------
    data : dict
        What it shows, as `Scene.data` has it.
    title : str
        Heading.
    theme : {"auto", "light", "dark"}
        Background; "auto" follows the reader's browser.
    settings : dict
        What is switched on at first.  With "live" the page asks its server for more frames;
        without, it has no means to ask anybody.
    """
    live = bool(settings.get("live"))
    # "<" could end the script element
    text = as_json({**data, "settings": settings}).replace("<", "\\u003c")
    pieces = {
        "ICON": ICON,
        "TITLE": html.escape(title),
        "THEME": theme,
        "STYLE": _read("style.css"),
        "SCRIPT": "\n".join(_read(name) for name in _SCRIPTS if live or name != "live.js"),
        "DATA": text,
        "CONNECT": "; connect-src 'self'" if live else "",
    }
    return _filled("page.html", pieces)


def waiting_page(title: str) -> str:
    """Page that asks again every second, until there is something to see.

    Parameters
    ----------
    title : str
        What is waited for.
    """
    return _filled("waiting.html", {"ICON": ICON, "TITLE": html.escape(title)})


def as_json(data: dict[str, Any]) -> str:
    """Data as short text.

    Parameters
    ----------
    data : dict
        Words and finite numbers.
    """
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _filled(name: str, pieces: dict[str, str]) -> str:
    parts = _read(name).split("@@")  # text, name of a piece, text, ...
    parts[1::2] = [pieces[piece] for piece in parts[1::2]]
    return "".join(parts)


def _read(name: str) -> str:
    return (files("lissom.viz") / "page" / name).read_text(encoding="utf-8")
