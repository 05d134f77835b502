"""Record of a run: its rows, in memory or in a journal on disk, and what is stored beside them.

`opened_record` begins one, or takes up that of an interrupted run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from ...errors import LoadError, ResultError
from ...options import FORMS, RunOptions
from ...results.event_records import EventRecord, event_notes, event_records_of
from ...results.files.disk import check_space, journal_path
from ...results.files.journal.reader import JournalStore
from ...results.files.journal.writer import Checkpoint, Journal
from ...results.files.shield import shielded
from ...results.files.versions import lissom_version
from ...results.store import Columns, MemoryStore, Store
from ...results.trajectory import Trajectory
from ...system import System
from ..events.event import Stop
from ..loads.controller import Controller, with_arrays_apart, with_arrays_back
from .inputs import differences, fingerprint, inputs
from .machine import Machine
from .memory import RESERVE, available_memory, check_memory
from .reasons import Outcome
from .settings import Settings

Array = np.ndarray

# Rows are written to disk after this time [s], or when they reach this many bytes.
PERIOD, BYTES = 1.0, 8 << 20
LOOK = 32 << 20  # bytes of rows between two checks of the available memory


class RunRecord(Protocol):
    """Storage of the rows of a run."""

    happened: list[EventRecord]  # events of the part of the run that is already stored
    inputs: dict[str, str]  # inputs that determine the run, see `inputs`

    def add(self, rows: Array) -> None:
        """Append rows."""

    def keep(self, checkpoint: Any, *, now: bool = False, whole: bool = False) -> None:
        """Write the rows so far if it is time, with a checkpoint from the function `checkpoint`.

        `now`: the run is over; `whole`: `finish` follows, which writes all rows.
        """

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """Close the record; `whole`: the run is complete and not to be resumed."""

    def abandon(self) -> None:
        """Release files."""


class MemoryRecord:
    """Rows in memory."""

    def __init__(self, columns: Columns, inputs: dict[str, str], n_rows: int = 0) -> None:
        self.columns, self.inputs = columns, inputs
        self.happened: list[EventRecord] = []
        self._rows = np.empty((n_rows, columns.width))
        self._n = self._looked = 0

    @property
    def rows(self) -> Array:
        """All rows so far."""
        return self._rows[: self._n]

    def add(self, rows: Array) -> None:
        """Append rows; a MemoryError leaves the earlier rows intact."""
        end = self._n + len(rows)
        if end > len(self._rows):
            self._grow(end)
        self._rows[self._n : end] = rows
        self._n = end

    def _grow(self, n_rows: int) -> None:
        """Enlarge the array, in place where possible, within the available memory."""
        width, more = self.columns.width, len(self._rows) // 8
        if 8 * width * more > LOOK:
            more = int(min(more, max(0.0, available_memory() - RESERVE) / (8 * width)))
        wanted = max(n_rows, len(self._rows) + more, 1024)
        self._rows.resize((wanted, width), refcheck=False)

    def keep(self, checkpoint: Any, *, now: bool = False, whole: bool = False) -> None:
        """Raise MemoryError while enough is left to end the run; the system gives no warning."""
        held = 8 * self._n * self.columns.width
        if held - self._looked < LOOK:
            return
        self._looked = held
        if (left := available_memory()) < min(held, RESERVE):
            raise MemoryError(f"{held / 1e9:.3g} GB of rows stored, {left / 1e6:.3g} MB available")

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """Store of all rows."""
        self._rows.resize((self._n, self.columns.width), refcheck=False)
        return MemoryStore(self.columns, self._rows)

    def abandon(self) -> None:
        """Nothing to do."""


class FileRecord:
    """Rows in a journal NAME.nc.part, which becomes NAME.nc when the run is over."""

    def __init__(self, path: str, system: System, journal: Journal, inputs: dict[str, str]) -> None:
        self.inputs = inputs
        # absolute: a user function may change the working directory during the run
        self.path, self.system, self.journal = os.path.abspath(path), system, journal
        self.happened: list[EventRecord] = []
        self._waiting: list[Array] = []
        self._bytes = 0
        self._last = time.monotonic()
        self._end: Checkpoint | None = None  # of a whole run whose rows are all still in memory

    def add(self, rows: Array) -> None:
        """Append rows."""
        if len(rows):
            self._waiting.append(rows)
            self._bytes += rows.nbytes

    def keep(self, checkpoint: Any, *, now: bool = False, whole: bool = False) -> None:
        """Write the rows so far to disk if it is time."""
        if not now and self._bytes < BYTES and time.monotonic() - self._last < PERIOD:
            return
        if whole and self._waiting and not self.journal.n_rows:
            self._end = checkpoint()
        elif self._waiting:
            self._append(checkpoint())
        self._last = time.monotonic()

    def _append(self, checkpoint: Checkpoint) -> None:
        self.journal.append(np.concatenate(self._waiting), checkpoint)
        self._waiting, self._bytes = [], 0

    def finish(self, meta: dict[str, Any], *, whole: bool) -> Store:
        """The journal, or the NetCDF file that it has become."""
        with shielded():
            from ...results.files.netcdf.reader import NetcdfStore
            from ...results.files.netcdf.writer import write_netcdf

            self.journal.stay()
            if whole:
                write_netcdf(self.path, self.system, self._all_rows(), meta)
                self.journal.close(remove=True)
                return NetcdfStore(self.path, trusted=True, system=self.system)
            if self._end is not None:  # the file could not be written
                with suppress(ResultError):
                    self._append(self._end)
            store = JournalStore(self.journal.path, system=self.system)
            self._write_outcome(store, meta)
            self.journal.close()
            return store

    def _all_rows(self) -> Store:
        """Rows of a whole run: still in memory, or in the journal."""
        if self._end is not None:
            return MemoryStore(self.journal.columns, np.concatenate(self._waiting))
        return JournalStore(self.journal.path, system=self.system)

    def _write_outcome(self, store: JournalStore, meta: dict[str, Any]) -> None:
        """Add the outcome of the run to the journal."""
        if (last := store.checkpoint) is None:
            return
        ended = {"ended": {key: meta[key] for key in ("status", "message")}}
        with suppress(ResultError):  # the disk may be the reason for the end
            nothing = np.zeros((0, self.journal.columns.width))
            self.journal.append(nothing, Checkpoint(last.arrays, {**last.notes, **ended}))
            store.refresh()

    def abandon(self) -> None:
        """Release the journal; it can be resumed."""
        self.journal.close()


def opened_record(machine: Machine, file: Any, resume: Any, reason: str) -> Any:
    """Storage of the rows; with `resume` the machine is set to the end of the journal."""
    settings, plan = machine.settings, machine.plan
    run_inputs = inputs(machine)
    if resume is not None:
        return _resumed(machine, file, resume, run_inputs)
    if file is None:
        return _in_memory(machine, run_inputs)
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
        "fingerprint": fingerprint(run_inputs),
        "inputs": run_inputs,
        "integrator": settings.integrator.title,
        "chosen": reason,
        "status": "unfinished",
        "message": "the run did not end; resume it",
        **_settings_meta(settings),
    }
    journal = Journal.create(part, machine.system, machine.columns, meta)
    return FileRecord(path, machine.system, journal, run_inputs)


def _n_rows(settings: Settings) -> float:
    """Number of rows of a run with a fixed output step."""
    return settings.duration / settings.output_step + 2


def _in_memory(machine: Machine, run_inputs: dict[str, str]) -> MemoryRecord:
    """Record in memory, allocated in advance if the number of rows is known."""
    settings, plan = machine.settings, machine.plan
    may_stop = any(isinstance(x, Stop) for event, _ in plan.events for x in event.actions)
    if not settings.output_step or may_stop or settings.time_limit < np.inf:
        return MemoryRecord(machine.columns, run_inputs)
    check_memory(8 * machine.width * _n_rows(settings))
    return MemoryRecord(machine.columns, run_inputs, int(_n_rows(settings)))


def _check_saved(controller: Controller) -> None:
    from ...records.packed import json_text

    saved = controller.saved()
    try:
        json_text({"saved": with_arrays_apart(saved, {})})
    except (TypeError, ValueError) as error:
        raise LoadError(
            f"{controller.label}: get_state() returned {saved!r}, which a file cannot hold "
            f"({error}); return numbers, text, lists, dictionaries or arrays"
        ) from None


def _resumed(machine: Machine, file: Any, resume: Any, run_inputs: dict[str, str]) -> Any:
    path, part = journal_path(resume)
    if file is not None and journal_path(file)[0] != path:
        raise ResultError(f"resume is {path!r} but file is {os.fspath(file)!r}; give one of them")
    if not os.path.exists(part) and os.path.exists(path):
        done = Trajectory.load(path)
        _check_same(path, done.meta, run_inputs, but=("duration",))
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
        _check_same(part, store.meta, run_inputs, functions=store.notes["status"] != "failed")
        checkpoint = store.checkpoint
        if checkpoint is not None:
            machine.restore(checkpoint.arrays["memory"])
            saved = checkpoint.notes.get("controllers", [])
            for controller, value in zip(machine.plan.controllers, saved, strict=False):
                controller.restore(with_arrays_back(value, checkpoint.arrays))
    except BaseException:
        journal.close()
        raise
    record = FileRecord(path, machine.system, journal, run_inputs)
    if checkpoint is not None:
        record.happened = event_records_of(checkpoint.notes)
    return record


def _check_same(
    path: str,
    meta: Mapping[str, Any],
    run_inputs: dict[str, str],
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
    earlier, now = (
        {k: x for k, x in entries.items() if k not in but} for entries in (before, run_inputs)
    )
    if different := differences(earlier, now, functions=functions):
        raise ResultError(
            f"{path} belongs to another run; different: {'; '.join(different)}. Resume it with the "
            "arguments that it was started with"
        )


def run_meta(
    machine: Machine,
    record: RunRecord,
    outcome: Outcome,
    reason: str,
    seconds: float,
    happened: Sequence[EventRecord],
) -> dict[str, Any]:
    """Metadata of a run, stored next to its rows."""
    return {
        **outcome_meta(machine, outcome, reason, seconds, happened),
        "fingerprint": fingerprint(record.inputs),
        "inputs": record.inputs,
    }


def outcome_meta(
    machine: Machine,
    outcome: Outcome,
    reason: str,
    seconds: float,
    happened: Sequence[EventRecord],
) -> dict[str, Any]:
    """Metadata of a run that do not depend on where its rows are.

    `seconds`: elapsed real time [s].
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
        **{name: _as_asked(settings, name) for name, form in FORMS.items() if form.stored},
        "lissom_version": lissom_version(),
    }


def _as_asked(settings: Settings, name: str) -> Any:
    """Setting with None for what optional numbers are without it."""
    value = getattr(settings, name)
    return None if FORMS[name].optional and value == getattr(RunOptions, name) else value
