"""Motions whose deformations are enlarged, for pictures; the page enlarges them by itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import SingularError, StateError
from ...results.store import Columns, MemoryStore
from ...results.trajectory import Trajectory
from ...sim.assembling import assemble


def check_scale(scale: Any) -> None:
    """Refuse what is no factor for deformations."""
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0 <= scale <= 1e6:
        raise StateError(f"scale is {scale!r}; expected a factor for deformations, such as 5")


def with_scaled_modes(rows: Trajectory, scale: float) -> tuple[Trajectory, float]:
    """Rows with modal coordinates times a factor, and the largest gap of their loops [m].

    Hinge coordinates stay, but those of loops change until the loops are closed, if they can be.
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
