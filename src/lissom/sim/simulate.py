"""simulate: the motion of a system from a state, under loads."""

from __future__ import annotations

import hashlib
import logging
import os
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..algorithms._kernels.simulation import layout as at
from ..algorithms.arguments import check_state, check_system
from ..errors import LoadError, ResultError, SimulationError, SimulationWarning, StateError
from ..results.described import digest
from ..results.trajectory import Trajectory
from ..results.versions import lissom_version
from ..system import State, System
from .controllers import Controller, enter_forces, with_arrays_apart, with_arrays_back
from .events import Event
from .integrators import (
    DormandPrince8,
    EulerCromer,
    GeneralizedAlpha,
    Integrator,
    RungeKutta4,
    as_integrator,
)
from .loads import Load
from .machine import Machine, Settings, modal_stiffness
from .plan import SIGNAL_ROW, Plan
from .progress import ProgressBar
from .record import FileRecord, MemoryRecord, Record, journal_path
from .runner import Outcome, Runner, explained
from .scales import error_sizes, fastest_rate

__all__ = ["simulate"]

Array = np.ndarray
LOGGER = logging.getLogger("lissom")

# "auto": explicit methods as long as step times rate is below this, or without a step, as long as
# the fastest rate [rad/s] lets them take steps that are worth it.
EXPLICIT_STEP, EXPLICIT_RATE = 1.5, 2e4


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
        Where it starts; by default neutral, at rest.
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
    if state is None:
        state = system.neutral()
    check_state(system, state)
    if not state.real:
        raise StateError("simulate needs a state of real numbers")
    plan = planned(system, forces, loads, events)
    settings, reason = _settings(
        system, state, plan, duration, start, step, integrator, rtol, atol, output_step
    )
    _check_ends(plan, settings)
    limit = _positive(time_limit, "time_limit", infinite=True)
    for what, path in (("file", file), ("resume", resume)):
        if not isinstance(path, (str, os.PathLike, type(None))):
            raise LoadError(f"{what} is {path!r}; expected a path")
    machine = Machine(plan, settings)
    machine.begin(state.raw_q, state.raw_v, settings.step)
    row = check_start(machine, keep_samples=True)
    if settings.adaptive:
        machine.memory[at.NEXT_STEP] = _first_step(machine, row)
    record = _record(machine, file, resume, reason)
    if isinstance(record, Trajectory):
        return record
    LOGGER.info("%s: %s", system.name or "run", reason)
    return _run(machine, record, reason, progress, limit, state)


def _run(
    machine: Machine,
    record: Record,
    reason: str,
    progress: bool | None,
    limit: float,
    state: State,
) -> Trajectory:
    system, settings = machine.system, machine.settings
    bar = ProgressBar(system.name, settings.start, settings.end, progress)
    bar.resume_at(machine.time)
    runner = Runner(machine, record, bar, limit)
    begun = time.perf_counter()
    try:
        outcome = runner.run()
    except BaseException:  # a second Ctrl-C
        record.abandon()
        raise
    finally:
        bar.close()
    meta = _meta(machine, runner, outcome, reason, time.perf_counter() - begun)
    whole = outcome.status not in ("interrupted", "time limit", "disk", "failed")
    try:
        store = record.finish(meta, whole=whole)
    except ResultError as error:
        outcome = Outcome("disk", str(error), error)
        meta.update(status=outcome.status, message=outcome.message)
        store = record.finish(meta, whole=False)
    except BaseException:  # Ctrl-C while the file is written
        record.abandon()
        raise
    trajectory = Trajectory(system, store, meta)
    if outcome.error is not None:
        raise SimulationError(_with_hint(outcome, record), trajectory) from outcome.error
    if outcome.status not in ("finished", "event"):
        warnings.warn(_with_hint(outcome, record), SimulationWarning, stacklevel=3)
    return trajectory


def _with_hint(outcome: Outcome, record: Record) -> str:
    ended = f"the run ended early ({outcome.status}): {outcome.message}"
    if isinstance(record, FileRecord) and os.path.exists(record.journal.path):
        return f"{ended}; go on with simulate(..., resume={record.journal.path!r})"
    return ended


def planned(system: System, forces: Any, loads: Any, events: Any) -> Plan:
    """All that acts, resolved against a system."""
    plan = Plan(system)
    for load in _listed(loads, Load, "loads"):
        load.enter(plan)
    enter_forces(plan, forces)
    for event in _listed(events, Event, "events"):
        event.enter(plan)
    return plan


def _listed(given: Any, kind: type, what: str) -> list[Any]:
    if isinstance(given, kind):
        return [given]
    try:
        items = list(given)
    except TypeError:
        raise LoadError(
            f"{what} is {given!r}; expected a list of {kind.__name__} objects"
        ) from None
    for item in items:
        if not isinstance(item, kind):
            raise LoadError(f"{what} contains {item!r}; expected {kind.__name__} objects")
    return items


