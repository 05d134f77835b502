"""Opening of the storage of a run, and resuming of an interrupted run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import LoadError, ResultError
from ...results.event_records import EventRecord, event_notes, event_records_of
from ...results.files.versions import lissom_version
from ...results.trajectory import Trajectory
from ..events.event import Stop
from ..loads.controller import Controller, with_arrays_apart, with_arrays_back
from .inputs import differences, fingerprint, inputs
from .machine import Machine
from .memory import check_memory
from .reasons import Outcome
from .record import FileRecord, MemoryRecord
from .runner import Runner
from .settings import Settings


def opened_record(
    machine: Machine, file: Any, resume: Any, reason: str, *, limited: bool = False
) -> Any:
    """Storage of the rows; with `resume` the machine is set to the end of the journal.

    Parameters
    ----------
    machine : Machine
        The run, at its start.
    file, resume, reason
        As for `simulate`; reason for the choice of the integrator.
    limited : bool
        Whether the run has a limit of real time.
    """
    from ...results.files.disk import check_space, journal_path
    from ...results.files.journal.writer import Journal

    settings, plan = machine.settings, machine.plan
    given = inputs(machine)
    if resume is not None:
        return _resumed(machine, file, resume, given)
    if file is None:
        return _in_memory(machine, given, limited=limited)
    name = os.fspath(file).removesuffix(".part")
    if not name.endswith(".nc"):
        raise ResultError(f"file is {name!r}; results are written as NetCDF: NAME.nc")
    path, part = journal_path(file)
    if os.path.isdir(path):
        raise ResultError(f"file is {path!r}, which is a folder; give the name of a file in it")
    for controller in plan.controllers:
        _check_saved(controller)
    if settings.output_step:
        check_space(part, 2.2 * 8 * machine.width * _n_rows(settings))
    meta = {
        "fingerprint": fingerprint(given),
        "inputs": given,
        "integrator": settings.integrator.title,
        "chosen": reason,
        "status": "unfinished",
        "message": "the run did not end; resume it",
        **_settings_meta(settings),
    }
    journal = Journal.create(part, machine.system, machine.columns, meta)
    return FileRecord(path, machine.system, journal, given)


def _n_rows(settings: Settings) -> float:
    """Number of rows of a run with a fixed output step."""
    return settings.duration / settings.output_step + 2


def _in_memory(machine: Machine, given: dict[str, str], *, limited: bool) -> MemoryRecord:
    """Record in memory, allocated in advance if the number of rows is known."""
    settings, plan = machine.settings, machine.plan
    may_stop = any(isinstance(x, Stop) for event, _ in plan.events for x in event.actions)
    if not settings.output_step or may_stop or limited:
        return MemoryRecord(machine.columns, given)
    check_memory(8 * machine.width * _n_rows(settings))
    return MemoryRecord(machine.columns, given, int(_n_rows(settings)))


def _check_saved(controller: Controller) -> None:
    from ...results.description.packed import json_text

    saved = controller.saved()
    try:
        json_text({"saved": with_arrays_apart(saved, {})})
    except (TypeError, ValueError) as error:
        raise LoadError(
            f"{controller.label}: get_state() returned {saved!r}, which a file cannot hold "
            f"({error}); return numbers, text, lists, dictionaries or arrays"
        ) from None


def _resumed(machine: Machine, file: Any, resume: Any, given: dict[str, str]) -> Any:
    from ...results.files.disk import journal_path
    from ...results.files.journal.reader import JournalStore
    from ...results.files.journal.writer import Journal

    path, part = journal_path(resume)
    if file is not None and journal_path(file)[0] != path:
        raise ResultError(f"resume is {path!r} but file is {os.fspath(file)!r}; give one of them")
    if not os.path.exists(part) and os.path.exists(path):
        done = Trajectory.load(path)
        _check_same(path, done.meta, given, but=("duration",))
        if abs(float(done.time[-1]) - machine.settings.end) <= 1e-9 * machine.settings.duration:
            return done
        raise ResultError(
            f"{path} is finished and ends at t = {done.time[-1]:g} s; start a new run from "
            f"its last state: simulate(system, load({path!r}).state({done.time[-1]:g}), ...)"
        )
    journal = Journal.reopen(part)
    try:
        store = JournalStore(part)
        # a function that failed may have been corrected
        _check_same(part, store.meta, given, functions=store.notes["status"] != "failed")
        checkpoint = store.checkpoint
        if checkpoint is not None:
            machine.restore(checkpoint.arrays["memory"])
            saved = checkpoint.notes.get("controllers", [])
            for controller, value in zip(machine.plan.controllers, saved, strict=False):
                controller.restore(with_arrays_back(value, checkpoint.arrays))
    except BaseException:
        journal.close()
        raise
    record = FileRecord(path, machine.system, journal, given)
    if checkpoint is not None:
        record.happened = event_records_of(checkpoint.notes)
    return record


def _check_same(
    path: str,
    meta: Mapping[str, Any],
    given: dict[str, str],
    but: tuple[str, ...] = (),
    *,
    functions: bool = True,
) -> None:
    """Refuse to continue a different run; the error names the differences."""
    before = meta.get("inputs")
    if before is None:
        raise ResultError(
            f"{path} was written by lissom {meta.get('lissom_version', 'of unknown version')}, "
            "whose runs this version cannot continue; load it, and start a new run from its last "
            "state"
        )
    known, now = ({k: x for k, x in kept.items() if k not in but} for kept in (before, given))
    if found := differences(known, now, functions=functions):
        raise ResultError(
            f"{path} belongs to another run; different: {'; '.join(found)}. Resume it with the "
            "arguments that it was started with"
        )


def run_meta(
    machine: Machine, runner: Runner, outcome: Outcome, reason: str, seconds: float
) -> dict[str, Any]:
    """Metadata of a run, stored next to its rows.

    Parameters
    ----------
    machine, runner : Machine, Runner
        The run.
    outcome, reason, seconds
        As for `outcome_meta`.
    """
    return {
        **outcome_meta(machine, outcome, reason, seconds, runner.happened),
        "fingerprint": fingerprint(runner.record.inputs),
        "inputs": runner.record.inputs,
    }


def outcome_meta(
    machine: Machine,
    outcome: Outcome,
    reason: str,
    seconds: float,
    happened: Sequence[EventRecord],
) -> dict[str, Any]:
    """Metadata of a run that do not depend on where its rows are.

    Parameters
    ----------
    machine : Machine
        The run, at its end.
    outcome : Outcome
        Outcome of the run.
    reason : str
        Reason for the choice of the integrator.
    seconds : float
        Elapsed real time [s].
    happened : sequence of EventRecord
        Its events.
    """
    statistics = {
        "integrator": machine.integrators,
        "chosen": reason + machine.switched,
        **machine.statistics,
        "seconds": seconds,
    }
    return {
        "status": outcome.status,
        "message": outcome.message,
        "integrator": machine.integrators,
        "statistics": statistics,
        **event_notes(happened),
        **_settings_meta(machine.settings),
    }


def _settings_meta(settings: Settings) -> dict[str, Any]:
    return {
        "start": settings.start,
        "duration": settings.duration,
        "step": None if settings.adaptive else settings.step,
        "rtol": settings.rtol,
        "rate_linear": settings.rate_linear,
        "output_step": settings.output_step or None,
        "lissom_version": lissom_version(),
    }
