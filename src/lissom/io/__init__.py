"""Files: models, URDF robots, meshes, flexible bodies, and simulation results."""

from __future__ import annotations

from .load import check_file, load, load_run, load_sweep
from .structures.body_file import load_body
from .structures.mesh import from_mesh
from .urdf.robot import Urdf, read_urdf

__all__ = [
    "Urdf",
    "check_file",
    "from_mesh",
    "load",
    "load_body",
    "load_run",
    "load_sweep",
    "read_urdf",
]
