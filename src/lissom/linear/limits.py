"""Warnings of linear models about states outside the limits of their bodies' models."""

from __future__ import annotations

import numpy as np

from ..algorithms.loops.frames import loop_external, placed_loops
from ..algorithms.tree import engine
from ..algorithms.tree.reference import External
from ..sim.warnings.linear_limits import warn_of_state
from ..sim.warnings.starts import warn_of_contradictions, warn_of_entered_stops
from .tangent import Tangent


def warn_of_limits_about(equations: Tangent, stacklevel: int) -> None:
    """Warn about the state of a linear model as `simulate` does about a run."""
    start = equations.state
    warn_of_state(start, equations.vdot, on_nodes(equations), "in the state", stacklevel + 1)
    plan, system, time = equations.loads.plan, equations.system, equations.loads.differences.time
    rows = np.zeros(system.n_v, dtype=bool)
    rows[equations.held] = True
    held = [name for name in system.names if np.any(rows[system.layout.hinge_v(name)])]
    state = (plan, start.raw_q, start.raw_v)
    warn_of_entered_stops(*state, equations.vdot, stacklevel + 2, held)
    warn_of_contradictions(*state, time, time, stacklevel + 2)


def on_nodes(equations: Tangent) -> External:
    """Moments and forces of loads and loops on nodes, in the axes of these."""
    system, state, terms = equations.system, equations.state, equations.loads
    result: External = [
        (i, node, terms.wrenches[6 * k : 6 * k + 6]) for k, (i, node) in enumerate(terms.places)
    ]
    if system.loops:
        T = equations.applied - terms.armature * equations.vdot
        wrenches = engine.loop_forces(system, state.raw_q, state.raw_v, T, result)
        for loop, wrench in zip(placed_loops(system, state.raw_q), wrenches, strict=True):
            result = [*result, *loop_external(loop, wrench)]
    return result
