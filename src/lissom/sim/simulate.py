"""simulate: the motion of a system from a state, under loads."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms._kernels.simulation import fields as run
from ..algorithms.arguments import check_state, check_system
from ..errors import LoadError, ResultError, SimulationError, SimulationWarning, StateError
from ..results.disk import as_path
from ..results.trajectory import Trajectory
from ..system import State, System
from .checks import number, positive, shown
from .choice import chosen, first_step
from .drive_checks import check_drives, warn_of_winding
from .events import Event
from .integrators import as_integrator
from .jumps import warn_of_jumps
from .linear_limits import warn_of_limits
from .loads import Load
from .machine import Machine
from .progress import ProgressBar
from .reasons import Outcome
from .record import FileRecord, Record
from .runner import Runner
from .saving import opened_record, run_meta
from .settings import TIME, checked_settings, start_time, tolerance
from .start import begun, check_ends, planned, started, with_motions

__all__ = ["simulate"]

LOGGER = logging.getLogger("lissom")

LARGE = 0.3  # error of fixed steps that is told even if the integrator was chosen by the user
SINGULAR = 1e-4  # part of a constraint that is left, below which a position is nearly singular
FINEST = 1e-10  # tolerance down to which errors follow it through such a position


def simulate(
    system: System,
    state: State | None = None,
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
    state : State, optional
        Where it starts; by default neutral, at rest, or where given motions begin.  It must
        not contradict these, and its loops must be closed: `assemble`.
    duration : float
        Time to simulate [s].
    start : float
        Time at the start [s].
    step : float, optional
        Fixed step [s].  Without it the integrator chooses its steps; one that cannot needs it.
    integrator : str or Integrator
        "auto", "euler_cromer", "rk4", "dopri5", "dop853", "linearly_implicit_euler",
        "generalized_alpha", or an object such as ``GeneralizedAlpha(spectral_radius=0.9)``.  "auto"
        chooses by stiffness; the result's ``statistics`` say what and why.
    rtol : float
        Relative tolerance of adaptive steps, in the largest error over all coordinates and speeds.
    atol : float or array (n_v,), optional
        Absolute tolerance; by default `rtol` times 1 rad, the size of the system, or for modal
        coordinates what moves a node by the length of its body.
    forces : callable, array, mapping, Controller or list of loads, optional
        Generalized forces: f(time, state) -> (n_v,) or {"body": ...}; compiled by Numba
        f(time, q, v, out); constants; or a sampled `Controller`.
    loads : sequence of Load
        Actuators, springs, dampers, friction, stops, forces on nodes, given motions, controllers.
    events : sequence of Event
        What happens when a quantity passes zero.
    output_step : float, optional
        Time between rows of the result; a multiple of a fixed `step`.  By default every step, and
        points within adaptive ones.
    max_step : float, optional
        Longest step that an adaptive method may take [s]; by default a tenth of `duration`.  What
        functions and events do inside steps is looked at 4096 times in a run and wherever a row is
        due; give a shorter `max_step` if something is over in less time than that.
    drift : "projection" or Baumgarte
        What keeps loops closed: coordinates and speeds put back after each step, or accelerations
        that pull gaps together.
    method : {"auto", "articulated", "composite"}
        How accelerations are found: by articulated bodies, O(N), or by the mass matrix, O(N^3).
        "auto" takes articulated bodies.
    file : path, optional
        NAME.nc: rows go to the journal NAME.nc.part while the run lasts, and it becomes NAME.nc at
        the end.
    resume : path, optional
        Journal of an interrupted run (or its NAME.nc), to go on with the same arguments to the same
        result.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.
    time_limit : float
        Real time after which the run ends with what it has [s].

    Returns
    -------
    Trajectory
        Also if the run ended early: ``.status`` and ``.message`` say how and why.
    """
    check_system(system)
    if state is not None:
        check_state(system, state)
        if not state.real:
            raise StateError("simulate needs a state of real numbers")
    for what, path in (("file", file), ("resume", resume)):
        _check_path(path, what)
    duration = positive(duration, "duration", TIME)
    limit = number(time_limit, "time_limit", TIME, lambda x: x > 0)
    if step is not None:
        step = positive(step, "step", TIME)
    begin, relative = start_time(start), tolerance(rtol)
    plan = planned(system, forces, loads, events)
    check_drives(plan)
    motions = with_motions(forces, loads)
    given, state = state, begun(plan, state, begin, motions)
    kind = as_integrator(integrator)
    asked = kind is not None
    reason = f"{kind.title}, as asked" if kind is not None else ""
    if kind is None:
        kind, reason = chosen(plan, state, begin, duration, step, relative)
    settings = checked_settings(
        system,
        kind,
        duration=duration,
        start=begin,
        step=step,
        rtol=relative,
        atol=atol,
        output_step=output_step,
        max_step=max_step,
        each_step=asked and kind.implicit,
        drift=drift,
        method=method,
    )
    check_ends(plan, settings)
    if not asked:
        warn_of_jumps(plan, settings, stacklevel=3)
    machine = Machine(plan, settings)
    machine.begin(state.raw_q, state.raw_v, settings.step)
    row = started(machine, given, motions)
    warn_of_winding(machine, row)
    if settings.adaptive:
        machine.memory[run.NEXT_STEP] = first_step(machine, row)
    record = opened_record(machine, file, resume, reason, limited=limit < np.inf)
    if isinstance(record, Trajectory):
        return record
    LOGGER.info("%s: %s", system.name or "run", reason)
    return _run(machine, record, reason, progress, limit, asked=asked)


