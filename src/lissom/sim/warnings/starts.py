"""What is looked at before a run begins, in `simulate`, steppers and batches."""

from __future__ import annotations

import numpy as np

from ..run.machine import Machine
from .contradictions import warn_of_contradictions
from .entered_stops import warn_of_entered_stops

Array = np.ndarray


def warn_of_start(machine: Machine, row: Array, stacklevel: int, *, ends: bool = True) -> None:
    """Warn of joints that start inside stops, and of motions that tear bodies."""
    plan, settings = machine.plan, machine.settings
    q, v, a = (machine.columns.part(row[None], name)[0] for name in ("q", "v", "acceleration"))
    warn_of_entered_stops(plan, q, v, a, stacklevel + 1)
    last = settings.end if ends else settings.start
    warn_of_contradictions(plan, q, v, settings.start, last, stacklevel + 1)
