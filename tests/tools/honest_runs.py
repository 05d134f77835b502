"""The default run of a drawing beside a converged one.

The converged run knows what the default one must find out: it begins at zero, is restarted at the
corners of all functions and tables, has the derivatives of given motions, keeps a tolerance of
1e-12, and finds events by itself: the sign of what is watched changes between two of a thousand
rows, bisection by runs of its own gives the instant, a lock is a velocity of zero after an impulse
from the mass matrix.  More runs, one tolerance away from their start or from their middle on, and
one unit in the last place of the time away, show how much the motion itself makes of a small error.
A tolerance of speeds is a part of their size and of themselves, as `simulate` has it: a pendulum
that is spun up from rest may be off by much more later than at its start.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import brentq

import lissom as ls
from lissom.algorithms.tree.coordinates import error_sizes, moved

ALLOWED = 10.0  # times the tolerance, or the spread of a run that started one tolerance away
TIGHT = 1e-12
PATIENCE = 20.0  # seconds of work for each run, of a converged one for all its parts
BUSY = 4.0  # seconds on the wall that a second of work may take on a busy machine
ROWS = 1000  # of a converged run, among which events are looked for

Loads = list[ls.Load]


class TooLong(RuntimeError):
    """The converged run took too long: there is nothing to compare with."""


@dataclass(frozen=True)
class Change:
    """What happens once at an instant, or when a number passes zero.

    Attributes
    ----------
    actions : of the event; locks and releases name a joint, switches a load.
    instant : time since the start, if it is known.
    watch : f(time since the start, state), if it is not.
    direction : sign of the passage; 0: both.
    """

    actions: Sequence[ls.Action]
    instant: float | None = None
    watch: Callable[[float, ls.State], float] | None = None
    direction: int = 0

    def passes(self, before: float, after: float) -> bool:
        """Whether the number passes zero between two values."""
        return before * after < 0 and self.direction * (after - before) >= 0


@dataclass
class Case:
    """One drawing.

    Attributes
    ----------
    loads : f(start, exact) -> loads of a run that begins there; with `exact` those of the converged
        one, in the same order.
    corners : instants since the start at which functions are not smooth.
    """

    number: int
    system: ls.System
    state: ls.State
    loads: Callable[[float, bool], Loads]
    corners: list[float]
    duration: float
    settings: dict[str, object]
    events: Callable[[float], list[ls.Event]] = lambda start: []
    changes: list[Change] = field(default_factory=list)
    start: float = 0.0
    words: list[str] = field(default_factory=list)

    @property
    def rtol(self) -> float:
        """Tolerance that the user may expect."""
        return float(self.settings.get("rtol", 1e-8))


@dataclass(frozen=True)
class Verdict:
    """What became of the default run."""

    case: Case
    error: float
    allowed: float
    told: str  # warning or error; empty: none
    steps: int

    @property
    def honest(self) -> bool:
        """Whether the run is right, or said that it may not be."""
        return self.error <= self.allowed or bool(self.told)

    def __str__(self) -> str:
        case = self.case
        return (
            f"{case.number}: error {self.error:.2e} of {self.allowed:.2e} allowed, {self.steps} "
            f"steps, {self.told[:60] or 'not told'}; {', '.join(case.words)}; {case.settings}"
        )


@dataclass(frozen=True)
class End:
    """State at the end of a run, and its time since the start."""

    state: ls.State
    time: float


def judged(case: Case) -> Verdict:
    """The default run against the converged one."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = ls.simulate(
                case.system,
                case.state,
                start=case.start,
                duration=case.duration,
                loads=case.loads(case.start, False),
                events=case.events(case.start),
                time_limit=BUSY * PATIENCE,
                **case.settings,
            )
        told = "; ".join(str(w.message) for w in caught)
        steps = run.statistics["steps"]
    except ls.LissomError as error:
        return Verdict(case, np.inf, 0.0, f"refused: {error}", 0)
    if run.status == "time limit":
        raise TooLong(f"case {case.number}: the run: {run.message}")
    if told or run.status not in ("finished", "event"):
        return Verdict(case, np.inf, 0.0, told or f"ended: {run.message}", steps)
    exact = converged(case, case.state)
    end = End(run.state(run.time[-1]), float(run.time[-1] - case.start))
    error = _distance(case.system, end, exact)
    allowed = ALLOWED * case.rtol
    if error <= allowed:
        return Verdict(case, error, allowed, told, steps)
    away = converged(case, _tolerance_away(case, case.state))
    spread = _distance(case.system, away, exact)
    if error > ALLOWED * spread:
        away = converged(case, case.state, nudged=True)
        spread = max(spread, _distance(case.system, away, exact))
    allowed = max(allowed, ALLOWED * spread)
    if case.start and error > allowed:
        late = float(np.spacing(case.start + case.duration))
        allowed += ALLOWED * _distance(case.system, converged(case, case.state, late), exact)
    if "step" in case.settings and "integrator" in case.settings and error > allowed:
        # The user's own choice: the run says how far off it is.
        estimate = run.statistics.get("estimated_error", 0.0)
        allowed = max(allowed, ALLOWED * estimate * max(1.0, spread / case.rtol))
    return Verdict(case, error, allowed, told, steps)


