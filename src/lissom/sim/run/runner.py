"""The loop of a run: slices of compiled code, and between them events, interruptions and limits.

`Judge` says what a status of compiled code means, `Runner` calls it until the end of the run.
"""

from __future__ import annotations

import copy
import time
import warnings
from collections import deque
from typing import Any

import numpy as np

from ...algorithms.tree.escapes import is_interruption
from ...errors import LoadError, ResultError, SimulationWarning, name_list
from ...kernels.layout import run
from ...results.event_records import EventRecord, ImpactImpulse, Impulse, event_notes
from ...results.files.journal.writer import Checkpoint
from ...results.peaks import rising_note
from ...results.store import Store
from ..events.actions import act
from ..events.event import Event, Stop
from ..events.impacts import ImpactError, in_turn, lasting_contact, strike
from ..events.rigid_impact import RigidImpact
from ..events.search import go_to_event
from ..events.touches import take_touches
from ..loads.controller import with_arrays_apart
from ..warnings.many_steps import ManySteps
from ..warnings.slow_iterations import SlowIterations
from ..warnings.spins import fast_spins, warn_of_spins
from .interrupts import Interrupts
from .machine import Machine
from .prepare import Prepared
from .progress import ProgressBar
from .reasons import Outcome, at_time, bent_hint, explained, out_of_time
from .record import RunRecord, run_meta

Array = np.ndarray

SLICE = 0.05  # [s], target time of a slice in compiled code
FIRST_BUDGET = 50  # evaluations in the first slice
SHORTEST, MOST = 1e-5, 1e9  # time of a slice [s], and its evaluations
FOREVER = 100  # times that an event may fire while nothing else happens
CHATTER = 5  # times that it must have fired if it keeps time from advancing
UNFINISHED = ("interrupted", "time limit", "disk", "failed", "memory")  # runs to be resumed
FAR = 1e-10  # [s]
STIFF = ', or if it is stiff use integrator="generalized_alpha"'
STALL_STEPS = 20_000  # steps between two checks
# Steps needed for the whole duration that end a run: if the step has shrunk by this factor, or in
# any case.
MANY_STEPS, TOO_MANY_STEPS, SHRUNK = 2e8, 1e10, 1e-3


def next_budget(budget: float, begun: float, aim: float) -> float:
    """Evaluations of the next slice, so that it takes the time aimed at.

    `begun`: when it began, by `time.perf_counter` [s]; `aim`: time of a slice that is aimed at [s].
    """
    taken = max(time.perf_counter() - begun, SHORTEST)
    return min(max(1.0, budget * min(max(aim / taken, 0.1), 4.0)), MOST)


class Stall:
    """Monitor of the progress of a run.

    `steps`, `t`: steps so far, and time since the start that they have reached [s].
    """

    def __init__(self, steps: float, t: float) -> None:
        self._steps, self._time = float(steps), float(t)

    def outcome(self, machine: Machine) -> Outcome | None:
        """Outcome of an adaptive run whose steps are too small to reach the end, else None."""
        steps, t = float(machine.memory[run.N_STEPS]), machine.elapsed
        settings = machine.settings
        n = steps - self._steps
        if not settings.adaptive or n <= STALL_STEPS:
            return None
        span = t - self._time
        self._steps, self._time = steps, t
        needed = settings.duration * n / max(span, 1e-300)
        shrunk = span / n < SHRUNK * float(machine.memory[run.LARGEST])
        if needed < (MANY_STEPS if shrunk else TOO_MANY_STEPS):
            return None
        stiff = "" if settings.integrator.iterates else STIFF
        worst = machine.system.layout.owner_v(int(machine.memory[run.WORST]))
        reason = (
            f"at t = {machine.time:.9g} s the steps are too small to reach the end: {n:.0f} of "
            f"them cover {span:.3g} s, the last one {machine.memory[run.LAST_STEP]:.3g} s; worst: "
            f"{worst}; something is singular or very stiff there: check the last rows, or increase "
            f"rtol{stiff}{bent_hint(machine)}"
        )
        if machine.plan.timed and (apart := float(np.spacing(abs(t + settings.start)))) > FAR:
            reason += (
                f"; floating-point numbers there are {apart:.2g} s apart, which functions of time "
                "may show: let their time begin at zero (start=0)"
            )
        return Outcome("stalled", reason)


