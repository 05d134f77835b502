"""Whether the loops of a state are closed."""

from __future__ import annotations

import numpy as np

from ..errors import StateError
from ..system import System
from .closed_loops import loop_motions
from .reference import kinematics_base_to_tip

__all__ = ["FAR", "OPEN", "check_closed", "loop_of"]

Array = np.ndarray

# Of the system's length, and of length and speeds per second: gaps that a run does not start with,
# and those at which accelerations mean nothing.
OPEN, FAR = 1e-6, 1e-4


def loop_of(system: System, k: int) -> str:
    """Name of the loop that constraint equation k belongs to."""
    for loop in system.loops:
        if k < loop.n_constraint:
            return loop.name
        k -= loop.n_constraint
    raise IndexError(k)


def check_closed(system: System, q: Array, v: Array, tolerance: float = FAR) -> None:
    """Refuse a state whose loops are open or move apart.

    Parameters
    ----------
    system : System
        With loops or without.
    q, v : arrays
        Coordinates and speeds, real numbers.
    tolerance : float
        What counts as open, of the system's length, and of length and speeds per second.
    """
    if not system.loops:
        return
    motions = kinematics_base_to_tip(system, q, v)
    loops = loop_motions(system, motions)
    gap = np.concatenate([x.gap for x in loops])
    rate = np.concatenate([x.rate for x in loops])
    k = int(np.argmax(np.abs(gap)))
    if not np.abs(gap[k]) <= tolerance * system.length:
        raise StateError(
            f"loop {loop_of(system, k)!r} is open by {abs(gap[k]):.3g} m (angles at the length of "
            f"{system.length:.3g} m); close it first: state = assemble(system, state)"
        )
    speed = system.length * (1 + max(np.linalg.norm(m.velocity[:3]) for m in motions))
    k = int(np.argmax(np.abs(rate)))
    if not np.abs(rate[k]) <= tolerance * speed:
        raise StateError(
            f"loop {loop_of(system, k)!r} is closed but its ends move apart at {abs(rate[k]):.3g} "
            "m/s: the speeds contradict the loop; use state = assemble(system, state)"
        )