def _check_ends(plan: Plan, settings: Settings) -> None:
    """Refuse a table of positions that stops while its joint moves: that would be an impact."""
    for what, table in plan.ends:
        sizes = np.abs(np.diff(table.values, axis=0)).max() / np.diff(table.times).min()
        for slope, t, inside in zip(
            table.end_slopes(),
            table.times[[0, -1]],
            (settings.start >= table.times[0], settings.end <= table.times[-1]),
            strict=True,
        ):
            if not inside and np.abs(slope).max() > 1e-6 * sizes:
                raise LoadError(
                    f"{what}: the table {'starts' if t == table.times[0] else 'ends'} at "
                    f"t = {t:g} s with a rate of {slope[np.argmax(np.abs(slope))]:.3g}, and the "
                    "run goes beyond; let the table cover the run, or use clamped=True for a "
                    "motion from rest to rest"
                )


def _positive(value: Any, what: str, *, infinite: bool = False) -> float:
    good = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
    if not good or not value > 0 or (not infinite and not np.isfinite(value)):
        raise LoadError(f"{what} is {value!r}; expected a positive time [s]")
    return float(value)


def _settings(
    system: System,
    state: State,
    plan: Plan,
    duration: Any,
    start: Any,
    step: Any,
    integrator: Any,
    rtol: Any,
    atol: Any,
    output_step: Any,
) -> tuple[Settings, str]:
    """What the run shall do, and the words for what was chosen."""
    duration = _positive(duration, "duration")
    if not isinstance(start, (int, float, np.number)) or not np.isfinite(start):
        raise LoadError(f"start is {start!r}; expected a finite time [s]")
    fixed = None if step is None else _positive(step, "step")
    period = 0.0 if output_step is None else _positive(output_step, "output_step")
    if not isinstance(rtol, (int, float, np.number)) or not 1e-15 <= rtol < 1:
        raise LoadError(f"rtol is {rtol!r}; expected a number from 1e-15 to 1")
    kind = as_integrator(integrator)
    if kind is None:
        kind, reason = _chosen(system, state, plan, fixed)
    else:
        reason = f"{kind.title}, as asked"
    if fixed is None and not kind.adaptive:
        raise LoadError(f"{kind.title} has fixed steps; give step= in seconds")
    if fixed is not None and fixed > duration:
        fixed = duration
    shortest = 200 * np.spacing(abs(start) + duration)
    if (fixed or duration) < shortest:
        what = f"duration of {duration:g} s" if fixed is None else f"step of {fixed:g} s"
        raise LoadError(
            f"a {what} is lost in rounding beside times up to {abs(start) + duration:g} s; start "
            f"nearer to zero, end earlier, or use more than {shortest:.2g} s"
        )
    if fixed is not None and period:
        ratio = period / fixed
        if ratio < 1 - 1e-9 or abs(ratio - round(ratio)) > 1e-6 * ratio:
            raise LoadError(
                f"output_step is {period:g} s; with a fixed step of {fixed:g} s it must be a "
                f"multiple of that, such as {max(1, round(ratio)) * fixed:g}"
            )
    settings = Settings(
        start=float(start),
        duration=duration,
        integrator=kind,
        step=fixed or duration,
        adaptive=fixed is None,
        rtol=float(rtol),
        atol=_tolerances(system, atol),
        output_step=period or (0.0 if fixed is None else fixed),
    )
    return settings, reason


def _tolerances(system: System, atol: Any) -> Array | None:
    if atol is None:
        return None
    try:
        given = np.array(atol, dtype=float)
    except (TypeError, ValueError):
        given = np.zeros((0, 0, 0))
    if given.shape not in ((), (system.n_v,)) or not np.all(given > 0):
        raise LoadError(f"atol is {atol!r}; expected a positive number or ({system.n_v},) of them")
    return np.broadcast_to(given, (2, system.n_v)).copy()


def _chosen(system: System, state: State, plan: Plan, step: float | None) -> tuple[Integrator, str]:
    """What "auto" takes, and why."""
    K, C = _stiffness(system, plan)
    rate = fastest_rate(_at_rest(plan, state).solve, K, C)
    words = f"fastest vibration or decay {rate:.3g} rad/s" if rate else "nothing is stiff"
    if step is None:
        if rate <= EXPLICIT_RATE:
            return DormandPrince8(), f"{DormandPrince8.title} with adaptive steps: {words}"
        return GeneralizedAlpha(), f"{GeneralizedAlpha.title} with adaptive steps: {words}"
    if step * rate <= EXPLICIT_STEP:
        return RungeKutta4(), f"{RungeKutta4.title}: {words}, {step * rate:.2g} rad in a step"
    return (
        GeneralizedAlpha(),
        f"{GeneralizedAlpha.title}: {words}, {step * rate:.2g} rad in a step",
    )