class Judge:
    """Outcomes of the statuses that a machine returns; handles its events."""

    def __init__(self, machine: Machine, happened: list[EventRecord]) -> None:
        self.machine, self.plan, self.happened = machine, machine.plan, happened
        self.rows: list[Array] = []
        self._firings: dict[int, deque[float]] = {}  # times since the start
        self._told = {x.place for one in happened for x in one.impulses}  # warned of

    def follow(self, other: Judge) -> None:
        """Remember the events that another judge has seen."""
        self._firings = {index: times.copy() for index, times in other._firings.items()}
        self._told = set(other._told)

    def outcome(self, status: int) -> Outcome | None:
        """Outcome for a status; None if the run continues."""
        if status in (run.MORE, run.ROWS_FULL):
            return None
        if status == run.SWITCH_:
            self.machine.switch()
            return None
        if status == run.BEYOND_REASON:
            outcome = explained(self.machine, status)
            self._forced_row()
            return outcome
        if status == run.FINISHED:
            return Outcome("finished", f"reached t = {self.machine.time:.9g} s")
        if status == run.EVENT:
            return self._handle_events()
        if status == run.CONTACT:
            return self._note_contacts()
        if status == run.CALL_FAILED:
            return self._failed()
        if status == run.STALLED:
            for index, (event, _) in enumerate(self.plan.events):
                if (stuck := self._fires_forever(index, event, CHATTER)) is not None:
                    return stuck
        return explained(self.machine, status)

    def interruption(self) -> Outcome:
        """Outcome of a run that the user interrupted."""
        return Outcome("interrupted", at_time(self.machine, "interrupted by the user"))

    def _failed(self) -> Outcome:
        """Outcome after a user's function failed."""
        functions = self.plan.functions
        if isinstance(functions.error, KeyboardInterrupt):
            return self.interruption()
        if functions.error is not None and is_interruption(functions.error):
            raise functions.error
        if isinstance(functions.error, LoadError):  # ours: it names the function and the time
            return Outcome("failed", str(functions.error), functions.error)
        words = f"{functions.failed} raised {type(functions.error).__name__}"
        words = f"{words}: {functions.error}" if str(functions.error) else words
        return Outcome("failed", at_time(self.machine, words), functions.error)

    def _handle_events(self) -> Outcome | None:
        machine = self.machine
        wanted = machine.memory[run.NEXT_STEP]
        fired = go_to_event(machine, self.rows.append)
        if isinstance(fired, int):
            return self.outcome(fired)
        if not fired:
            names = name_list((event.label for event, _ in self.plan.events), show=str)
            reason = (
                "an event occurred in a step but not when that step was repeated; the watched "
                f"function must depend on time and state alone ({names})"
            )
            return Outcome("failed", at_time(machine, reason))
        machine.memory[run.NEXT_STEP] = wanted
        self._note_touches()
        return self._fire(fired)

    def _fire(self, fired: list[int]) -> Outcome | None:
        """Carry out the actions of the events with these numbers."""
        machine = self.machine
        outcome = self._forced_row()
        try:
            outcome = self._act(fired, outcome)
        except ImpactError as error:
            outcome = outcome or Outcome("failed", f"at t = {machine.time:.9g} s {error}")
        machine.changed()
        return outcome or self._forced_row()

    def _act(self, fired: list[int], outcome: Outcome | None) -> Outcome | None:
        """Take the actions of events, and record these; the outcome if the run ends."""
        machine = self.machine
        for index in in_turn(machine, fired):
            event, place = self.plan.events[index]
            if event.once:
                machine.memory[place + run.ARMED] = 0.0
            self._firings.setdefault(index, deque(maxlen=FOREVER)).append(machine.elapsed)
            stuck = self._fires_forever(index, event, FOREVER)
            if outcome is None and stuck is not None:
                outcome = stuck
            impulses: list[Impulse | ImpactImpulse] = []
            for action in event.actions:
                if isinstance(action, Stop) and outcome is None:
                    outcome = Outcome("event", at_time(machine, f"{event.label} ended the run"))
                strikes = isinstance(action, RigidImpact)
                impulse = strike(machine, place, action) if strikes else act(machine, action)
                if impulse is not None:
                    impulses.append(impulse)
            self.happened.append(EventRecord(machine.time, event.title, impulses))
            self._warn_of_rising_peaks(self.happened[-1])
            if impulses and event.strikes and (words := lasting_contact(machine, self.happened)):
                outcome = outcome or Outcome("stalled", words)
        return outcome

    def _note_contacts(self) -> Outcome | None:
        """Record the contacts that closed or opened at the end of the last step, and act."""
        fired = self._note_touches()
        return self._fire(fired) if fired else self._forced_row()

    def _note_touches(self) -> list[int]:
        """Record what contacts did; numbers of the events that watch them and occur."""
        fired = []
        for name, record in take_touches(self.machine):
            self.happened.append(record)
            assert record.touch is not None
            way = -1 if record.touch.touches else 1
            for index, (event, place) in enumerate(self.plan.events):
                watches = event.when == name and event.direction != -way
                if watches and self.machine.memory[place + run.ARMED] != 0:
                    fired.append(index)
        return fired

    def _warn_of_rising_peaks(self, event: EventRecord) -> None:
        """Warn, once for each joint or pair of shapes, if peaks after an impulse have no limit."""
        for impulse in event.impulses:
            words = rising_note(event, impulse)
            if words and impulse.place not in self._told:
                self._told.add(impulse.place)
                warnings.warn(words, SimulationWarning, stacklevel=8)

    def _fires_forever(self, index: int, event: Event, many: int) -> Outcome | None:
        """Outcome of a run in which an event keeps firing without progress in time, else None."""
        settings, now = self.machine.settings, self.machine.elapsed
        span, fired = settings.duration * 1e-6, self._firings.get(index, ())
        times = [settings.start + t for t in fired if now - t < span]
        if len(times) >= many:
            remedy = (
                "use a Contact in place of its rigid impacts, which have no force that holds "
                "bodies apart"
                if event.strikes
                else "give it a direction, once=True, or a function that stays away from zero "
                "after it"
            )
            reason = (
                f"{event.label} keeps firing: {len(times)} times from t = {times[0]:.9g} to "
                f"{times[-1]:.9g} s; {remedy}"
            )
            return Outcome("stalled", reason)
        return None

    def _forced_row(self) -> Outcome | None:
        """Row at the current time."""
        self.machine.memory[run.FORCED] = 1.0
        status = self.machine.advance(0)
        self.rows.append(self.machine.rows())
        return None if status in (run.MORE, run.FINISHED) else self.outcome(status)


