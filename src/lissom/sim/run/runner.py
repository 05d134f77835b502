"""The run loop, in slices of compiled code: rows, events, interruptions, and the outcome."""

from __future__ import annotations

import copy
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from ...errors import LoadError, ResultError, SimulationWarning, name_list
from ...kernels.run import fields as run
from ...results.files.journal.writer import Checkpoint
from ..events.actions import act
from ..events.event import Event, Stop
from ..events.search import go_to_event
from ..loads.controller import with_arrays_apart
from ..warnings.slow_iterations import SlowIterations
from .machine import Machine
from .progress import ProgressBar
from .reasons import Outcome, at_time, explained
from .record import Record

Array = np.ndarray

SLICE = 0.05  # [s], target time of a slice in compiled code
FIRST_BUDGET = 50  # evaluations in the first slice
FOREVER = 100  # times that an event may fire while nothing else happens
CHATTER = 5  # times that it must have fired if it keeps time from advancing
STALL_STEPS = 20_000  # steps between two stall checks
# Steps needed for the whole duration that end a run: if the step has shrunk by this factor, or in
# any case.
MANY_STEPS, TOO_MANY_STEPS, SHRUNK = 2e8, 1e10, 1e-3
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
        self._firings: dict[int, deque[float]] = {}
        self._warned: set[int] = set()
        self._interrupted = False
        self._deadline = np.inf
        self._rows: list[Array] = []  # of the current slice
        self._mark = (float(machine.memory[run.N_STEPS]), machine.time)

    # The loop

    def run(self) -> Outcome:
        """Run until the end or a reason to stop."""
        try:
            return self._run()
        except MemoryError as error:
            words = f"no memory is left for more rows ({error})" if str(error) else "no memory left"
            remedy = 'give file="NAME.nc" to write rows to disk, or a larger output_step'
            return Outcome("memory", f"{self._at(words)}; {remedy}")

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
                self._rows.append(self.machine.rows())
                outcome = self._judge(status)
                if kept is not None and isinstance(functions.error, KeyboardInterrupt):
                    self._go_back(*kept)
                    outcome = self._reason() or self._interruption()
                outcome = outcome or self._stalled()
                if outcome is None or outcome.status in ("finished", "event"):
                    self._warn_of_spin()
                    slow.look(stacklevel=6)
                self.progress.update(self.machine.time)
                outcome = outcome or self._reason()
                try:
                    for rows in self._rows:
                        self.record.add(rows)
                    self._rows = []
                    self.record.keep(self.checkpoint, now=outcome is not None)
                except ResultError as error:
                    return Outcome("disk", str(error), error)
                if outcome is not None:
                    return outcome
                taken = max(time.perf_counter() - before, 1e-5)
                budget = min(max(1.0, budget * min(max(SLICE / taken, 0.1), 4.0)), 1e9)

    def _reason(self) -> Outcome | None:
        """Outcome if the run has to end at once, else None."""
        if self._interrupted:
            return self._interruption()
        if time.monotonic() > self._deadline:
            reason = f"the time limit of {self.time_limit:g} s was reached"
            return Outcome("time limit", self._at(reason))
        return None

    def _interruption(self) -> Outcome:
        return Outcome("interrupted", self._at("interrupted by the user"))

    def _kept(self) -> tuple[Any, ...]:
        """Copy of everything that a slice changes."""
        controllers = [c.saved() for c in self.plan.controllers]
        return self.machine.memory.copy(), copy.deepcopy(controllers), len(self.happened)

    def _go_back(self, memory: Array, controllers: list[Any], n_happened: int) -> None:
        """Undo a slice that was left in the middle of a step, where it could not be resumed."""
        self.machine.memory[:] = memory
        for controller, saved in zip(self.plan.controllers, controllers, strict=True):
            controller.restore(saved)
        del self.happened[n_happened:]
        self._rows = []

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

    def _judge(self, status: int) -> Outcome | None:
        """Outcome for the status of a slice; None if the run continues."""
        if status in (run.MORE, run.ROWS_FULL):
            return None
        if status == run.BEYOND_REASON:
            outcome = explained(self.machine, status)
            self._forced_row()
            return outcome
        if status == run.FINISHED:
            return Outcome("finished", f"reached t = {self.machine.time:.9g} s")
        if status == run.EVENT:
            return self._handle_events()
        if status == run.CALL_FAILED:
            functions = self.plan.functions
            if isinstance(functions.error, KeyboardInterrupt):
                return self._interruption()
            if isinstance(functions.error, LoadError):  # ours: it names the function and the time
                return Outcome("failed", str(functions.error), functions.error)
            words = f"{functions.failed} raised {type(functions.error).__name__}"
            words = f"{words}: {functions.error}" if str(functions.error) else words
            return Outcome("failed", self._at(words), functions.error)
        if status == run.STALLED:
            for index, (event, _) in enumerate(self.plan.events):
                if (stuck := self._fires_forever(index, event, CHATTER)) is not None:
                    return stuck
        return explained(self.machine, status)

    def _at(self, reason: str) -> str:
        return at_time(self.machine, reason)

    # Events

    def _handle_events(self) -> Outcome | None:
        machine = self.machine
        wanted = machine.memory[run.NEXT_STEP]
        fired = go_to_event(machine, self._rows.append)
        if isinstance(fired, int):
            return self._judge(fired)
        if not fired:
            names = name_list((event.label for event, _ in self.plan.events), show=str)
            reason = (
                "an event occurred in a step but not when that step was repeated; the watched "
                f"function must depend on time and state alone ({names})"
            )
            return Outcome("failed", self._at(reason))
        machine.memory[run.NEXT_STEP] = wanted
        outcome = self._forced_row()
        for index in fired:
            event, place = self.plan.events[index]
            self.happened.append((machine.time, event.title))
            if event.once:
                machine.memory[place + run.ARMED] = 0.0
            self._firings.setdefault(index, deque(maxlen=FOREVER)).append(machine.time)
            stuck = self._fires_forever(index, event, FOREVER)
            if outcome is None and stuck is not None:
                outcome = stuck
            for action in event.actions:
                if isinstance(action, Stop) and outcome is None:
                    outcome = Outcome("event", self._at(f"{event.label} ended the run"))
                act(machine, action)
        machine.changed()
        return outcome or self._forced_row()

    def _fires_forever(self, index: int, event: Event, many: int) -> Outcome | None:
        """Outcome of a run in which an event keeps firing without progress in time, else None."""
        span = self.machine.settings.duration * 1e-6
        times = [t for t in self._firings.get(index, ()) if self.machine.time - t < span]
        if len(times) >= many:
            reason = (
                f"{event.label} keeps firing: {len(times)} times from t = {times[0]:.9g} to "
                f"{times[-1]:.9g} s; give it a direction, once=True, or a function that stays "
                "away from zero after it"
            )
            return Outcome("stalled", reason)
        return None

    def _forced_row(self) -> Outcome | None:
        """Row at the current time."""
        self.machine.memory[run.FORCED] = 1.0
        status = self.machine.advance(0)
        self._rows.append(self.machine.rows())
        return None if status in (run.MORE, run.FINISHED) else self._judge(status)

    # Around the loop

    def checkpoint(self) -> Checkpoint:
        """Everything needed to continue the run from here."""
        arrays = {"memory": self.machine.memory.copy()}
        saved = [with_arrays_apart(c.saved(), arrays) for c in self.plan.controllers]
        return Checkpoint(arrays, {"controllers": saved, "events": self.happened})

    def _warn_of_spin(self) -> None:
        """Warn about each flexible body that spins too fast for its level."""
        for i, place in self.plan.spins.items():
            stiffness = self.system.bodies[i].stiffness
            if i in self._warned or not len(stiffness):
                continue
            first = float(np.sqrt(stiffness.min()))
            rate = float(self.machine.memory[place])
            if rate > SPIN * first:
                self._warned.add(i)
                warnings.warn(
                    f"body {self.system.names[i]!r} turns at {rate:.3g} rad/s, more than {SPIN:g} "
                    f"of its first frequency ({first:.3g} rad/s); level "
                    f"{self.system.bodies[i].level!r} neglects centrifugal stiffening: frequencies "
                    "are too low and deflections too large",
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
