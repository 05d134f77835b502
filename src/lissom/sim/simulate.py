"""simulate: the motion of a system from a state, under loads."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import LoadError, ResultError, SimulationError, SimulationWarning, shown
from ..results.files.disk import as_path
from ..results.trajectory import Trajectory
from ..system import StateLike, System
from .events.event import Event
from .loads import Load
from .run.prepare import begun_run, prepared
from .run.progress import ProgressBar
from .run.reasons import Outcome
from .run.record import FileRecord, RunRecord, opened_record
from .run.runner import completed
from .run.settings import run_options
from .warnings.accuracy import warn_of_long_steps, warn_of_singular
from .warnings.contacts import warn_of_contacts
from .warnings.linear_limits import warn_of_limits
from .warnings.starts import warn_before

LOGGER = logging.getLogger("lissom")


def simulate(
    system: System,
    state: StateLike | None = None,
    *,
    duration: float,
    start: float = 0.0,
    step: float | None = None,
    integrator: Any = "auto",
    rtol: float = 1e-8,
    atol: Any = None,
    forces: Any = None,
    loads: Sequence[Load] = (),
    events: Sequence[Event] = (),
    output_step: float | None = None,
    max_step: float | None = None,
    drift: Any = "projection",
    method: str = "auto",
    rate_linear: bool = False,
    file: Any = None,
    resume: Any = None,
    progress: bool | None = None,
    time_limit: float = np.inf,
) -> Trajectory:
    """Motion of a system from a state, under forces and loads.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Initial state; by default neutral, at rest, and on given motions.  It must agree with these,
        and its loops must be closed: see `assemble`.
    duration : float
        Time to simulate [s].
    start : float
        Time at the start [s].
    step : float, optional
        Fixed step [s].  Without it the integrator chooses its steps; methods without step control
        require it.
    integrator : str or Integrator
        "auto", "euler_cromer", "rk4", "dopri5", "dop853", "linearly_implicit_euler",
        "generalized_alpha", or an object such as ``GeneralizedAlpha(spectral_radius=0.9)``.  "auto"
        chooses by stiffness; the result's ``statistics`` give the choice and its reason.
    rtol : float
        Relative tolerance of adaptive steps, for the largest error of all coordinates and speeds.
    atol : float or array (n_v,), optional
        Absolute tolerance; by default `rtol` times 1 rad, times the size of the system, or for
        modal coordinates times the value that moves a node by the length of its body.
    forces : callable, array, mapping, Controller or list of loads, optional
        Generalized forces: f(time, state) -> (n_v,) or {"body": ...}; compiled by Numba
        f(time, q, v, out); constants; or a sampled `Controller`.
    loads : sequence of Load
        Actuators, springs, dampers, friction, stops, forces on nodes, given motions, controllers.
    events : sequence of Event
        Actions when quantities cross zero.
    output_step : float, optional
        Time between rows of the result [s]; a multiple of a fixed `step`.  By default every step,
        and points within adaptive ones.
    max_step : float, optional
        Longest adaptive step [s]; by default a tenth of `duration`.  Functions and events are
        sampled inside steps, 4096 times in a run and at every row; give a shorter `max_step` if
        they can change and return in less time than that.
    drift : "projection" or Baumgarte
        Method that keeps loops closed: projection of coordinates and speeds after each step, or
        accelerations that reduce the gaps.
    method : {"auto", "articulated", "composite"}
        Method for accelerations: articulated bodies, O(N), or mass matrix, O(N^3).  "auto" uses
        articulated bodies.
    rate_linear : bool
        Whether to omit all terms of second order in the speeds, centrifugal and Coriolis forces;
        not for systems with loops or couplings.
    file : path, optional
        NAME.nc: rows are written to the journal NAME.nc.part during the run, which becomes NAME.nc
        at the end.
    resume : path, optional
        Journal of an interrupted run (or its NAME.nc); with the same arguments the run continues to
        the same result.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.
    time_limit : float
        Real time after which the run ends with the rows so far [s].

    Returns
    -------
    Trajectory
        Also if the run ended early: ``.status`` and ``.message`` give the reason.
    """
    arguments = locals()
    for what, path in (("file", file), ("resume", resume)):
        _check_path(path, what)
    ready = prepared(system, state, run_options(arguments))
    machine, settings = ready.machine, ready.settings
    warn_before(machine, begun_run(ready), stacklevel=3, resumed=resume is not None)
    record = opened_record(machine, file, resume, ready.reason)
    if isinstance(record, Trajectory):
        return record
    LOGGER.info("%s: %s", system.name or "run", ready.reason)
    bar = ProgressBar(system.name, settings.start, settings.end, progress)
    store, meta, outcome = completed(ready, record, bar)
    trajectory = Trajectory(system, store, meta)
    if outcome.error is None and not outcome.whole:
        warnings.warn(_with_hint(outcome, record), SimulationWarning, stacklevel=2)
    if outcome.sane:
        warn_of_limits(trajectory, stacklevel=2)
    if outcome.error is not None:
        raise SimulationError(_with_hint(outcome, record), trajectory) from outcome.error
    if outcome.whole:
        warn_of_long_steps(machine, asked=ready.asked, stacklevel=2)
    if outcome.sane:
        warn_of_singular(machine, stacklevel=2)
        warn_of_contacts(machine, stacklevel=2)
    return trajectory


def _check_path(path: Any, what: str) -> None:
    """Refuse a value that is not a path or None; a number would refer to a file already open."""
    if path is None:
        return
    try:
        as_path(path)
    except ResultError:
        raise LoadError(f"{what} is {shown(path)}; expected a path, such as 'run.nc'") from None


def _with_hint(outcome: Outcome, record: RunRecord) -> str:
    ended = f"the run ended early ({outcome.status}): {outcome.message}"
    if isinstance(record, FileRecord) and os.path.exists(record.journal.path):
        return f"{ended}; continue with simulate(..., resume={record.journal.path!r})"
    return ended
