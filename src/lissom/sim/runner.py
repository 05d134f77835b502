"""The run itself, in slices of compiled code: rows, events, interruptions, and why it ended."""

from __future__ import annotations

import copy
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from ..algorithms import engine, reference
from ..algorithms._kernels import layout as body_at
from ..algorithms._kernels.simulation import layout as at
from ..errors import LoadError, ResultError, SimulationWarning, SingularError
from ..results.journal import Checkpoint
from .controllers import with_arrays_apart
from .events import Event, Lock, Release, Stop, Switch
from .machine import Machine
from .progress import ProgressBar
from .record import Record

__all__ = ["Outcome", "Runner", "explained"]

Array = np.ndarray

SLICE = 0.05  # [s], aimed at for a stay in compiled code
FIRST_BUDGET = 50  # evaluations in the first one
FOREVER = 100  # times that an event may happen in a time in which nothing else does
CHATTER = 5  # times that it must have happened if time cannot go on for the event's sake
STALL_STEPS, STALL_SPAN = 20_000, 1e-5  # steps, and the part of the duration they must cover
ABSURD = 1e30  # speeds beyond this come of steps that are too long, not of forces
SPIN = 0.1  # part of its first frequency at which a flexible body spins too fast for its level


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Attributes
    ----------
    status : str
        "finished", "event", "interrupted", "time limit", "not finite", "singular", "stalled",
        "failed" or "disk".
    message : str
        Why, in a sentence.
    error : exception or None
        What a user's function raised.
    """

    status: str
    message: str
    error: BaseException | None = None


class Runner:
    """A run from where its machine stands.

    Parameters
    ----------
    machine : Machine
        The run in compiled code.
    record : Record
        Where the rows go.
    progress : ProgressBar
        What is shown.
    time_limit : float
        Of real time [s].
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
        self._rows: list[Array] = []  # of the present slice
        self._mark = (float(machine.memory[at.N_STEPS]), machine.time)

    # The loop

    def run(self) -> Outcome:
        """Go on until the end or a reason to stop."""
        self._deadline = time.monotonic() + self.time_limit
        functions = self.plan.functions
        functions.halt = lambda: self._reason() is not None
        # A plain function may be slow: see first how slow.
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
                self._warn_of_spin()
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
        """Why the run must end at once, if it must."""
        if self._interrupted:
            return self._interruption()
        if time.monotonic() > self._deadline:
            reason = f"the time limit of {self.time_limit:g} s was reached"
            return Outcome("time limit", self._at(reason))
        return None

    def _interruption(self) -> Outcome:
        return Outcome("interrupted", self._at("interrupted by the user"))

    def _kept(self) -> tuple[Any, ...]:
        """All that a slice changes."""
        controllers = [c.saved() for c in self.plan.controllers]
        return self.machine.memory.copy(), copy.deepcopy(controllers), len(self.happened)

    def _go_back(self, memory: Array, controllers: list[Any], n_happened: int) -> None:
        """Undo a slice that was left in the middle of a step: nobody could resume it there."""
        self.machine.memory[:] = memory
        for controller, saved in zip(self.plan.controllers, controllers, strict=True):
            controller.restore(saved)
        del self.happened[n_happened:]
        self._rows = []

    def _stalled(self) -> Outcome | None:
        """The end of an adaptive run whose steps have become too small to arrive."""
        steps, t = float(self.machine.memory[at.N_STEPS]), self.machine.time
        settings = self.machine.settings
        n = steps - self._mark[0]
        if not settings.adaptive or n <= STALL_STEPS:
            return None
        span, self._mark = t - self._mark[1], (steps, t)
        if span >= STALL_SPAN * settings.duration * n / STALL_STEPS:
            return None
        worst = self.system.layout.owner_v(int(self.machine.memory[at.WORST]))
        reason = (
            f"at t = {t:.9g} s the steps are too small to arrive: {n:.0f} of them cover "
            f"{span:.3g} s, the last one {self.machine.memory[at.LAST_STEP]:.3g} s; worst: "
            f"{worst}; something is singular or very stiff there: look at the last rows, loosen "
            'rtol, or if it is stiff use integrator="generalized_alpha"'
        )
        return Outcome("stalled", reason)

    def _judge(self, status: int) -> Outcome | None:
        """What the outcome of a slice means; None: go on."""
        if status in (at.MORE, at.ROWS_FULL):
            return None
        if status == at.FINISHED:
            return Outcome("finished", f"reached t = {self.machine.time:.9g} s")
        if status == at.EVENT:
            return self._handle_events()
        if status == at.CALL_FAILED:
            functions = self.plan.functions
            if isinstance(functions.error, KeyboardInterrupt):
                return self._interruption()
            if isinstance(functions.error, LoadError):  # our own: says what and when
                return Outcome("failed", str(functions.error), functions.error)
            words = f"{functions.failed} raised {type(functions.error).__name__}"
            words = f"{words}: {functions.error}" if str(functions.error) else words
            return Outcome("failed", self._at(words), functions.error)
        if status == at.STALLED:
            for index, (event, _) in enumerate(self.plan.events):
                if (stuck := self._fires_forever(index, event, CHATTER)) is not None:
                    return stuck
        return explained(self.machine, status)

    def _at(self, reason: str) -> str:
        return _at(self.machine, reason)

    # Events

    def _handle_events(self) -> Outcome | None:
        machine = self.machine
        wanted = machine.memory[at.NEXT_STEP]
        fired = self._go_to_event()
        if isinstance(fired, int):
            return self._judge(fired)
        if not fired:
            names = ", ".join(event.label for event, _ in self.plan.events)
            reason = (
                "an event was seen in a step and not when that step was repeated; what it watches "
                f"must depend on time and state alone ({names})"
            )
            return Outcome("failed", self._at(reason))
        machine.memory[at.NEXT_STEP] = wanted
        outcome = self._forced_row()
        for index in fired:
            event, place = self.plan.events[index]
            self.happened.append((machine.time, event.label))
            if event.once:
                machine.memory[place + 1] = 0.0
            self._firings.setdefault(index, deque(maxlen=FOREVER)).append(machine.time)
            stuck = self._fires_forever(index, event, FOREVER)
            if outcome is None and stuck is not None:
                outcome = stuck
            for action in event.actions:
                if isinstance(action, Stop) and outcome is None:
                    outcome = Outcome("event", self._at(f"{event.label} ended the run"))
                self._act(action)
        machine.changed()
        return outcome or self._forced_row()

    def _go_to_event(self) -> list[int] | int:
        """Take the step that ends just after the first event; numbers of what happened there.

        If a step fails, the status of that; if the event is not there again, none.  The run is then
        where it was.
        """
        machine = self.machine
        memory, kept = machine.memory, machine.memory.copy()
        low, high = 0.0, float(memory[at.TRIED])
        places = [place for _, place in self.plan.events]
        before = kept[places]

        def trial(h: float, mode: int) -> Array | int:
            memory[:] = kept
            memory[at.NEXT_STEP] = h
            status = machine.advance(0, mode)
            if status == at.ROWS_FULL:
                self._rows.append(machine.rows())
                kept[[at.NEXT_OUTPUT, at.SUB]] = memory[[at.NEXT_OUTPUT, at.SUB]]
                return trial(h, mode)
            if status == at.MORE:
                return memory[places].copy()
            memory[:] = kept
            return status

        after = trial(high, at.ONE_STEP)
        if isinstance(after, int):
            return after
        if not self._crossed(before, after):
            memory[:] = kept
            return []
        ulp = np.spacing(max(abs(kept[at.TIME]), high))
        tick, least = 4 * ulp, 128 * ulp  # the shortest step that is sure to move time
        f_low, weight = before, 1.0
        while high - low > max(tick, 1e-13 * high) and high > least:
            k = self._crossed(before, after)[0]
            span = after[k] - weight * f_low[k]
            guess = high - after[k] * (high - low) / span if span != 0 else 0.5 * (low + high)
            if not low + 0.01 * (high - low) < guess < high - 0.01 * (high - low):
                near = guess <= low + 0.01 * (high - low)
                guess = low + (0.01 if near else 0.99) * (high - low)
                if weight < 0.1:
                    guess = 0.5 * (low + high)
            guess = max(guess, least)
            found = trial(guess, at.ONE_STEP)
            if isinstance(found, int):
                return found
            if self._crossed(before, found):
                high, after = guess, found
                weight *= 0.5  # the Illinois rule: the other end must move too
            else:
                low, f_low, weight = guess, found, 1.0
        found = trial(high, at.ONE_STEP_WITH_ROWS)
        if isinstance(found, int):
            return found
        self._rows.append(machine.rows())
        return self._crossed(before, found) or self._crossed(before, after)

    def _crossed(self, before: Array, after: Array) -> list[int]:
        """Numbers of the armed events that passed zero in their direction."""
        passed = []
        for k, (event, place) in enumerate(self.plan.events):
            up = event.direction >= 0 and before[k] < 0 <= after[k]
            down = event.direction <= 0 and before[k] > 0 >= after[k]
            if (up or down) and self.machine.memory[place + 1] != 0:
                passed.append(k)
        return passed

    def _fires_forever(self, index: int, event: Event, many: int) -> Outcome | None:
        """The end of a run in which an event happened so many times while time stood still."""
        span = self.machine.settings.duration * 1e-6
        times = [t for t in self._firings.get(index, ()) if self.machine.time - t < span]
        if len(times) >= many:
            reason = (
                f"{event.label} happens for ever: {len(times)} times from t = {times[0]:.9g} to "
                f"{times[-1]:.9g} s; give it a direction, once=True, or a function that stays "
                "away from zero after it"
            )
            return Outcome("stalled", reason)
        return None

    def _forced_row(self) -> Outcome | None:
        """Row at this very instant."""
        self.machine.memory[at.FORCED] = 1.0
        status = self.machine.advance(0)
        self._rows.append(self.machine.rows())
        return None if status in (at.MORE, at.FINISHED) else self._judge(status)

    def _act(self, action: Any) -> None:
        memory = self.machine.memory
        if isinstance(action, Switch):
            for place in self.plan.active[action.load]:
                memory[place] = float(action.on)
        elif isinstance(action, (Lock, Release)):
            joint = self.plan.joint(action.joint, "event")
            if joint.body in self.plan.driven:
                for place in self.plan.active[self.plan.driven[joint.body]]:
                    memory[place] = 0.0
            else:
                memory[self.plan.lock(joint)] = float(isinstance(action, Lock))
                if isinstance(action, Lock):
                    self._lock(joint.v, joint.n_v)

    def _lock(self, start: int, n: int) -> None:
        """Speeds after an impulse that stops the motions start to start + n.

        With f free, k known speeds after the impulse: M_ff v_f = (M v)_f - M_fk v_k.
        """
        machine, system = self.machine, self.system
        held = np.zeros(system.n_v, dtype=bool)
        for row in self.plan.rows["motions"]:
            if machine.memory[row[at.E_ACTIVE]] != 0:
                held[row[at.E_V] : row[at.E_V] + row[at.E_N]] = True
                machine.ints[row[at.E_A] + body_at.DRIVEN] = 1
        known = np.where(held, machine.v, 0.0)
        known[start : start + n] = 0.0
        change = machine.v - known
        momentum = engine.inverse_dynamics(
            system, machine.q.copy(), change, change, flags=body_at.ACCELERATED
        )
        momentum += self.plan.armature * change
        found = machine.solve(momentum)
        machine.v[:] = known + np.where(held, 0.0, found)
        machine.forget(start, n)

    # Around the loop

    def checkpoint(self) -> Checkpoint:
        """What the run needs to go on from here."""
        arrays = {"memory": self.machine.memory.copy()}
        saved = [with_arrays_apart(c.saved(), arrays) for c in self.plan.controllers]
        return Checkpoint(arrays, {"controllers": saved, "events": self.happened})

    def _warn_of_spin(self) -> None:
        """One warning for each flexible body that spins too fast for its level."""
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
                    f"of its first frequency ({first:.3g} rad/s); the stiffening by its own motion "
                    f"is not in level {self.system.bodies[i].level!r}: frequencies and deflections "
                    "are then too soft",
                    SimulationWarning,
                    stacklevel=5,
                )

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """The first Ctrl-C ends the run after the present slice, the second one at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:
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


def _at(machine: Machine, reason: str) -> str:
    return f"{reason} at t = {machine.time:.9g} s"


def explained(machine: Machine, status: int) -> Outcome:
    """Why no step could be taken, with the body at fault.

    Parameters
    ----------
    machine : Machine
        The run.
    status : int
        What `advance` returned.
    """
    layout = machine.system.layout
    worst = layout.owner_v(int(machine.memory[at.WORST]))
    if status == at.SINGULAR_COORDINATES:
        reason = (
            "the coordinates of a simple or compound joint are singular, as Euler angles can "
            "be; use Spherical or Free, or another order of its motions"
        )
        return Outcome("singular", _at(machine, reason))
    if status == at.STALLED:
        reason = f"the error cannot be kept with any step that still moves time; worst: {worst}"
        return Outcome("stalled", _at(machine, reason))
    if status == at.DIVERGED:
        reason = f"the iterations of the implicit step do not settle; worst: {worst}"
        return Outcome("stalled", _at(machine, reason))
    T = machine.forces
    if not np.all(np.isfinite(T)):
        k = int(np.flatnonzero(~np.isfinite(T))[0])
        reason = f"the force on {layout.owner_v(k)} is {T[k]}"
        if np.abs(machine.v).max() > ABSURD:
            hint = "" if machine.settings.adaptive else "; try a smaller step"
            reason = f"the motion grows without bound: {reason}{hint}"
        return Outcome("not finite", _at(machine, reason))
    if status == at.SINGULAR_:
        reason = "a hinge sees no inertia, or an inertia is not positive"
        return Outcome("singular", _at(machine, _singular_hinge(machine) or reason))
    _, speeds, found = machine.tried
    for vector, word in ((speeds, "speed"), (found, "acceleration"), (machine.v, "speed")):
        bad = np.flatnonzero(~np.isfinite(vector))
        if len(bad):
            owner = layout.owner_v(int(bad[0]))
            hint = "" if machine.settings.adaptive else "; try a smaller step"
            return Outcome("not finite", _at(machine, f"the {word} of {owner} is not finite{hint}"))
    k = int(np.argmax(np.abs(machine.v)))
    reason = f"the motion grows without bound; fastest: {layout.owner_v(k)}"
    return Outcome("not finite", _at(machine, reason))


def _singular_hinge(machine: Machine) -> str:
    """Words of the readable text for what is singular."""
    try:
        with np.errstate(all="ignore"):
            motions = reference.kinematics_base_to_tip(machine.system, machine.q, machine.v)
            reference.articulate_tip_to_base(machine.system, motions, None)
    except SingularError as error:
        return str(error)
    except (ArithmeticError, ValueError):
        pass
    return ""
