"""Many runs on the cores of the CPU: each thread takes the next one when it is done with the last.

A run is advanced in slices, as by `simulate`, so that Ctrl-C and steps that have become too small
end it.  Nothing but rows comes back to Python between them.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..errors import LissomError
from ..sim.run.machine import Machine
from ..sim.run.prepare import Prepared, begun_run
from ..sim.run.progress import ProgressBar
from ..sim.run.reasons import Outcome, at_time, out_of_time
from ..sim.run.record import MemoryRecord, outcome_meta
from ..sim.run.runner import Judge, Stall, completed, next_budget
from ..sim.warnings.many_steps import ManySteps
from ..sim.warnings.slow_iterations import SlowIterations
from ..sim.warnings.starts import warn_before
from .progress import Counted
from .runs import OneRun, unfinished
from .starts import NOT_BEGUN, Starts
from .warning import Collected, warn_after

SLICE = 0.2  # [s], target time of a slice in compiled code
FIRST_BUDGET = 2000  # evaluations in the first slice


class OnCores:
    """Runs on threads."""

    def __init__(self, starts: Starts, bar: Counted, collected: Collected) -> None:
        self.collected = collected
        self.starts, self.interrupts, self.bar = starts, starts.interrupts, bar
        self._per_thread = threading.local()

    def run(self, count: int, threads: int) -> list[OneRun]:
        """Results of all runs."""
        with self.bar:
            if threads == 1:
                return [self._run_one(k) for k in range(count)]
            with ThreadPoolExecutor(threads) as pool:
                return list(pool.map(self._run_one, range(count)))

    def _run_one(self, k: int) -> OneRun:
        part = _Part(self.bar)
        try:
            if self.interrupts.obeyed():
                return unfinished("interrupted", NOT_BEGUN)
            with self.collected.here():
                this = self._prepared(k)
                warn_before(this.machine, begun_run(this), stacklevel=2)
                return self._finished_run(this, part)
        except LissomError as error:
            return unfinished("failed", str(error), error)
        finally:
            part.reach(1.0)

    def _prepared(self, k: int) -> Prepared:
        if k == 0:
            ready = self.starts.first
            if isinstance(ready, LissomError):
                raise ready
        else:
            before = getattr(self._per_thread, "ready", None)
            if self.starts.again is not None and before is not None:
                return self.starts.again(before, k)
            ready = self.starts.ready(k)
        self._per_thread.ready = ready
        return ready

    def _finished_run(self, ready: Prepared, part: _Part) -> OneRun:
        """Result of a run that has begun."""
        machine = ready.machine
        if machine.plan.functions.has_plain:
            silent = ProgressBar("", 0.0, 1.0, False)
            record = MemoryRecord(machine.columns, {})
            _, meta, outcome = completed(ready, record, silent, self.interrupts)
            warn_after(ready, outcome, spins=False)
            return OneRun(machine.columns, record.rows, meta)
        begun, judge = time.perf_counter(), Judge(machine, [])
        blocks: list[np.ndarray] = []
        try:
            outcome = self._advanced(machine, judge, blocks, part)
            rows = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        except MemoryError:
            words = at_time(machine, "no memory is left for more rows")
            outcome = Outcome("memory", f"{words}; give a larger output_step, or fewer runs")
            rows = blocks[0] if blocks else np.zeros((0, machine.width))
        warn_after(ready, outcome)
        seconds = time.perf_counter() - begun
        meta = outcome_meta(machine, outcome, ready.reason, seconds, judge.happened)
        return OneRun(machine.columns, rows, meta)

    def _advanced(
        self, machine: Machine, judge: Judge, blocks: list[np.ndarray], part: _Part
    ) -> Outcome:
        """Advance a run to its end, slice by slice; appends its rows."""
        slow, many, stall = SlowIterations(machine), ManySteps(machine), Stall(0.0, 0.0)
        limit = machine.settings.time_limit
        deadline = time.perf_counter() + limit
        budget = float(FIRST_BUDGET)
        while True:
            before = time.perf_counter()
            status = machine.advance(int(budget))
            blocks.append(machine.rows())
            outcome = judge.outcome(status)
            blocks += judge.rows
            judge.rows.clear()
            outcome = outcome or stall.outcome(machine)
            if outcome is None and self.interrupts.obeyed():
                outcome = judge.interruption()
            if outcome is None and time.perf_counter() > deadline:
                outcome = out_of_time(machine, limit)
            if outcome is not None:
                return outcome
            slow.look(stacklevel=2)
            many.look(stacklevel=2)
            part.reach(machine.elapsed / machine.settings.duration)
            budget = next_budget(budget, before, SLICE)


class _Part:
    """Part of one run that is done, counted by a progress bar of all."""

    def __init__(self, bar: Counted) -> None:
        self._bar, self._done = bar, 0.0

    def reach(self, part: float) -> None:
        if part > self._done:
            self._bar.add(part - self._done)
            self._done = part
