"""Files: models, URDF robots, and simulation results."""

from __future__ import annotations

from .load import check_file, load, load_run
from .structures.body_file import load_body
from .urdf.robot import Urdf, read_urdf

__all__ = ["Urdf", "check_file", "load", "load_body", "load_run", "read_urdf"]