class Runner:
    """Run loop, from the present state of its machine."""

    def __init__(
        self,
        machine: Machine,
        record: RunRecord,
        progress: ProgressBar,
        interrupts: Interrupts,
    ) -> None:
        self.machine, self.record, self.progress = machine, record, progress
        self.plan, self.system = machine.plan, machine.system
        self.time_limit = machine.settings.time_limit
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


def completed(
    ready: Prepared,
    record: RunRecord,
    bar: ProgressBar,
    interrupts: Interrupts | None = None,
) -> tuple[Store, dict[str, Any], Outcome]:
    """Rows, metadata and outcome of a run that has begun."""
    bar.resume_at(ready.machine.time)
    interrupts, shared = interrupts or Interrupts(), interrupts is not None
    runner = Runner(ready.machine, record, bar, interrupts)
    begun = time.perf_counter()
    try:
        try:
            outcome = runner.run()
        finally:
            bar.close()
        seconds = time.perf_counter() - begun
        meta = run_meta(ready.machine, record, outcome, ready.reason, seconds, runner.happened)
        try:
            store = record.finish(meta, whole=outcome.status not in UNFINISHED)
        except ResultError as error:
            outcome = Outcome("disk", str(error), error)
            meta.update(status=outcome.status, message=outcome.message)
            store = record.finish(meta, whole=False)
    except BaseException:  # a second Ctrl-C, or one while the file is written
        record.abandon()
        raise
    if not shared:
        interrupts.pass_on()
    return store, meta, outcome
