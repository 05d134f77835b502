"""Initial states whose loops are closed."""

from __future__ import annotations

import inspect
from dataclasses import replace

from ....algorithms import closed_state
from ....algorithms.loops.checks import OPEN, check_closed
from ....errors import LissomError
from ....sim import Motion, simulate
from ....sim.run.prepare import prepared
from ....sim.run.start import driven_bodies, planned
from ....sim.run.whole_run import begun_run
from ....sim.warnings.starts import warn_of_start
from ..functions import unread_function
from .simulation import ModelRun


def closed_start(run: ModelRun) -> tuple[ModelRun, bool]:
    """Run with an initial state whose loops are closed, and whether it was changed.

    Joints with prescribed motion and those that the file holds keep their coordinates; a state that
    contradicts a prescribed motion is unchanged, and `simulate` rejects it.

    Parameters
    ----------
    run : ModelRun
        Run as loaded.
    """
    try:
        check_closed(run.system, run.state.raw_q, run.state.raw_v, OPEN)
    except LissomError:
        loads = run.settings.get("loads", ())
        driven = driven_bodies(planned(run.system, None, loads, ()))
        held = {run.system.names[body] for body in driven} - {
            load.joint for load in loads if isinstance(load, Motion) and _is_unread(load)
        }
        names = sorted(held.union(run.held))
        return replace(run, state=closed_state(run.system, run.state, held=names)), True
    return run, False


def set_at_start(run: ModelRun) -> None:
    """Raise, and warn of, what `simulate` does before its first step.

    Parameters
    ----------
    run : ModelRun
        Run with all its functions.
    """
    arguments = {name: x.default for name, x in inspect.signature(simulate).parameters.items()}
    arguments |= {"system": run.system, "state": run.state, **run.settings}
    ready = prepared(
        **{
            name: arguments[name]
            for name in inspect.signature(prepared).parameters
            if name in arguments
        }
    )
    warn_of_start(ready.machine, begun_run(ready), stacklevel=2)


def _is_unread(motion: Motion) -> bool:
    """Whether a motion is a function that was not looked up, so that its start is unknown."""
    given = (motion.position, motion.velocity, motion.acceleration)
    return any(x is unread_function for x in given)
