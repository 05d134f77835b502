"""The run loop, in slices of compiled code: rows, events, interruptions, and the outcome."""

from __future__ import annotations

import copy
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from ...bodies import NormalBody
from ...errors import ResultError, SimulationWarning
from ...kernels.run import fields as run
from ...results.files.journal.writer import Checkpoint
from ..loads.controller import with_arrays_apart
from ..warnings.advice import against_spin, also
from ..warnings.slow_iterations import SlowIterations
from .judge import Judge
from .machine import Machine
from .progress import ProgressBar
from .reasons import Outcome, at_time
from .record import Record

Array = np.ndarray

SLICE = 0.05  # [s], target time of a slice in compiled code
FIRST_BUDGET = 50  # evaluations in the first slice
STALL_STEPS = 20_000  # steps between two stall checks
# Steps needed for the whole duration that end a run: if the step has shrunk by this factor, or in
# any case.
MANY_STEPS, TOO_MANY_STEPS, SHRUNK = 2e8, 1e10, 1e-3
CARRYING = ("stiffened", "exact")  # levels with centrifugal stiffening
SPIN = 0.1  # fraction of its first frequency at which a flexible body spins too fast for its level


class Runner:
    """Run loop, from the present state of its machine.

    Parameters
    ----------
    machine : Machine
        The run in compiled code.
    record : Record
        Storage of the rows.
    progress : ProgressBar
        Progress display.
    time_limit : float
        Limit of real time [s].
    """

    def __init__(
        self, machine: Machine, record: Record, progress: ProgressBar, time_limit: float
    ) -> None:
        self.machine, self.record, self.progress = machine, record, progress
        self.plan, self.system = machine.plan, machine.system
        self.time_limit = time_limit
        self.happened: list[tuple[float, str]] = list(record.happened)
        self._judge = Judge(machine, self.happened)
        self._spins: dict[int, float] = {}  # bodies that spin too fast, and how fast
        self._interrupted = False
        self._deadline = np.inf
        self._mark = (float(machine.memory[run.N_STEPS]), machine.time)

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
        slow = SlowIterations(self.machine)
        # A plain function may be slow: measure first.
        budget = 1.0 if functions.has_plain else float(FIRST_BUDGET)
        with self._interruptible():
            while True:
                before = time.perf_counter()
                kept = self._kept() if functions.has_plain else None
                status = self.machine.advance(int(budget))
                rows = self._judge.rows
                rows.append(self.machine.rows())
                outcome = self._judge.outcome(status)
                if kept is not None and isinstance(functions.error, KeyboardInterrupt):
                    self._go_back(*kept)
                    outcome = self._reason() or self._judge.interruption()
                outcome = outcome or self._stalled()
                if outcome is None or outcome.status in ("finished", "event"):
                    self._note_spins()
                    slow.look(stacklevel=6)
                self.progress.update(self.machine.time)
                outcome = outcome or self._reason()
                try:
                    for block in rows:
                        self.record.add(block)
                    rows.clear()
                    self.record.keep(self.checkpoint, now=outcome is not None)
                except ResultError as error:
                    return Outcome("disk", str(error), error)
                if outcome is not None:
                    self._warn_of_spins()
                    return outcome
                taken = max(time.perf_counter() - before, 1e-5)
                budget = min(max(1.0, budget * min(max(SLICE / taken, 0.1), 4.0)), 1e9)

    def _reason(self) -> Outcome | None:
        """Outcome if the run has to end at once, else None."""
        if self._interrupted:
            return self._judge.interruption()
        if time.monotonic() > self._deadline:
            reason = f"the time limit of {self.time_limit:g} s was reached"
            return Outcome("time limit", at_time(self.machine, reason))
        return None

    def _kept(self) -> tuple[Any, ...]:
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

    def _stalled(self) -> Outcome | None:
        """Outcome of an adaptive run whose steps are too small to reach the end, else None."""
        steps, t = float(self.machine.memory[run.N_STEPS]), self.machine.time
        settings = self.machine.settings
        n = steps - self._mark[0]
        if not settings.adaptive or n <= STALL_STEPS:
            return None
        span, self._mark = t - self._mark[1], (steps, t)
        needed = settings.duration * n / max(span, 1e-300)
        shrunk = span / n < SHRUNK * float(self.machine.memory[run.LARGEST])
        if needed < (MANY_STEPS if shrunk else TOO_MANY_STEPS):
            return None
        worst = self.system.layout.owner_v(int(self.machine.memory[run.WORST]))
        reason = (
            f"at t = {t:.9g} s the steps are too small to reach the end: {n:.0f} of them cover "
            f"{span:.3g} s, the last one {self.machine.memory[run.LAST_STEP]:.3g} s; worst: "
            f"{worst}; something is singular or very stiff there: check the last rows, increase "
            'rtol, or if it is stiff use integrator="generalized_alpha"'
        )
        return Outcome("stalled", reason)

    # Around the loop

    def checkpoint(self) -> Checkpoint:
        """Everything needed to continue the run from here."""
        arrays = {"memory": self.machine.memory.copy()}
        saved = [with_arrays_apart(c.saved(), arrays) for c in self.plan.controllers]
        return Checkpoint(arrays, {"controllers": saved, "events": self.happened})

    def _note_spins(self) -> None:
        """Note the flexible bodies that spin too fast for their levels."""
        for i, place in self.plan.spins.items():
            body, rate = self.system.bodies[i], float(self.machine.memory[place])
            if body.level not in CARRYING and rate > SPIN * _first(body):
                self._spins[i] = rate

    def _warn_of_spins(self) -> None:
        """Warn about them: the worst, and the names of the others."""
        if not self._spins:
            return
        parts = {
            i: rate / max(_first(self.system.bodies[i]), 1e-300) for i, rate in self._spins.items()
        }
        i = max(parts, key=lambda k: parts[k])
        names, first = self.system.names, _first(self.system.bodies[i])
        others = [names[k] for k in parts if k != i]
        warnings.warn(
            f"body {names[i]!r} turns at {self._spins[i]:.3g} rad/s, more than {SPIN:g} "
            f"of its first frequency ({first:.3g} rad/s); level {self.system.bodies[i].level!r} "
            "neglects centrifugal stiffening: frequencies are too low and deflections too large; "
            f"{against_spin(parts[i] if first else np.inf)}{also(others)}",
            SimulationWarning,
            stacklevel=6,
        )

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """End the run after the current slice at the first Ctrl-C, at once at the second."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(_number: int, _frame: FrameType | None) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True

        before: Callable[..., Any] | int | None = signal.getsignal(signal.SIGINT)
        if before is None or before == signal.SIG_IGN:
            yield
            return
        signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _first(body: NormalBody) -> float:
    """First frequency [rad/s]; infinite without modes."""
    return float(np.sqrt(body.stiffness.min(initial=np.inf)))
