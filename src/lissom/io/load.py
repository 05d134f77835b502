"""load: whatever a file holds."""

from __future__ import annotations

import os

from ..results import Trajectory

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> Trajectory:
    """Trajectory of a file that a run or `Trajectory.save` wrote.

    Parameters
    ----------
    path : path
        NAME.nc, NAME.npz, or the journal NAME.nc.part of a run that did not end.

    Returns
    -------
    Trajectory
    """
    return Trajectory.load(path)
