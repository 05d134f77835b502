"""What a status of the compiled code means for a run: events, failures, the outcome."""

from __future__ import annotations

import warnings
from collections import deque

import numpy as np

from ...algorithms.tree.escapes import is_interruption
from ...errors import LoadError, SimulationWarning, name_list
from ...kernels.layout import run
from ...results.event_records import EventRecord
from ...results.peaks import rising_note
from ..events.actions import act
from ..events.event import Event, Stop
from ..events.search import go_to_event
from .machine import Machine
from .reasons import Outcome, at_time, explained

Array = np.ndarray

FOREVER = 100  # times that an event may fire while nothing else happens
CHATTER = 5  # times that it must have fired if it keeps time from advancing


class Judge:
    """Outcomes of the statuses that a machine returns; handles its events."""

    def __init__(self, machine: Machine, happened: list[EventRecord]) -> None:
        self.machine, self.plan, self.happened = machine, machine.plan, happened
        self.rows: list[Array] = []
        self._firings: dict[int, deque[float]] = {}  # times since the start
        self._told = {x.joint for one in happened for x in one.impulses}  # warned of

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
        outcome = self._forced_row()
        for index in fired:
            event, place = self.plan.events[index]
            if event.once:
                machine.memory[place + run.ARMED] = 0.0
            self._firings.setdefault(index, deque(maxlen=FOREVER)).append(machine.elapsed)
            stuck = self._fires_forever(index, event, FOREVER)
            if outcome is None and stuck is not None:
                outcome = stuck
            impulses = []
            for action in event.actions:
                if isinstance(action, Stop) and outcome is None:
                    outcome = Outcome("event", at_time(machine, f"{event.label} ended the run"))
                if (impulse := act(machine, action)) is not None:
                    impulses.append(impulse)
            self.happened.append(EventRecord(machine.time, event.title, impulses))
            self._warn_of_rising_peaks(self.happened[-1])
        machine.changed()
        return outcome or self._forced_row()

    def _warn_of_rising_peaks(self, event: EventRecord) -> None:
        """Warn, once for each joint, if peaks after a lock have no limit."""
        for impulse in event.impulses:
            words = rising_note(event, impulse)
            if words and impulse.joint not in self._told:
                self._told.add(impulse.joint)
                warnings.warn(words, SimulationWarning, stacklevel=8)

    def _fires_forever(self, index: int, event: Event, many: int) -> Outcome | None:
        """Outcome of a run in which an event keeps firing without progress in time, else None."""
        settings, now = self.machine.settings, self.machine.elapsed
        span, fired = settings.duration * 1e-6, self._firings.get(index, ())
        times = [settings.start + t for t in fired if now - t < span]
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
        self.rows.append(self.machine.rows())
        return None if status in (run.MORE, run.FINISHED) else self.outcome(status)
