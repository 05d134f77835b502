"""Let displays of aligned equations stand as they are.

Pages write them as fenced blocks of math, which code hosts show too. Sphinx would wrap them in an
environment of its own, which cannot hold `align*`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class Displays(SphinxTransform):
    default_priority: ClassVar[int] = 500

    def apply(self, **kwargs: Any) -> None:
        for node in self.document.findall(nodes.math_block):
            if node.astext().lstrip().startswith(r"\begin{align"):
                node["no-wrap"] = node["nowrap"] = True


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_transform(Displays)
    return {"parallel_read_safe": True}
