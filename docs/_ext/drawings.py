"""Let the gallery show the drawings of `lissom.viz`, which pyplot does not know."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from matplotlib.figure import Figure
from sphinx_gallery.scrapers import figure_rst

_SEEN: WeakSet[Figure] = WeakSet()


def drawings(block: Any, block_vars: Any, gallery_conf: Any) -> str:
    """Text of the figures that a block has put into variables and that are not pyplot's."""
    names = block_vars["example_globals"]
    new = [x for x in names.values() if isinstance(x, Figure) and x not in _SEEN]
    _SEEN.update(new)
    own = [figure for figure in new if figure.canvas.manager is None]
    paths = [next(block_vars["image_path_iterator"]) for _ in own]
    for figure, path in zip(own, paths, strict=True):
        figure.savefig(path, dpi=110)
    return figure_rst(paths, gallery_conf["src_dir"])
