"""The tree of pages at the left, worked out once instead of anew for each page.

Sphinx copies all tables of contents for the tree of each page, which takes a third of a build.
Only its links and the marks of the current page differ.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bs4 import BeautifulSoup
from furo.navigation import get_navigation_tree
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri

FIRST, LAST = 100, 900  # before and after the theme
MARK = re.compile(r' ?@(li|page|open|to)(\d+)@(?:="")?')


@dataclass(frozen=True)
class Tree:
    """The tree with marks, and the items above each page."""

    text: str
    links: list[str]
    items: dict[str, list[int]]

    @classmethod
    def of(cls, html: str, page: str) -> Tree:
        """Tree in the words of the theme, from that of a page."""
        soup = BeautifulSoup(get_navigation_tree(html), "html.parser")
        links: list[str] = []
        items: dict[str, list[int]] = {}
        numbers: dict[int, int] = {}
        for n, item in enumerate(soup.find_all("li")):
            numbers[id(item)] = n
            kept = [c for c in item["class"] if c not in ("current", "current-page")]
            item["class"] = [*kept, f"@li{n}@", f"@page{n}@"]
            box = item.find("input", recursive=False)
            if box is not None:
                box.attrs.pop("checked", None)
                box.attrs[f"@open{n}@"] = ""
            link = item.find("a", recursive=False)
            link["class"] = [c for c in link["class"] if c != "current"]
            target = link["href"]
            if target.startswith("#"):
                target = page
            elif "://" not in target:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            link["href"] = f"@to{len(links)}@"
            links.append(target)
            above = [numbers[id(x)] for x in item.parents if id(x) in numbers]
            items.setdefault(target, [n, *above])
        return cls(str(soup), links, items)

    def on(self, page: str) -> str:
        """Tree as it stands on a page."""
        current = self.items.get(page, [])

        def word(match: re.Match[str]) -> str:
            kind, n = match[1], int(match[2])
            if kind == "to":
                target = self.links[n]
                if target == page:
                    return "#"
                return target if "://" in target else relative_uri(page, target)
            if n not in current:
                return ""
            if kind == "page":
                return " current-page" if n == current[0] else ""
            return " current" if kind == "li" else ' checked=""'

        return MARK.sub(word, self.text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Answer the theme's question for a tree with nothing, and put ours in its place."""
    trees: list[Tree] = []

    def keep(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
        toctree: Callable[..., str] | None = context.get("toctree")
        if toctree is None:
            return
        uri = app.builder.get_target_uri(name)
        if not trees:
            html = toctree(collapse=False, titles_only=True, maxdepth=-1, includehidden=True)
            trees.append(Tree.of(html, uri))
        context["toctree"] = lambda **_: ""
        context["own_navigation"] = trees[0].on(uri)

    def place(app: Sphinx, name: str, template: str, context: dict[str, Any], tree: Any) -> None:
        if "own_navigation" in context:
            context["furo_navigation_tree"] = context["own_navigation"]

    app.connect("html-page-context", keep, priority=FIRST)
    app.connect("html-page-context", place, priority=LAST)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
