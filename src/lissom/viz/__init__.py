"""Plots, drawings and animated views of mechanisms and their motion."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Public name -> module that defines it.  Modules load on first use.
_HOME_OF = {
    "draw": "drawing.picture",
    "live": "view.following",
    "page_of": "view.page",
    "plot_band": "plots.band",
    "plot_modes": "plots.modes",
}

__all__ = ["draw", "live", "page_of", "plot_band", "plot_modes"]


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'lissom.viz' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)


if TYPE_CHECKING:  # for type checkers; the same names as above
    from .drawing.picture import draw as draw
    from .plots.band import plot_band as plot_band
    from .plots.modes import plot_modes as plot_modes
    from .view.following import live as live
    from .view.page import page_of as page_of
