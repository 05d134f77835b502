"""Configuration of the documentation (Sphinx, MyST, furo, sphinx-gallery)."""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

import lissom

project = "lissom"
author = "The lissom developers"
copyright = "2026, The lissom developers"
version = release = lissom.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_gallery.gen_gallery",
    "checks",
    "figures",
    "formulas",
    "navigation",
    "questions",
]
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_fence_as_directive = ["math"]  # as code hosts write displays
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
html_static_path = ["_static"]
html_css_files = ["formulas.css", "gallery.css", "tables.css"]
html_math_renderer = "mathml"
html_search_scorer = str(Path(__file__).parent / "_ext" / "scorer.js")

# The programs in examples/ are run and shown, in this order.  One that fails ends the build.
examples = [
    "pendulum.py",
    "flexible_arm.py",
    "space_arm.py",
    "design_loads.py",
    "monte_carlo.py",
    "deploying_panels.py",
    "capture.py",
    "satellite.py",
    "rotor.py",
    "campbell.py",
    "truss_mast.py",
    "solar_array.py",
    "data_sheet_booms.py",
    "spinning_booms.py",
    "gravity_gradient.py",
    "bracket.py",
    "column.py",
    "snap_through.py",
    "soft_arm.py",
    "coil_spring.py",
    "tether.py",
    "robot.py",
    "panda_and_ur5.py",
    "slider_crank.py",
    "four_bar.py",
    "stewart_platform.py",
    "gyroscope.py",
    "rolling.py",
    "optimal_slew.py",
    "payload_identification.py",
    "order_n_platform.py",
    "chain.py",
    "tracking_arm.py",
    "lqr_arm.py",
    "kwatny_blankenship.py",
    "kalman_reading.py",
]
warnings.simplefilter("error", lissom.SimulationWarning)
for name in ("lissom", "fontTools"):  # a part of furo prints what others log
    logging.getLogger(name).setLevel(logging.WARNING)
sys.path.insert(0, str(Path(__file__).parent / "_ext"))
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder(examples),
    "abort_on_example_error": True,
    "image_scrapers": ("figures.figures",),
    "capture_repr": ("_repr_html_",),  # moving views, besides what is printed and drawn
    "download_all_examples": False,
    "notebook_extensions": set(),
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,  # pages do not change from build to build
    "write_computation_times": False,
    "plot_gallery": True,
}
