"""Checks that the loops of a state are closed and its couplings satisfied."""

from __future__ import annotations

import numpy as np

from ...errors import StateError
from ...system import Coupling, Loop, System, equation
from ..tree.reference import kinematics_base_to_tip
from .closed_loops import loop_motions
from .couplings import coupled_row, coupling_gaps, coupling_jacobian

Array = np.ndarray

# Gaps relative to the system's length, and rates relative to length and speeds per second: those
# that a run rejects at its start, and those that make accelerations meaningless.
OPEN, FAR = 1e-6, 1e-4


def constraint_of(system: System, k: int) -> Loop | Coupling:
    """Loop or coupling of constraint equation k."""
    for one in system.constraints:
        if k < one.n_constraint:
            return one
        k -= one.n_constraint
    raise IndexError(k)


def in_own_unit(system: System, coupling: Coupling, gap: float) -> float:
    """Gap of a coupling in the unit of its sum, from the gap [m]."""
    return gap / coupled_row(system, coupling).scale


REMEDY = "state = assemble(system, state)"


def check_closed(
    system: System, q: Array, v: Array, tolerance: float = FAR, remedy: str = REMEDY
) -> None:
    """Reject a state with open or opening loops, or with violated couplings."""
    if not system.constraints:
        return
    motions = kinematics_base_to_tip(system, q, v)
    loops = loop_motions(system, motions)
    gap = np.concatenate([*(x.gap for x in loops), coupling_gaps(system, q)])
    C = coupling_jacobian(system)
    rate = np.concatenate([*(x.rate for x in loops), C @ v])
    k = int(np.argmax(np.abs(gap)))
    if not np.abs(gap[k]) <= tolerance * system.length:
        raise StateError(f"{_open(system, k, abs(float(gap[k])))}{remedy}")
    turning = max(float(np.linalg.norm(m.velocity[:3])) for m in motions)
    speed = system.length + max(system.length * turning, float(np.abs(C * v).max(initial=0.0)))
    k = int(np.argmax(np.abs(rate)))
    if not np.abs(rate[k]) <= tolerance * speed:
        raise StateError(f"{_opening(system, k, abs(float(rate[k])))}{remedy}")


def _open(system: System, k: int, gap: float) -> str:
    one = constraint_of(system, k)
    if isinstance(one, Loop):
        return (
            f"loop {one.name!r} is open by {gap:.3g} m (angles at the length of "
            f"{system.length:.3g} m); close it first: "
        )
    return (
        f"coupling {one.name!r}, {equation(system, one)}, is violated by "
        f"{in_own_unit(system, one, gap):.3g}; use "
    )


def _opening(system: System, k: int, rate: float) -> str:
    one = constraint_of(system, k)
    if isinstance(one, Loop):
        return (
            f"loop {one.name!r} is closed but its ends move apart at {rate:.3g} "
            "m/s: the speeds contradict the loop; use "
        )
    return (
        f"the speeds contradict coupling {one.name!r}, {equation(system, one)}: they violate it by "
        f"{in_own_unit(system, one, rate):.3g} in a second; use "
    )
