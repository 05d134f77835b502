"""Frames of a run: rows that are close enough for the eye, and no more."""

from __future__ import annotations

import numpy as np

from ..algorithms.arguments import check_state
from ..errors import StateError
from ..results.store import Columns, MemoryStore
from ..results.trajectory import Trajectory
from ..system import State, System
from .scene_arrays import LARGEST

_EVEN = 1.5  # largest gap between rows, in mean gaps, of rows that are frames as they are


def frames_of(run: Trajectory, frames: int) -> Trajectory:
    """Rows for a moving view, evenly spaced.

    Parameters
    ----------
    run : Trajectory
        Motion.
    frames : int
        How many at most.
    """
    if not run.n:
        raise StateError("the run has no rows, so there is nothing to see")
    times = np.unique(run.time)
    gaps = np.diff(times)
    even = len(gaps) == 0 or gaps.max() <= _EVEN * gaps.mean()
    if len(times) > frames or not even:
        times = np.linspace(times[0], times[-1], frames)
    rows = run.sample(times)
    finite = np.all(np.abs(rows.q) < LARGEST, axis=1)
    if not finite.any():
        raise StateError("no row of the run has finite coordinates, so there is nothing to see")
    return rows if finite.all() else run.sample(times[finite])


def still(system: System, state: State) -> Trajectory:
    """Run of one row: a mechanism that stands still.

    Parameters
    ----------
    system : System
        Mechanism.
    state : State
        Where it is.
    """
    check_state(system, state)
    if not state.real or not np.all(np.isfinite(state.q)):
        raise StateError("a picture needs a state of finite real numbers")
    columns = Columns.of(system)
    row = np.zeros((1, columns.width))
    row[:, columns.slices["q"]] = state.q
    row[:, columns.slices["v"]] = state.v
    return Trajectory(system, MemoryStore(columns, row))
