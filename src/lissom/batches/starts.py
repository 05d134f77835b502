"""How the runs of `simulate_batch` start, on cores and on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..errors import LissomError
from ..sim.run.interrupts import Interrupts
from ..sim.run.prepare import Prepared

NOT_BEGUN = "interrupted by the user before it began"


class Starts(NamedTuple):
    """Runs by number, prepared, and what ends them all."""

    ready: Callable[[int], Prepared]  # ready(k): run k, prepared
    first: Prepared | LissomError  # run 0, prepared, or why it cannot be
    # again(other, k): run k on the machine of another run, where runs differ in their states alone
    again: Callable[[Prepared, int], Prepared] | None
    interrupts: Interrupts  # Ctrl-C
