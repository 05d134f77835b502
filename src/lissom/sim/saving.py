"""Where the rows of a run go, and how a run that was cut short is taken up again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from typing import Any

from ..algorithms._kernels.simulation import layout as at
from ..errors import LoadError, ResultError
from ..results.described import digest
from ..results.trajectory import Trajectory
from ..results.versions import lissom_version
from .arrays import slot_records
from .controllers import Controller, with_arrays_apart, with_arrays_back
from .machine import Machine
from .plan import SIGNAL_ROW
from .reasons import Outcome
from .record import FileRecord, MemoryRecord, journal_path
from .runner import Runner
from .settings import Settings

__all__ = ["fingerprint", "opened_record", "run_meta"]


def opened_record(machine: Machine, file: Any, resume: Any, reason: str) -> Any:
    """Where the rows go; with `resume` the machine is put where the journal ends."""
    from ..results.disk import check_space
    from ..results.journal import Journal

    settings, plan = machine.settings, machine.plan
    if resume is not None:
        return _resumed(machine, file, resume)
    if file is None:
        _check_memory(machine)
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


def _check_memory(machine: Machine) -> None:
    """Refuse a run whose rows no memory holds; one with events may end before it comes to that."""
    settings = machine.settings
    if not settings.output_step or machine.plan.events:
        return
    rows = settings.duration / settings.output_step
    needed, there = 8e-9 * machine.width * rows, _memory()
    if needed > there:
        raise LoadError(
            f"{settings.duration:g} s in steps of {settings.output_step:g} s are {rows:.1g} rows, "
            f"which take {needed:.3g} GB of memory; this machine has {there:.3g}: give a larger "
            "output_step, or file= to write them to a disk"
        )


def _memory() -> float:
    """Memory of this machine [GB]."""
    try:
        return 1e-9 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 64.0  # not said here; more than most have


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


def _other_run(path: str, meta: Mapping[str, Any]) -> ResultError:
    return ResultError(
        f"{path} is of a run with another system, other loads or other settings "
        f"({meta.get('integrator', 'unknown integrator')}, duration {meta.get('duration')}, step "
        f"{meta.get('step')}, rtol {meta.get('rtol')}, output_step {meta.get('output_step')}); "
        "resume it with the arguments that it was started with"
    )


def fingerprint(machine: Machine) -> str:
    """Digest of all that decides the course of a run but its end; functions by their number."""
    elements = machine.elements.copy()
    table = machine.table.copy()
    parameters = int(elements[at.PARAMETERS])
    table[[parameters + at.END, parameters + at.TICK]] = 0.0
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
    if machine.system.constraints:
        words.append(machine.settings.drift)
    parts = [digest(machine.system).encode(), elements.tobytes(), table.tobytes()]
    parts += [repr(words).encode(), slot_records(plan).tobytes()]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def run_meta(
    machine: Machine, runner: Runner, outcome: Outcome, reason: str, seconds: float
) -> dict[str, Any]:
    """What is kept of a run beside its rows.

    Parameters
    ----------
    machine, runner : Machine, Runner
        The run.
    outcome : Outcome
        How it ended.
    reason : str
        Why this integrator.
    seconds : float
        Real time that it took [s].
    """
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
