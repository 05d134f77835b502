"""Checks of the site after each build: every formula is there, and nothing comes from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

TAGS = re.compile(r"<(?:script|img|iframe|source|video|audio|embed|object|link)\b[^>]*>", re.I)
ADDRESS = re.compile(r"""\b(?:src|srcset|href|data)=["']?((?:https?:)?//[^"'\s>]+)""", re.I)
LINKED = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""", re.I)
LATE = 900  # after the files of other extensions
PAGE_TO_COME = ("index", "search", "next", "prev", "canonical")  # links that load nothing

logger = logging.getLogger(__name__)


def loaded_from_elsewhere(text: str) -> set[str]:
    """Addresses outside of the site that a page or a style sheet would load."""
    found = set(LINKED.findall(text))
    for tag in TAGS.findall(text):
        if not any(f'rel="{kind}"' in tag for kind in PAGE_TO_COME):
            found |= set(ADDRESS.findall(tag))
    return found


def _check(app: Sphinx, problem: Exception | None) -> None:
    if problem is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for path in sorted([*out.rglob("*.html"), *out.rglob("*.css")]):
        text = path.read_text(encoding="utf-8")
        for address in sorted(loaded_from_elsewhere(text)):
            logger.warning("%s loads %s from elsewhere", path.relative_to(out), address)
        name = path.relative_to(out).with_suffix("").as_posix()
        expected = app.formulas.get(name, 0)  # type: ignore[attr-defined]
        if expected and (found := text.count("<math ")) != expected:
            logger.warning("%s shows %d of %d formulas", name, found, expected)


def setup(app: Sphinx) -> dict[str, bool]:
    """Check what was written when all is written."""
    app.connect("build-finished", _check, priority=LATE)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
