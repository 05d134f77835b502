"""A run in whole fixed steps without end, one at a time, under forces that change between them."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, Never

import numpy as np

from ...errors import SimulationError
from ...kernels.layout import run
from ...results.event_records import EventRecord
from ...system import State
from ..loads.forces import real_speeds
from ..warnings.starts import warn_of_start
from .drive_checks import warn_of_winding
from .prepare import Prepared, put_at_start
from .reasons import Outcome
from .runner import Judge
from .settings import check_resolution
from .start import check_ends, moving_ends

Array = np.ndarray

STEPS = 1000  # steps until the first look ahead; the time to the next one doubles
NEVER = 1 << 62  # steps between two rows
_FLOAT = np.dtype(float)
_COPIED = ("memory", "work", "scratch", "stiff", "ints", "table")


class WholeSteps:
    """Steps of a machine, and the forces on it."""

    def __init__(self, ready: Prepared) -> None:
        self.ready, self.machine = ready, ready.machine
        machine, plan = self.machine, self.machine.plan
        machine.head.every = NEVER
        self.system, self.memory = machine.system, machine.memory
        self.happened: list[EventRecord] = []
        self.stopped = ""  # by which event
        row = plan.rows["forces"][-1]
        self._flag = int(row.active)
        place = int(plan.signal_row(row.signal).constants)
        self._forces = machine.table[place : place + self.system.n_v]
        self._pushed: bytes | None = None  # forces that act; None: none
        self._advance = machine.bound(run.WHOLE_STEP)
        self._judge = Judge(machine, self.happened)
        self.q, self.v = machine.q, machine.v  # views
        self._saved = self.memory.copy()
        self._until = -np.inf  # time since the start of the next look ahead
        # Those that can be set back if a step fails; compiled ones live in the memory.
        self._controllers = [c for c in plan.controllers if c.saved() is not None]

    def begin(self, first: State, user_state: State | None, stacklevel: int) -> None:
        """Go to the start."""
        row = put_at_start(self.machine, first, user_state, self.ready.motions)
        warn_of_winding(self.machine, row, stacklevel + 1)
        warn_of_start(self.machine, row, stacklevel + 1, ends=False)
        for vector, name in ((self.q, "q"), (self.v, "v")):  # on given motions
            vector[:] = self.machine.columns.part(row[None], name)[0]
        self.memory[run.NEXT_OUTPUT] = 1.0  # no row at the start
        self.memory[self._flag] = 0.0
        self.happened.clear()
        self.stopped, self._pushed, self._until = "", None, -np.inf

    def push(self, forces: Any) -> None:
        """Apply forces from now on, as a controller that is sampled at this time."""
        if forces is None:
            if self._pushed is not None:
                self.memory[self._flag] = self.memory[run.FRESH] = 0.0
                self._pushed = None
            return
        if type(forces) is not np.ndarray or forces.dtype != _FLOAT or forces.ndim != 1:
            forces = real_speeds(self.system, forces, "forces")
        content = forces.tobytes()
        if content == self._pushed:
            return
        if len(forces) != len(self._forces) or not np.vdot(forces, forces) < np.inf:
            forces = real_speeds(self.system, forces, "forces")
        self._forces[:] = forces
        self.memory[self._flag], self.memory[run.FRESH] = 1.0, 0.0
        self._pushed = content

    def step(self) -> bool:
        """Take a step; False if an event stopped it; after a failure all is as before."""
        if not self.memory[run.TIME] < self._until:
            self._look_ahead()
        np.copyto(self._saved, self.memory)
        saved = self._controllers and [copy.deepcopy(c.saved()) for c in self._controllers]
        before = len(self.happened)
        try:
            status = self._advance()
            return status == run.MORE or self._finish_step(status)
        except BaseException:
            del self.happened[before:]
            self._go_back(saved)
            raise

    def _go_back(self, saved: list[Any]) -> None:
        """Return to the start of the step; `saved` are the states of controllers there."""
        self.memory[:] = self._saved
        self.memory[run.PREPARED] = -1.0  # the scratch may be prepared for another step
        for controller, value in zip(self._controllers, saved, strict=True):
            controller.restore(value)

    def _finish_step(self, status: int) -> bool:
        """Handle events and failures until the end of the step."""
        machine = self.machine
        while status != run.MORE:
            outcome = self._judge.outcome(status)
            self._judge.rows.clear()
            if outcome is not None and outcome.status == "event":
                self.stopped, self._until = outcome.message, -np.inf
                return False
            if outcome is not None:
                self._raise(outcome, machine.settings.start + float(self._saved[run.TIME]))
            status = run.MORE if self.memory[run.ON_GRID] != 0.0 else self._advance()
        return True

    def _raise(self, outcome: Outcome, start: float) -> Never:
        self.machine.plan.functions.taken()
        if outcome.status == "interrupted":
            raise KeyboardInterrupt
        raise SimulationError(
            f"the step from t = {start:.9g} s failed ({outcome.status}): "
            f"{outcome.message}; the stepper is still at the start of that step"
        ) from outcome.error

    def _look_ahead(self) -> None:
        """Refuse a step that cannot be taken from here, and set the time of the next look."""
        machine, passed = self.machine, self.machine.elapsed
        settings, step = machine.settings, machine.settings.step
        if self.stopped:
            raise SimulationError(f"{self.stopped}; call reset() to start again")
        most = 0.999 * step  # the last bits of a sum of steps and of the end of a table may differ
        check_ends(machine.plan, replace(settings, duration=passed + most))
        horizon = passed + max(STEPS * step, passed)
        check_resolution(step, abs(settings.start) + horizon)
        machine.open_until(horizon)
        ends = [t for _, is_start, t, _ in moving_ends(machine.plan) if not is_start]
        ends = [t - settings.start - most for t in ends]
        self._until = min([horizon, *(t for t in ends if t > passed)])

    def row(self) -> Array:
        """Row of results at the present time, under the present forces."""
        self.memory[run.FORCED] = 1.0
        outcome = self._judge.outcome(self.machine.advance(0))
        if outcome is not None:
            self._raise(outcome, self.machine.time)
        return self.machine.rows()

    def follow(self, other: WholeSteps) -> None:
        """Continue as another run with the same loads would."""
        for name in _COPIED:
            getattr(self.machine, name)[:] = getattr(other.machine, name)
        self.happened[:] = other.happened
        self._judge.follow(other._judge)
        self.stopped, self._pushed, self._until = other.stopped, other._pushed, other._until
