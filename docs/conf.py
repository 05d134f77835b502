"""Configuration of the documentation (Sphinx, MyST, furo)."""

from __future__ import annotations

import lissom

project = "lissom"
author = "The lissom developers"
copyright = "2026, The lissom developers"
version = release = lissom.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
]
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]

autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # types are words and shapes, not references
suppress_warnings = ["ref.python"]  # the n_v in the shape (n_v,) of an attribute is ambiguous

html_theme = "furo"
html_title = f"lissom {release}"
