"""Runs of the Order-N platform: one case, one method, one integration scheme."""

from __future__ import annotations

import dataclasses
import functools
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import SimulationWarning
from lissom.library import order_n, order_n_loads, order_n_start
from lissom.results import Trajectory
from lissom.sim import Baumgarte, Load, simulate
from lissom.system import State, System

Array = np.ndarray

# Methods of `simulate`, and their names in tables.
METHODS = {"articulated": "O(N)", "composite": "mass matrix"}

# Key in place of a method: a run by the first method from a start changed by one bit.
LAST_BIT = "last bit"

# CPU seconds for 100 s of simulated time, O(N) and mass matrix, by case: the legible part of the
# paper's Table 2.  Its rows 1 to 4 and 9 are lost.
PAPER: dict[int, tuple[float, float]] = {
    5: (166.8, 174.0),
    6: (277.9, 423.6),
    7: (275.9, 478.0),
    8: (408.6, 1127.9),
    10: (48.0, 18.4),
    11: (59.4, 22.7),
    12: (133.8, 57.4),
    13: (613.4, 567.6),
    14: (937.2, 1402.0),
    15: (1037.9, 1551.2),
    16: (2257.3, 4063.9),
}

# The paper's scheme: Euler-Cromer, 1 ms with rigid booms and 0.1 ms with flexible ones, Baumgarte's
# stabilization, whose constants are not printed; with these a gap decays in 0.1 s.
STABILIZATION = Baumgarte(stiffness=100.0, damping=20.0)
WAYS = ("the paper's steps", "generalized-alpha")
IMPLICIT_STEP = 1e-2

OUTPUT_STEP = 0.1  # [s]


@dataclass(frozen=True)
class Case:
    """One of the sixteen cases.

    Parameters
    ----------
    number : int
        Number of the case in the paper, 1 to 16.
    system, state, loads
        System, initial state and loads.
    """

    number: int
    system: System
    state: State
    loads: tuple[Load, ...]

    @property
    def flexible(self) -> bool:
        """Whether its booms are flexible."""
        return self.modes > 0

    @property
    def configuration(self) -> int:
        """Number of the paper's configuration, 1 to 4."""
        return (self.number - 1) % 4 + 1

    @property
    def modes(self) -> int:
        """Number of modal speeds."""
        return sum(body.n_mode for body in self.system.bodies)

    @property
    def watched(self) -> tuple[str, ...]:
        """Bodies whose displacement is compared."""
        return tuple(name for name in ("top", "object") if name in self.system.names)

    @property
    def paper_step(self) -> float:
        """Step of the paper [s]."""
        return 1e-4 if self.flexible else 1e-3

    def options(self, way: str) -> dict[str, Any]:
        """Arguments of `simulate` for one of `WAYS`."""
        if way == WAYS[0]:
            own = {"integrator": "euler_cromer", "step": self.paper_step}
            return own | ({"drift": STABILIZATION} if self.system.loops else {})
        return {"integrator": "generalized_alpha", "step": IMPLICIT_STEP}


@dataclass(frozen=True)
class CaseRun:
    """Run of a case, with its cost.

    Parameters
    ----------
    seconds : float
        CPU time of the whole call of `simulate` [s].
    wall : float
        Wall-clock time of the call [s].
    motion : Trajectory
        The run; if it ended early, the part until then.
    """

    seconds: float
    wall: float
    motion: Trajectory

    @property
    def duration(self) -> float:
        """Simulated time [s]."""
        return float(self.motion.time[-1] - self.motion.time[0])

    @property
    def finished(self) -> bool:
        """Whether it reached the end."""
        return self.motion.status == "finished"

    def gap(self, case: Case) -> float | None:
        """Largest gap of a loop [m], angles times the system's length; None without loops."""
        gaps = [np.abs(self.motion[f"{loop.name}.gap"]).max() for loop in case.system.loops]
        return float(max(gaps)) if gaps else None

    def places(self, body: str) -> Array:
        """Positions of a body's centre, shape (rows, 3) [m]."""
        return np.asarray(self.motion[f"{body}.position"])


@functools.lru_cache(maxsize=16)
def case_of(number: int) -> Case:
    """One of the sixteen cases.

    Parameters
    ----------
    number : int
        Number of the case, 1 to 16.
    """
    system = order_n(number).compile()
    return Case(number, system, order_n_start(system), tuple(order_n_loads(system)))


def perturbed(case: Case) -> Case:
    """Case with one coordinate, the first leg's elbow, changed by its last bit.

    Parameters
    ----------
    case : Case
        Original case.
    """
    q = case.state.q.copy()
    place = case.system.layout.hinge_q("leg1_elbow").start
    q[place] = np.nextafter(q[place], np.inf)
    return dataclasses.replace(case, state=case.state.replace(q=q))


# (case, way, method) -> fastest run
Runs = dict[tuple[int, str, str], CaseRun]


def apart(
    case: Case,
    run: CaseRun,
    other: CaseRun,
    bodies: tuple[str, ...] = (),
    *,
    at_end: bool = False,
) -> float:
    """Largest distance between the same body in two runs, over their common times [m].

    Parameters
    ----------
    case : Case
        Simulated case.
    run, other : CaseRun
        Runs to compare.
    bodies : tuple of str
        Names of bodies; by default all that are compared.
    at_end : bool
        Whether to use only the last of these times.
    """
    times, here, there = np.intersect1d(
        run.motion.time.round(9), other.motion.time.round(9), return_indices=True
    )
    if len(times) < 2:
        raise ValueError(f"two runs of case {case.number} have no times in common")
    if at_end:
        here, there = here[-1:], there[-1:]
    return max(
        float(np.linalg.norm(run.places(b)[here] - other.places(b)[there], axis=1).max())
        for b in bodies or case.watched
    )


def timed_run(case: Case, duration: float, **options: Any) -> CaseRun:
    """Simulate a case from its initial state, and measure the time.

    Parameters
    ----------
    case : Case
        Case to simulate.
    duration : float
        Simulated time [s].
    **options
        Arguments of `simulate`: integrator, step, method, drift.
    """
    step = options.get("step")
    every = OUTPUT_STEP if step is None else max(1, round(OUTPUT_STEP / step)) * step
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        begin, shown = time.process_time(), time.perf_counter()
        motion = simulate(
            case.system,
            case.state,
            duration=duration,
            loads=case.loads,
            output_step=min(every, duration),
            progress=False,
            **options,
        )
        return CaseRun(time.process_time() - begin, time.perf_counter() - shown, motion)
