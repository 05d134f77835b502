"""How the runs of `simulate_batch` start, on cores and on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..errors import LissomError
from ..sim.run.interrupts import Interrupts
from ..sim.run.prepare import Prepared

NOT_BEGUN = "interrupted by the user before it began"


class Starts(NamedTuple):
    """Runs by number, prepared, and what ends them all.

    Attributes
    ----------
    ready : callable
        ready(k): run k, prepared.
    first : Prepared or LissomError
        Run 0, prepared, or why it cannot be.
    again : callable or None
        again(other, k): run k on the machine of another run, where runs differ in their states
        alone.
    interrupts : Interrupts
        Ctrl-C.
    """

    ready: Callable[[int], Prepared]
    first: Prepared | LissomError
    again: Callable[[Prepared, int], Prepared] | None
    interrupts: Interrupts
