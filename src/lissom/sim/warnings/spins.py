"""Warning about flexible bodies that spin too fast for their level."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...algorithms.tree.kinematics import velocity
from ...bodies import NormalBody
from ...system import State, System
from ..run.machine import Machine
from .advice import against_spin, also
from .gathering import say

CARRYING = ("stiffened", "exact")  # levels with centrifugal stiffening
SPIN = 0.1  # fraction of its first frequency at which a flexible body spins too fast for its level


def fast_spins(machine: Machine) -> dict[int, float]:
    """Flexible bodies that have turned too fast for their levels so far, and how fast [rad/s]."""
    spins = machine.plan.spins.items()
    return _too_fast(machine.system, {i: float(machine.memory[place]) for i, place in spins})


def fast_spins_of(state: State) -> dict[int, float]:
    """The same of one state."""
    system, rates = state.system, dict[int, float]()
    for i, body in enumerate(system.bodies):
        if body.n_mode and np.any(state.v):
            rates[i] = float(np.linalg.norm(velocity(system, state, system.names[i])[:3]))
    return _too_fast(system, rates)


def _too_fast(system: System, rates: Mapping[int, float]) -> dict[int, float]:
    """Those that spin too fast for their levels."""
    bodies = system.bodies
    return {
        i: rate
        for i, rate in rates.items()
        if bodies[i].level not in CARRYING and rate > SPIN * _first(bodies[i])
    }


def warn_of_spins(system: System, spins: Mapping[int, float], stacklevel: int) -> None:
    """Warn about them: the worst, and the names of the others."""
    if not spins:
        return
    parts = {i: rate / max(_first(system.bodies[i]), 1e-300) for i, rate in spins.items()}
    i = max(parts, key=lambda k: parts[k])
    names, first = system.names, _first(system.bodies[i])
    others = [names[k] for k in parts if k != i]
    say(
        "spin",
        parts[i],
        f"body {names[i]!r} turns at {spins[i]:.3g} rad/s, more than {SPIN:g} "
        f"of its first frequency ({first:.3g} rad/s); level {system.bodies[i].level!r} "
        "neglects centrifugal stiffening: frequencies are too low and deflections too large; "
        f"{against_spin(parts[i] if first else np.inf)}{also(others)}",
        stacklevel + 1,
    )


def _first(body: NormalBody) -> float:
    """First frequency [rad/s]; infinite without modes."""
    return float(np.sqrt(body.stiffness.min(initial=np.inf)))
