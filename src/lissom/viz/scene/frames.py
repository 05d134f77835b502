"""Frames of a picture: as many rows of a run as a smooth animation needs, and enlarged ones."""

from __future__ import annotations

import numpy as np

from ...algorithms.tree.arguments import as_state
from ...errors import SingularError, StateError
from ...results.store import Columns, MemoryStore
from ...results.trajectory import Trajectory
from ...sim.assembling import assemble
from ...system import StateLike, System

LARGEST = 1e30  # larger numbers, from failed runs, are clipped
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


def still(system: System, state: StateLike, what: str = "a view") -> Trajectory:
    """Run with a single row: a mechanism at rest; `what` is drawn, for messages."""
    state = as_state(system, state)
    if not state.real or not np.all(np.isfinite(state.q)):
        raise StateError(
            f"{what} needs a state of real, finite numbers; this state has symbols, complex or "
            "infinite numbers"
        )
    columns = Columns.of(system)
    row = np.zeros((1, columns.width))
    row[:, columns.slices["q"]] = state.q
    row[:, columns.slices["v"]] = state.v
    return Trajectory(system, MemoryStore(columns, row))


def with_scaled_modes(rows: Trajectory, scale: float) -> tuple[Trajectory, float]:
    """Rows with modal coordinates times a factor, and the largest gap of their loops [m].

    For pictures: the page enlarges deformations by itself.  Hinge coordinates stay, but those of
    loops change until the loops are closed, if they can be.
    """
    system, q = rows.system, np.array(rows.q)
    for i in range(system.n_body):
        q[:, system.layout.modal_q(i)] *= scale
    bent = [f"{x}.modes" for x, b in zip(system.names, system.bodies, strict=True) if b.n_mode]
    if system.loops:
        for k, row in enumerate(q):
            state = system.state(q=row)
            try:
                q[k] = assemble(system, state, held=bent, velocity=False).q
            except SingularError as error:
                near = getattr(error, "state", None)  # the nearest that was found
                q[k] = row if near is None else near.q
    columns = Columns.of(system)
    table = np.zeros((rows.n, columns.width))
    table[:, columns.slices["time"]] = rows.time[:, None]
    table[:, columns.slices["q"]] = q
    large = Trajectory(system, MemoryStore(columns, table))
    return large, float(large["closure"].max()) if system.loops else 0.0
