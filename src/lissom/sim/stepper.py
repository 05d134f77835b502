"""A motion in fixed steps, one call for each: control loops and hardware in the loop."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Never

import numpy as np

from ..errors import CopyError, StateError
from ..options import RunOptions
from ..printing import folded
from ..results.event_records import EventRecord
from ..results.quantities import CUMULATED
from ..results.store import MemoryStore
from ..results.tables import Channels
from ..results.trajectory import Trajectory
from ..system import State, StateLike, System
from .events.event import Event
from .loads import Load
from .loads.controller import private_copies
from .run.prepare import checked_state, prepared
from .run.settings import checked_option, run_options
from .run.start import initial_state
from .run.whole_steps import STEPS, WholeSteps

Array = np.ndarray


class Stepper:
    """Motion of a system in fixed steps, one call of `step` for each.

    The numbers are those of `simulate` with the same step, integrator, loads and events, bit for
    bit; a step allocates no memory.  ``stepper["body.position"]`` is a channel at the present time,
    as of a `Trajectory`.  Each thread needs its own stepper.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v), optional
        Initial state, as for `simulate`.
    step : float
        Length of a step [s].
    integrator : str or Integrator
        As for `simulate`; "auto" chooses by stiffness.
    loads : sequence of Load
        Actuators, springs, dampers, friction, stops, forces on nodes, given motions, controllers.
    events : sequence of Event
        Actions when quantities cross zero; they are located within the step.
    start : float
        Time at the start [s].
    rtol : float
        Relative tolerance, as for `simulate`: "auto" chooses by it.
    drift : "projection" or Baumgarte
        Method that keeps loops closed.
    method : {"auto", "articulated", "composite"}
        Method for accelerations.
    rate_linear : bool
        Whether to omit all terms of second order in the speeds, as for `simulate`.
    max_iterations : int, optional
        Most iterations of an implicit step.  Where they do not converge, `step` raises an error; by
        default it takes as many as `simulate`, which then divides the step.
    """

    def __init__(
        self,
        system: System,
        state: StateLike | None = None,
        *,
        step: float,
        integrator: Any = "auto",
        loads: Sequence[Load] = (),
        events: Sequence[Event] = (),
        start: float = 0.0,
        rtol: float = 1e-8,
        drift: Any = "projection",
        method: str = "auto",
        rate_linear: bool = False,
        max_iterations: int | None = None,
    ) -> None:
        arguments = locals()
        user_state = checked_state(system, state, "Stepper")
        self.system = system
        more = {"duration": STEPS * checked_option("step", step), "forces": np.zeros(system.n_v)}
        options = run_options(arguments | more)
        self._run = self._built(user_state, options)
        self._first = self._run.ready
        # also after a reset
        self._options = replace(options, integrator=self._first.settings.integrator)
        controllers = self._run.machine.plan.controllers
        self._saved = [copy.deepcopy(controller.saved()) for controller in controllers]
        self._row: Trajectory | None = None
        self._lock = threading.Lock()
        self._run.begin(self._first.start, user_state, stacklevel=3)

    def _built(self, user_state: State | None, options: RunOptions) -> WholeSteps:
        return WholeSteps(prepared(self.system, user_state, options, "Stepper"))

    def step(self, forces: Any = None) -> bool:
        """Advance by one step under forces that are held during the step.

        Parameters
        ----------
        forces : array (n_v,) or mapping, optional
            Generalized forces in addition to the loads; by default zero.

        Returns
        -------
        bool
            True; False if an event with `Stop` ended the motion, at the instant of the event, after
            which only `reset` goes on.  SimulationError if the step fails: the stepper is then
            where it was before.
        """
        if not self._lock.acquire(blocking=False):
            self._refuse()
        try:
            self._run.push(forces)
            self._row = None
            return self._run.step()
        finally:
            self._lock.release()

    # The present

    @property
    def time(self) -> float:
        """Present time [s]."""
        return self._run.machine.time

    @property
    def q(self) -> Array:
        """Coordinates (n_q,), a copy."""
        return self._run.q.copy()

    @property
    def v(self) -> Array:
        """Speeds (n_v,), a copy."""
        return self._run.v.copy()

    @property
    def state(self) -> State:
        """Present state."""
        return State.trusted(self.system, self.q, self.v)

    @property
    def events(self) -> list[EventRecord]:
        """Events since the start: pairs of time [s] and label, with their impulses."""
        return list(self._run.happened)

    @property
    def integrator(self) -> str:
        """Integrator, and why it was chosen."""
        return self._first.reason

    @property
    def statistics(self) -> dict[str, Any]:
        """Counts since the start, such as "steps" and "iterations"."""
        return self._run.machine.statistics

    def __getitem__(self, name: str) -> Any:
        """Value of a channel at the present time, under the forces of the last step."""
        if isinstance(name, str) and name == CUMULATED:
            raise StateError(
                f"{CUMULATED!r} is summed over all rows of a run, and a Stepper has only the "
                "present one; sum the products of forces and speeds in your loop, or use simulate"
            )
        return self._now()[name][0]

    def __contains__(self, name: object) -> bool:
        """Whether there is a channel with this name."""
        return name in self._now() and name != CUMULATED

    def channels(self, text: str = "") -> Channels:
        """Available channels, each with its description, shape and units.

        Parameters
        ----------
        text : str
            Only channels whose names contain this text.
        """
        channels = self._now().channels(text)
        return Channels({name: channels[name] for name in channels if name != CUMULATED})

    def _now(self) -> Trajectory:
        """The present instant as a result of one row."""
        with self._alone():
            if self._row is None:
                columns = self._run.machine.columns
                self._row = Trajectory(self.system, MemoryStore(columns, self._run.row()))
            return self._row

    # Other beginnings, copies

    def reset(self, state: StateLike | None = None, time: float | None = None) -> None:
        """Begin again; controllers with ``set_state`` are given the state that they had at first.

        Parameters
        ----------
        state : State or (q, v), optional
            Initial state; by default that of the first start.
        time : float, optional
            Time at the start [s]; by default that of the first start.
        """
        with self._alone():
            first = self._first
            user_state = (
                first.user_state if state is None else checked_state(self.system, state, "reset")
            )
            start = first.settings.start if time is None else checked_option("start", time)
            other = self._run
            if start != other.machine.settings.start:
                other = self._built(user_state, replace(self._options, start=start))
            begin = other.ready.start
            if other is self._run and (state is not None or other.ready is not first):
                begin = initial_state(other.machine.plan, user_state, start, first.motions)
            controllers = other.machine.plan.controllers
            for controller, saved in zip(controllers, self._saved, strict=True):
                controller.restore(copy.deepcopy(saved))
            memory = other.memory.copy()
            try:
                other.begin(begin, user_state, stacklevel=3)
            except BaseException:
                other.memory[:] = memory
                raise
            self._run, self._row = other, None

    def copy(self) -> Stepper:
        """Stepper that goes on as this one would, bit for bit, and independently of it.

        Controllers that are objects of Python are copied by `copy.deepcopy`; a function that keeps
        something in a variable outside of it is not.
        """
        with self._alone():
            other = object.__new__(Stepper)
            options = replace(self._options, loads=private_copies(self._options.loads))
            other.system, other._options = self.system, options
            other._first, other._saved = self._first, copy.deepcopy(self._saved)
            start = self._run.machine.settings.start
            other._run = other._built(self._first.user_state, replace(options, start=start))
            other._run.follow(self._run)
            other._row, other._lock = None, threading.Lock()
            return other

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the stepper; refuse a second user."""
        if not self._lock.acquire(blocking=False):
            self._refuse()
        try:
            yield
        finally:
            self._lock.release()

    def _refuse(self) -> Never:
        raise StateError(
            "this stepper is in use by another thread, or by a function that it calls; give each "
            "its own: stepper.copy()"
        )

    def __copy__(self) -> Stepper:
        """As `copy`."""
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Stepper:
        """As `copy`."""
        return self.copy()

    def __reduce__(self) -> Never:
        """Refuse pickling: user functions have addresses in this process."""
        raise CopyError(
            "a Stepper cannot be pickled; make one in each process, from the system and a state"
        )

    def __repr__(self) -> str:
        """Time, step and integrator."""
        settings = self._run.machine.settings
        return folded(
            f"Stepper of {self.system.name or 'a system'} at t = {self.time:.9g} s, steps of "
            f"{settings.step:g} s, {self.integrator}"
        )
