"""Frames of a run: as many rows as a smooth animation needs."""

from __future__ import annotations

import numpy as np

from ...algorithms.tree.arguments import as_state
from ...errors import StateError
from ...results.store import Columns, MemoryStore
from ...results.trajectory import Trajectory
from ...system import StateLike, System
from .numbers import LARGEST

_MOST = 20_000  # rows that are looked at for the largest values
_EVEN = 1.5  # largest gap between rows, in mean gaps, at which rows are used as frames directly


def frames_of(run: Trajectory, frames: int) -> Trajectory:
    """Evenly spaced rows for an animated view."""
    if not run.n:
        raise StateError("the run has no rows, so that there is nothing to show")
    times = np.unique(run.time)
    gaps = np.diff(times)
    even = len(gaps) == 0 or gaps.max() <= _EVEN * gaps.mean()
    if len(times) > frames or not even:
        times = np.linspace(times[0], times[-1], frames)
    rows = run.sample(times)
    finite = np.all(np.abs(rows.q) < LARGEST, axis=1)
    if not finite.any():
        raise StateError(
            "no row of the run has finite coordinates, so that there is nothing to show"
        )
    return rows if finite.all() else run.sample(times[finite])


def thinned(run: Trajectory) -> Trajectory:
    """Finite rows of a run, or as many of a very long one as are searched for extremes."""
    finite = np.all(np.abs(run.q) < LARGEST, axis=1)
    if run.n <= _MOST and finite.all():
        return run
    times = np.unique(run.time[finite])
    return run.sample(times[np.linspace(0, len(times) - 1, min(_MOST, len(times))).astype(int)])


def still(system: System, state: StateLike) -> Trajectory:
    """Run with a single row: a mechanism at rest."""
    state = as_state(system, state)
    if not state.real or not np.all(np.isfinite(state.q)):
        raise StateError(
            "a view needs a state of real, finite numbers; this state has symbols, complex or "
            "infinite numbers"
        )
    columns = Columns.of(system)
    row = np.zeros((1, columns.width))
    row[:, columns.slices["q"]] = state.q
    row[:, columns.slices["v"]] = state.v
    return Trajectory(system, MemoryStore(columns, row))