def _tolerance_away(case: Case, state: ls.State) -> ls.State:
    """A state one tolerance away in all that no motion drives."""
    sizes, system = error_sizes(case.system), case.system
    rng = np.random.default_rng(case.number)
    free = np.ones(system.n_v)
    for load in case.loads(0.0, True):
        if isinstance(load, ls.Motion):
            free[system.layout.hinge_v(load.joint)] = 0.0
    away = case.rtol * rng.choice([-1.0, 1.0], size=(2, system.n_v)) * free
    shifted = moved(system, state.q, away[0] * sizes[0])
    state = system.state(shifted, state.v + away[1] * (sizes[1] + np.abs(state.v)))
    return ls.assemble(system, state) if system.loops else state


def converged(case: Case, state: ls.State, late: float = 0.0, *, nudged: bool = False) -> End:
    """End of a run about time zero that is restarted at all corners and events.

    nudged: whether the state in the middle of the run is moved by one tolerance.
    """
    loads = {load.name or k: load for k, load in enumerate(case.loads(late, True))}
    off = {name for name, load in loads.items() if not load.on}
    locked: list[str] = []
    waiting = list(case.changes)
    middle = 0.5 * case.duration
    corners = sorted(
        {t + late for t in case.corners}
        | {t.instant for t in waiting if t.instant}
        | ({middle} if nudged else set())
    )
    now, after, deadline = 0.0, False, time.process_time() + PATIENCE
    while now < case.duration:
        end = next((t for t in [*corners, case.duration] if t > now + 1e-15), case.duration)
        acting = [replace(load, on=True) for name, load in loads.items() if name not in off]
        acting = [x for x in acting if not (isinstance(x, ls.Motion) and x.joint in locked)]
        acting += [ls.Motion(x, velocity=np.zeros(_speeds(case.system, x))) for x in locked]
        span = now, min(end, case.duration)
        state, now, change, integrals = _segment(
            case, state, span, acting, waiting, after, deadline
        )
        if nudged and now == middle and not locked:
            state = _tolerance_away(case, state)
        loads |= {name: replace(loads[name], integral=x) for name, x in integrals.items()}
        after = change is not None
        for one in [change] if change else [x for x in waiting if x.instant == now]:
            waiting.remove(one)
            for action in one.actions:
                match action:
                    case ls.Stop():
                        return End(state, now)
                    case ls.Switch(load, on):
                        (off.discard if on else off.add)(load)
                    case ls.Lock(joint) if joint not in locked:
                        held = [*locked, *(x.joint for x in acting if isinstance(x, ls.Motion))]
                        state = _stopped(case.system, state, joint, held)
                        locked.append(joint)
                    case ls.Release(joint) if joint in locked:
                        locked.remove(joint)
    return End(state, now)


def _speeds(system: ls.System, joint: str) -> int:
    return system.joints[system.names.index(joint)].n_v


