"""Starts of the runs of model files: their loops are closed, and what they refuse is found."""

from __future__ import annotations

from dataclasses import replace

from ....algorithms.loops.assembly import closed_with_warning
from ....algorithms.loops.checks import OPEN, check_closed
from ....errors import LissomError, warn_user
from ....sim import Motion
from ....sim.run.prepare import begun_run, prepared
from ....sim.run.settings import run_options, settled
from ....sim.run.start import driven_bodies, planned
from ....sim.warnings.starts import warn_of_start
from ..functions import unread_function
from .simulation import ModelRun


def closed_start(run: ModelRun) -> tuple[ModelRun, bool]:
    """Run with an initial state whose loops are closed, and whether it was changed.

    Joints with prescribed motion and those that the file holds keep their coordinates; a state that
    contradicts a prescribed motion is unchanged, and `simulate` rejects it.
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
        state, words = closed_with_warning(run.system, run.state, held=names)
        if words:
            warn_user(words)
        return replace(run, state=state), True
    return run, False


def set_at_start(run: ModelRun) -> None:
    """Raise, and warn of, what `simulate` does before its first step."""
    ready = prepared(run.system, run.state, run_options(run.settings))
    warn_of_start(ready.machine, begun_run(ready), stacklevel=2)


def check_settings(run: ModelRun) -> None:
    """Reject inconsistent steps and tolerances, as `simulate` would."""
    options = run_options(run.settings)
    if options.integrator != "auto":  # else chosen when the run starts
        settled(run.system, options, options.integrator)


def _is_unread(motion: Motion) -> bool:
    """Whether a motion is a function that was not looked up, so that its start is unknown."""
    signals = (motion.position, motion.velocity, motion.acceleration)
    return any(x is unread_function for x in signals)