def _check_path(path: Any, what: str) -> None:
    """Refuse what is not a path or None; a number would name a file that is open already."""
    if path is None:
        return
    try:
        as_path(path)
    except ResultError:
        raise LoadError(f"{what} is {shown(path)}; expected a path, such as 'run.nc'") from None


def _run(
    machine: Machine,
    record: Record,
    reason: str,
    progress: bool | None,
    limit: float,
    *,
    asked: bool,
) -> Trajectory:
    system, settings = machine.system, machine.settings
    bar = ProgressBar(system.name, settings.start, settings.end, progress)
    bar.resume_at(machine.time)
    runner = Runner(machine, record, bar, limit)
    begun = time.perf_counter()
    try:
        try:
            outcome = runner.run()
        finally:
            bar.close()
        meta = run_meta(machine, runner, outcome, reason, time.perf_counter() - begun)
        whole = outcome.status not in ("interrupted", "time limit", "disk", "failed", "memory")
        try:
            store = record.finish(meta, whole=whole)
        except ResultError as error:
            outcome = Outcome("disk", str(error), error)
            meta.update(status=outcome.status, message=outcome.message)
            store = record.finish(meta, whole=False)
    except BaseException:  # a second Ctrl-C, or one while the file is written
        record.abandon()
        raise
    trajectory = Trajectory(system, store, meta)
    if outcome.status != "memory":
        warn_of_limits(trajectory, stacklevel=3)
    if outcome.error is not None:
        raise SimulationError(_with_hint(outcome, record), trajectory) from outcome.error
    if outcome.status not in ("finished", "event"):
        warnings.warn(_with_hint(outcome, record), SimulationWarning, stacklevel=3)
    else:
        _warn_of_long_steps(machine, asked=asked)
    _warn_of_singular(machine)
    return trajectory


def _warn_of_singular(machine: Machine) -> None:
    """Say that a run passed a singular position in a manner that leaves errors.

    Explicit steps of fixed size look at no error; those of a very small tolerance cannot keep it.
    """
    settings, nearest = machine.settings, machine.memory[run.NEAREST]
    if settings.integrator.implicit or nearest > SINGULAR:
        return
    if not settings.adaptive:
        told = (
            "a step of fixed size may spoil the motion there: look at the energy, or let the "
            "integrator choose its steps"
        )
    elif settings.rtol < FINEST:
        told = (
            f"rounding is amplified there, and an error of the order of 1e-8 may be left that "
            f"rtol = {settings.rtol:.0e} does not reach: rtol = {FINEST:.0e} takes fewer steps"
        )
    else:
        return
    warnings.warn(
        f"near t = {machine.memory[run.NEAREST_TIME]:.6g} s the loops were close to a singular "
        f"position ({nearest:.2g} of a constraint was left); {told}",
        SimulationWarning,
        stacklevel=4,
    )


def _warn_of_long_steps(machine: Machine, *, asked: bool) -> None:
    """Say that fixed steps leave more error than was asked for; that of a chosen method, if large.

    The sum of the estimated errors of all steps, as a part of the sizes of coordinates and speeds.
    """
    settings = machine.settings
    error = machine.statistics.get("estimated_error", 0.0)
    if not error > max(LARGE if asked else 0.0, 10 * settings.rtol):
        return
    worst = machine.system.layout.owner_v(int(machine.memory[run.ERROR_WORST]))
    left, advice = "adaptive steps leave", "give a smaller rtol="
    if not settings.adaptive:
        left = f"a fixed step of {settings.step:g} s leaves"
        advice = (
            "shorten the step, let the integrator choose it (without step=), or give the error "
            "that you accept as rtol="
        )
    warnings.warn(
        f"{left} an error of about {error:.1g} with {settings.integrator.title} (1 is the size of "
        f"a body, or 1 rad; rtol is {settings.rtol:g}), worst: {worst}; {advice}",
        SimulationWarning,
        stacklevel=4,
    )


def _with_hint(outcome: Outcome, record: Record) -> str:
    ended = f"the run ended early ({outcome.status}): {outcome.message}"
    if isinstance(record, FileRecord) and os.path.exists(record.journal.path):
        return f"{ended}; go on with simulate(..., resume={record.journal.path!r})"
    return ended
