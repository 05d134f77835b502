"""The run loop, in slices of compiled code: rows, events, interruptions, and the outcome."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np

from ...errors import ResultError
from ...kernels.layout import run
from ...results.event_records import EventRecord, event_notes
from ...results.files.journal.writer import Checkpoint
from ..loads.controller import with_arrays_apart
from ..warnings.many_steps import ManySteps
from ..warnings.slow_iterations import SlowIterations
from ..warnings.spins import fast_spins, warn_of_spins
from .interrupts import Interrupts
from .machine import Machine
from .progress import ProgressBar
from .reasons import Outcome, at_time, out_of_time
from .record import RunRecord
from .slices import next_budget
from .stall import Stall
from .status import Judge

Array = np.ndarray

SLICE = 0.05  # [s], target time of a slice in compiled code
FIRST_BUDGET = 50  # evaluations in the first slice


class Runner:
    """Run loop, from the present state of its machine.

    `time_limit`: limit of real time [s].
    """

    def __init__(
        self,
        machine: Machine,
        record: RunRecord,
        progress: ProgressBar,
        time_limit: float,
        interrupts: Interrupts,
    ) -> None:
        self.machine, self.record, self.progress = machine, record, progress
        self.plan, self.system = machine.plan, machine.system
        self.time_limit = time_limit
        self.happened: list[EventRecord] = list(record.happened)
        self._judge = Judge(machine, self.happened)
        self._spins: dict[int, float] = {}  # bodies that spin too fast, and how fast
        self._interrupts = interrupts
        self._deadline = np.inf
        self._stall = Stall(machine.memory[run.N_STEPS], machine.elapsed)

    # The loop

    def run(self) -> Outcome:
        """Run until the end or a reason to stop."""
        try:
            return self._run()
        except MemoryError as error:
            words = f"no memory is left for more rows ({error})" if str(error) else "no memory left"
            remedy = 'give file="NAME.nc" to write rows to disk, or a larger output_step'
            return Outcome("memory", f"{at_time(self.machine, words)}; {remedy}")

    def _run(self) -> Outcome:
        self._deadline = time.monotonic() + self.time_limit
        functions = self.plan.functions
        functions.halt = lambda: self._reason() is not None
        slow, many = SlowIterations(self.machine), ManySteps(self.machine)
        # A plain function may be slow: measure first.
        budget = 1.0 if functions.has_plain else float(FIRST_BUDGET)
        with self._interrupts.caught():
            while True:
                before = time.perf_counter()
                snapshot = self._snapshot() if functions.has_plain else None
                status = self.machine.advance(int(budget))
                rows = self._judge.rows
                rows.append(self.machine.rows())
                outcome = self._judge.outcome(status)
                if snapshot is not None and isinstance(functions.error, KeyboardInterrupt):
                    self._go_back(*snapshot)
                    outcome = self._reason() or self._judge.interruption()
                outcome = outcome or self._stall.outcome(self.machine)
                if outcome is None or outcome.whole:
                    self._note_spins()
                    slow.look(stacklevel=6)
                    many.look(stacklevel=6)
                self.progress.update(self.machine.time)
                outcome = outcome or self._reason()
                try:
                    for block in rows:
                        self.record.add(block)
                    rows.clear()
                    whole = outcome is not None and outcome.whole
                    self.record.keep(self.checkpoint, now=outcome is not None, whole=whole)
                except ResultError as error:
                    return Outcome("disk", str(error), error)
                if outcome is not None:
                    warn_of_spins(self.system, self._spins, stacklevel=5)
                    return outcome
                budget = next_budget(budget, before, SLICE)

    def _reason(self) -> Outcome | None:
        """Outcome if the run has to end at once, else None."""
        if self._interrupts.obeyed():
            return self._judge.interruption()
        if time.monotonic() > self._deadline:
            return out_of_time(self.machine, self.time_limit)
        return None

    def _snapshot(self) -> tuple[Any, ...]:
        """Copy of everything that a slice changes."""
        controllers = [c.saved() for c in self.plan.controllers]
        return self.machine.memory.copy(), copy.deepcopy(controllers), len(self.happened)

    def _go_back(self, memory: Array, controllers: list[Any], n_happened: int) -> None:
        """Undo a slice that was left in the middle of a step, where it could not be resumed."""
        self.machine.restore(memory)  # the scratch may be prepared for another step
        for controller, saved in zip(self.plan.controllers, controllers, strict=True):
            controller.restore(saved)
        del self.happened[n_happened:]
        self._judge.rows.clear()

    # Around the loop

    def checkpoint(self) -> Checkpoint:
        """Everything needed to continue the run from here."""
        arrays = {"memory": self.machine.memory.copy()}
        saved = [with_arrays_apart(c.saved(), arrays) for c in self.plan.controllers]
        return Checkpoint(arrays, {"controllers": saved, **event_notes(self.happened)})

    def _note_spins(self) -> None:
        """Note the flexible bodies that spin too fast for their levels."""
        self._spins = fast_spins(self.machine)
