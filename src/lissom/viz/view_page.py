"""The page: one file of HTML with its style, its script and its data inside."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from .scene import Scene

__all__ = ["page"]

_SCRIPTS = (
    "numbers.js",
    "data.js",
    "motion.js",
    "shaders.js",
    "drawing.js",
    "camera.js",
    "picture.js",
    "controls.js",
    "main.js",
)


def page(scene: Scene, *, title: str, theme: str, settings: dict[str, Any]) -> str:
    """Text of the page.

    Parameters
    ----------
    scene : Scene
        What it shows.
    title : str
        Heading.
    theme : {"auto", "light", "dark"}
        Background; "auto" follows the reader's browser.
    settings : dict
        What is switched on at first.
    """
    data = {**scene.data(), "settings": settings}
    # "<" could end the script element
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    pieces = {
        "TITLE": html.escape(title),
        "THEME": theme,
        "STYLE": _read("style.css"),
        "SCRIPT": "\n".join(_read(name) for name in _SCRIPTS),
        "DATA": text,
    }
    parts = _read("page.html").split("@@")  # text, name of a piece, text, ...
    parts[1::2] = [pieces[name] for name in parts[1::2]]
    return "".join(parts)


def _read(name: str) -> str:
    return (files("lissom.viz") / "page" / name).read_text(encoding="utf-8")
