"""HTML page with embedded style, script and data."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

# An empty icon, so that browsers do not request one; notebooks need none.
ICON = '<link rel="icon" href="data:,">\n'
_SCRIPTS = (
    "numbers.js",
    "data.js",
    "cursor.js",
    "rod.js",
    "motion.js",
    "closing.js",
    "shaders.js",
    "drawing.js",
    "camera.js",
    "picture.js",
    "controls.js",
    "chart.js",
    "notes.js",
    "film.js",
    "filming.js",
    "live.js",
    "main.js",
)


def page(data: dict[str, Any], *, title: str, theme: str, settings: dict[str, Any]) -> str:
    """HTML text of the page.

    `theme`: background; "auto" follows the setting of the browser.
    """
    live = bool(settings.get("live"))
    # "<" could end the script element
    text = as_json({**data, "settings": settings}).replace("<", "\\u003c")
    pieces = {
        "ICON": ICON,
        "TITLE": html.escape(title),
        "THEME": theme,
        "STYLE": _short("style.css"),
        "SCRIPT": "\n".join(_short(name) for name in _SCRIPTS if live or name != "live.js"),
        "DATA": text,
        "CONNECT": "; connect-src 'self'" if live else "",
    }
    return _filled("page.html", pieces)


def waiting_page(title: str) -> str:
    """Page that reloads every second until there are frames to show."""
    return _filled("waiting.html", {"ICON": ICON, "TITLE": html.escape(title)})


def as_json(data: dict[str, Any]) -> str:
    """Compact JSON text of data."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def _filled(name: str, pieces: dict[str, str]) -> str:
    parts = _read(name).split("@@")  # text, name of a piece, text, ...
    parts[1::2] = [pieces[piece] for piece in parts[1::2]]
    return "".join(parts)


def _short(name: str) -> str:
    """File without indentation and lines of comments, which readers of the page do not need."""
    lines = (line.strip() for line in _read(name).splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _read(name: str) -> str:
    return (files("lissom.viz.view") / "web" / name).read_text(encoding="utf-8")
