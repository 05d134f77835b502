"""The two methods of forward dynamics, each in the same compiled loop over states."""

from __future__ import annotations

import functools

import numpy as np

from lissom.algorithms.tree import engine
from lissom.library import flexible_chain

from .cases import Case, moving_case
from .peers.twins import Call

METHODS = ("articulated", "composite")


def chain_case(bodies: int, modes: int) -> Case:
    """Flexible chain with few states, since the dense method is slow for many modes."""
    speeds = bodies * (modes + 1)
    return moving_case(flexible_chain(bodies, modes), size=int(np.clip(4096 // speeds, 4, 64)))


def method_calls(case: Case) -> dict[str, Call]:
    """Calls of forward dynamics of the batch by each of `METHODS` and by "auto".

    Parameters
    ----------
    case : Case
        Mechanism and states.
    """
    work = engine.workspace(case.system)
    out = np.empty(case.many_v.size)
    flat = (case.many_q.ravel(), case.many_v.ravel(), case.many_forces.ravel(), out)
    ways = {
        "articulated": (False, engine.LEAST),
        "composite": (True, engine.LEAST),
        "auto": (work.composite, engine.CAREFUL),
    }
    return {
        name: functools.partial(work.accelerations, flat, *way, engine.ALL, 0, case.size)
        for name, way in ways.items()
    }