def _at_rest(plan: Plan, state: State) -> Machine:
    """A machine that will not run, for questions about the start."""
    machine = Machine(plan, Settings(0.0, 1.0, EulerCromer(), 1.0, False, 1e-8, None, 1.0))
    machine.begin(state.raw_q, np.zeros(plan.system.n_v), 1.0)
    return machine


def _stiffness(system: System, plan: Plan) -> tuple[Array, Array]:
    """Stiffness and damping on the speeds: modes and elements on hinges."""
    K, C = modal_stiffness(system)
    table = plan.constants()
    for row in plan.rows["forces"]:
        o, n, c = int(row[at.E_V]), int(row[at.E_N]), int(row[at.E_TABLE])
        piece = slice(o, o + n)
        if row[at.E_KIND] == at.SPRING:
            numbers = table[c : c + 3 * n].reshape(n, 3)
            K[piece] += numbers[:, 0]
            C[piece] += numbers[:, 2]
        elif row[at.E_KIND] == at.DAMPER:
            C[piece] += table[c : c + n]
        elif row[at.E_KIND] == at.FRICTION:
            C[piece] += table[c] / table[c + 1]
        elif row[at.E_KIND] == at.STOP_FORCE:
            K[piece] += table[c + 2]
        elif row[at.E_KIND] == at.BALL_SPRING:
            half = np.arange(n) // 3
            K[piece] += table[c + 2 * half]
            C[piece] += table[c + 2 * half + 1]
    return K, C


def check_start(machine: Machine, *, keep_samples: bool = False) -> Array:
    """Row at the start; a mistake in a load shows here, not after hours.

    Parameters
    ----------
    machine : Machine
        At the start of its run.
    keep_samples : bool
        Whether the controllers count as called: one that remembers must not be called twice.
    """
    memory, plan = machine.memory, machine.plan
    functions = plan.functions
    kept = memory.copy()
    memory[at.FORCED] = 1.0
    status = machine.advance(0)
    rows = machine.rows()
    if keep_samples:
        for controller, e in zip(plan.controllers, plan.rows["controllers"], strict=True):
            forces = slice(e[at.E_MEMORY], e[at.E_MEMORY] + machine.system.n_v)
            own = slice(e[at.E_B], e[at.E_B] + 1 + len(controller.memory))
            kept[forces], kept[own] = memory[forces], memory[own]
    memory[:] = kept
    if status == at.CALL_FAILED:
        error, functions.error = functions.error, None
        if isinstance(error, (LoadError, KeyboardInterrupt)):
            raise error
        raise LoadError(
            f"{functions.failed} raised {type(error).__name__} at the start: {error}"
        ) from error
    if status not in (at.MORE, at.FINISHED):
        raise LoadError(f"the run cannot start: {explained(machine, status).message}")
    return rows[0]


def _first_step(machine: Machine, row: Array) -> float:
    """A first step for an adaptive method: short beside everything that moves."""
    columns = machine.plan.columns
    acceleration, velocity = (columns.part(row[None], x)[0] for x in ("acceleration", "v"))
    position, _ = error_sizes(machine.system)
    K, C = _stiffness(machine.system, machine.plan)
    pace = max(
        10 * fastest_rate(machine.solve, K, C),
        20 * np.sqrt(np.max(np.abs(acceleration) / position, initial=0.0)),
        20 * np.max(np.abs(velocity) / position, initial=0.0),
        20 / machine.settings.duration,
    )
    return min(1 / pace, machine.settings.duration)


def _meta(
    machine: Machine, runner: Runner, outcome: Outcome, reason: str, seconds: float
) -> dict[str, Any]:
    settings = machine.settings
    statistics = {
        "integrator": settings.integrator.title,
        "chosen": reason,
        **machine.statistics,
        "seconds": seconds,
    }
    return {
        "status": outcome.status,
        "message": outcome.message,
        "integrator": settings.integrator.title,
        "statistics": statistics,
        "events": [list(x) for x in runner.happened],
        "fingerprint": fingerprint(machine),
        **_settings_meta(settings),
    }


def _settings_meta(settings: Settings) -> dict[str, Any]:
    return {
        "start": settings.start,
        "duration": settings.duration,
        "step": None if settings.adaptive else settings.step,
        "rtol": settings.rtol,
        "output_step": settings.output_step or None,
        "lissom_version": lissom_version(),
    }


# Files