def _segment(
    case: Case,
    state: ls.State,
    span: tuple[float, float],
    loads: Loads,
    waiting: list[Change],
    after: bool,
    deadline: float,
) -> tuple[ls.State, float, Change | None, dict[str, np.ndarray]]:
    """State, instant, what passed zero there (None: the end), and integrals of servos by name."""
    begin, end = span
    watched = [x for x in waiting if x.watch is not None]
    output = {"output_step": (end - begin) / ROWS} if watched and end - begin > 1e-9 else {}
    before = end - 4 * float(np.spacing(end))  # functions that jump at the end have not done so
    run = _tight(case, state, begin, before, loads, output, deadline)
    if not output:
        return run.state(run.time[-1]), end, None, _integrals(run, -1, loads)
    states = [run.state(t) for t in run.time]
    first = 1 if after else 0  # what has just passed zero has no sign
    for k in range(first, len(states) - 1):
        sides = [run.time[k], run.time[k + 1]]
        for change in watched:
            a, b = (change.watch(t, x) for t, x in zip(sides, states[k : k + 2], strict=True))
            if not change.passes(a, b):
                continue
            near, reached = _integrals(run, k, loads), {}
            again = [replace(x, integral=near[x.name]) if x.name in near else x for x in loads]

            def at(t: float, k: int = k, again: Loads = again, reached: dict = reached) -> ls.State:
                if t - run.time[k] < 1e-15:
                    return states[k]
                short = _tight(case, states[k], run.time[k], t, again, {}, deadline)
                reached |= _integrals(short, -1, again)
                return short.state(short.time[-1])

            instant = brentq(lambda t, c=change, at=at: c.watch(t, at(t)), *sides, xtol=1e-14)
            state = at(instant)
            return state, instant, change, near | reached
    return states[-1], end, None, _integrals(run, -1, loads)


def _integrals(run: ls.Trajectory, row: int, loads: Loads) -> dict[str, np.ndarray]:
    """Integrals of servos in a row, by the name of the load."""
    servos = [x for x in loads if isinstance(x, ls.Servo) and np.any(x.ki)]
    return {x.name: np.atleast_1d(run[f"{x.joint}.servo_integral"][row]) for x in servos}


def _tight(
    case: Case,
    state: ls.State,
    begin: float,
    end: float,
    loads: Loads,
    output: dict,
    deadline: float,
) -> ls.Trajectory:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = ls.simulate(
            case.system,
            state,
            start=begin,
            duration=end - begin,
            loads=loads,
            integrator="dop853",
            rtol=TIGHT,
            time_limit=max(BUSY * (deadline - time.process_time()), 1e-3),
            **output,
        )
    if run.status == "time limit":
        raise TooLong(f"case {case.number}: the converged run: {run.message}")
    if run.status != "finished":
        raise RuntimeError(f"case {case.number}: the converged run: {run.message}")
    return run


def _stopped(system: ls.System, state: ls.State, joint: str, held: Sequence[str]) -> ls.State:
    """State after the impulse that stops a joint while others keep their rates."""
    rows = [np.arange(system.n_v)[system.layout.hinge_v(name)] for name in (joint, *held)]
    S = np.eye(system.n_v)[np.concatenate(rows)]
    lost = S @ state.v
    lost[len(rows[0]) :] = 0.0
    changed = np.linalg.solve(ls.mass_matrix(system, state), S.T)
    v = state.v - changed @ np.linalg.solve(S @ changed, lost)
    v[rows[0]] = 0.0
    return system.state(state.q, v)


def _distance(system: ls.System, a: End, b: End) -> float:
    """Largest difference of two ends as tolerances measure it, with that of their times [s]."""
    position, rate = error_sizes(system)
    x, y = a.state, b.state
    worst = np.max(np.abs(x.v - y.v) / (rate + np.abs(y.v)), initial=abs(a.time - b.time))
    layout = system.layout
    for i, joint in enumerate(system.joints):
        modal = np.abs(x.q - y.q)[layout.modal_q(i)] / position[layout.modal_v(i)]
        one, other = x.q[layout.hinge_q(i)], y.q[layout.hinge_q(i)]
        if joint.has_quaternion and one[:4] @ other[:4] < 0:
            other = np.concatenate([-other[:4], other[4:]])
        worst = max(worst, np.max(modal, initial=0.0))
        worst = max(worst, np.max(np.abs(one - other), initial=0.0) / max(1.0, system.length))
    return float(worst)