def fingerprint(machine: Machine) -> str:
    """Digest of all that decides the course of a run but its end; functions by their number."""
    elements = machine.elements.copy()
    table = machine.table.copy()
    table[int(elements[at.PARAMETERS]) + at.END] = 0.0
    n_signal = (int(elements[at.FORCES]) - at.P_HEADER) // SIGNAL_ROW
    signals = elements[at.P_HEADER : at.P_HEADER + n_signal * SIGNAL_ROW]
    signals = signals.reshape(n_signal, SIGNAL_ROW)
    signals[signals[:, at.S_KIND] == at.CALLED, at.S_WHERE] = 0
    for count, place in ((at.N_CONTROLLER, at.CONTROLLERS), (at.N_EVENT, at.EVENTS)):
        for k in range(int(elements[count])):
            elements[int(elements[place]) + k * at.E_ROW + at.E_ADDRESS] = 0
    plan = machine.plan
    words: list[Any] = [(body, node) for _, body, node in plan.slots]
    words += [(event.label, event.actions, event.once) for event, _ in plan.events]
    parts = [digest(machine.system).encode(), elements.tobytes(), table.tobytes()]
    parts += [repr(words).encode(), plan.slot_records().tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _record(machine: Machine, file: Any, resume: Any, reason: str) -> Any:
    """Where the rows go; with `resume` the machine is put where the journal ends."""
    from ..results.disk import check_space
    from ..results.journal import Journal

    settings, plan = machine.settings, machine.plan
    if resume is not None:
        return _resumed(machine, file, resume)
    if file is None:
        return MemoryRecord(plan.columns)
    path, part = journal_path(file)
    if not path.endswith(".nc"):
        raise ResultError(f"file is {path!r}; results are written as NetCDF: NAME.nc")
    if os.path.isdir(path):
        raise ResultError(f"file is {path!r}, which is a folder; give the name of a file in it")
    for controller in plan.controllers:
        _check_saved(controller)
    if settings.output_step:
        check_space(part, 2.2 * 8 * machine.width * (settings.duration / settings.output_step + 2))
    meta = {
        "fingerprint": fingerprint(machine),
        "integrator": settings.integrator.title,
        "chosen": reason,
        "status": "unfinished",
        "message": "the run did not end; resume it",
        **_settings_meta(settings),
    }
    return FileRecord(
        path, machine.system, Journal.create(part, machine.system, plan.columns, meta)
    )


def _check_saved(controller: Controller) -> None:
    from ..results.packed import json_text

    saved = controller.saved()
    try:
        json_text({"saved": with_arrays_apart(saved, {})})
    except (TypeError, ValueError) as error:
        raise LoadError(
            f"{controller.label}: get_state() returned {saved!r}, which a file cannot hold "
            f"({error}); return numbers, text, lists, dictionaries or arrays"
        ) from None


def _other_run(path: str, meta: Mapping[str, Any]) -> ResultError:
    return ResultError(
        f"{path} is of a run with another system, other loads or other settings "
        f"({meta.get('integrator', 'unknown integrator')}, duration {meta.get('duration')}, step "
        f"{meta.get('step')}, rtol {meta.get('rtol')}, output_step {meta.get('output_step')}); "
        "resume it with the arguments that it was started with"
    )


def _resumed(machine: Machine, file: Any, resume: Any) -> Any:
    from ..results.journal import Journal
    from ..results.journal_store import JournalStore

    path, part = journal_path(resume)
    if file is not None and journal_path(file)[0] != path:
        raise ResultError(f"resume is {path!r} but file is {os.fspath(file)!r}; give one of them")
    if not os.path.exists(part) and os.path.exists(path):
        done = Trajectory.load(path)
        if done.meta.get("fingerprint") != fingerprint(machine):
            raise _other_run(path, done.meta)
        if abs(float(done.time[-1]) - machine.settings.end) <= 1e-9 * machine.settings.duration:
            return done
        raise ResultError(
            f"{path} is finished and ends at t = {done.time[-1]:g} s; start a new run from "
            f"its last state: simulate(system, load({path!r}).state({done.time[-1]:g}), ...)"
        )
    journal = Journal.reopen(part)
    try:
        store = JournalStore(part)
        if store.meta.get("fingerprint") != fingerprint(machine):
            raise _other_run(part, store.meta)
        checkpoint = store.checkpoint
        if checkpoint is not None:
            memory = checkpoint.arrays["memory"]
            if memory[at.TIME] > machine.settings.end:
                raise ResultError(
                    f"{part} is at t = {memory[at.TIME]:g} s already, beyond the end of this run "
                    f"at {machine.settings.end:g} s; give the duration it was started with"
                )
            machine.memory[:] = memory
            machine.memory[at.PREPARED] = -1.0
            saved = checkpoint.notes.get("controllers", [])
            for controller, value in zip(machine.plan.controllers, saved, strict=False):
                controller.restore(with_arrays_back(value, checkpoint.arrays))
    except BaseException:
        journal.close()
        raise
    record = FileRecord(path, machine.system, journal)
    if checkpoint is not None:
        record.happened = [(float(t), str(name)) for t, name in checkpoint.notes["events"]]
    return record
