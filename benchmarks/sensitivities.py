"""Gradients of runs by the adjoint method, in multiples of the time of the run alone."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom.errors import SimulationWarning
from lissom.library import flexible_chain, rigid_chain
from lissom.model import Model
from lissom.sim import Actuator, Load, NodeSpring, Table as Signal, gradient, simulate
from lissom.system import State, System

from .depth import Depth
from .result import Requirement, Result, Table
from .timing import Progress, best_times

Array = np.ndarray

STEPS = {"quick": 20, "normal": 1000, "full": 4000}
MODES = 4  # of each flexible link
PIECES = ("mass", "com", "inertia")
AIM = 5.0
VALUES = 11  # of the table of the control

ABOUT = """Value and gradient of one number of a run, by the values of a table that drives the first
joint, by the initial state, and where it is said by parameters of the design: `gradient` over
`simulate` with the same steps. The gradient contains a run; with generalized-α that run carries its
iterations to their end, and the run it is compared with does not. Rigid and flexible links (four
modes each, level `full`) in chains, from a random state at rest."""


@dataclass(frozen=True)
class Way:
    """What is measured: a chain, a method and its step, and what else is there."""

    links: int
    flexible: bool
    method: str
    step: float
    parameters: bool = False
    spring: bool = False

    @property
    def label(self) -> str:
        """Name of the mechanism in tables."""
        words = f"{self.links} {'flexible' if self.flexible else 'rigid'} links"
        if self.parameters:
            words += f", {10 * self.links} parameters"
        return words + (", a spring between nodes" if self.spring else "")

    @property
    def model(self) -> Model:
        """The chain."""
        return flexible_chain(self.links, MODES) if self.flexible else rigid_chain(self.links)


RIGID = tuple(Way(n, False, "rk4", 1e-4) for n in (6, 12, 30))
SOFT = tuple(Way(n, True, "rk4", 1e-4) for n in (2, 4, 8))
STIFF = tuple(Way(n, True, "generalized_alpha", 1e-3) for n in (2, 4, 8))
MORE = (Way(6, False, "rk4", 1e-4, parameters=True), Way(4, True, "rk4", 1e-4, spring=True))
WAYS = {"quick": (RIGID[0], STIFF[0]), "normal": (*RIGID, *SOFT, *STIFF, *MORE)}


def run(depth: Depth, progress: Progress) -> Result:
    """Times of gradients and of the runs alone.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    ways, steps = WAYS.get(depth.name, WAYS["normal"]), STEPS[depth.name]
    times: dict[Way, tuple[float, float]] = {}
    for k, way in enumerate(ways):
        progress(f"{way.label}, {way.method}", k, len(ways))
        times[way] = _timed(way, steps, depth)
    return Result(
        name="sensitivities",
        title="Gradients of runs",
        about=ABOUT,
        tables=(_table(times, steps),),
        requirements=(_requirement(times),),
        records=tuple(
            {"links": way.label, "method": way.method, "run": alone, "gradient": whole}
            for way, (alone, whole) in times.items()
        ),
    )


def _timed(way: Way, steps: int, depth: Depth) -> tuple[float, float]:
    """Seconds of a run and of its gradient."""
    system = way.model.compile()
    duration = steps * way.step
    given: dict[str, Any] = {"duration": duration, "step": way.step, "integrator": way.method}
    controls = [_control(system, duration)]
    state, springs = _state(system), _springs(system) if way.spring else []
    names = [f"{x}.{piece}" for x in system.names for piece in PIECES] if way.parameters else []
    calls: dict[str, Callable[[], object]] = {
        "run": functools.partial(simulate, system, state, loads=[*controls, *springs], **given),
        "gradient": functools.partial(
            gradient, system, state, _last_speeds, controls=controls, loads=springs,
            parameters=names, **given,
        ),
    }  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        best = best_times(calls, depth)
    return best["run"], best["gradient"]


def _state(system: System) -> State:
    """Random angles, at rest."""
    rng, q = np.random.default_rng(1992), system.neutral().q.copy()
    for name in system.names:
        q[system.layout.hinge_q(name)] = 0.3 * rng.standard_normal(1)
    return system.state(q)


def _control(system: System, duration: float) -> Actuator:
    values = np.random.default_rng(1990).standard_normal(VALUES)
    return Actuator(system.names[0], Signal(np.linspace(0, duration, VALUES), values))


def _springs(system: System) -> list[Load]:
    return [NodeSpring(system.names[0], system.names[-1], 1.0)]


def _last_speeds(time: Array, q: Array, v: Array) -> tuple[float, Array, Array]:
    """Sum of squares of the last speeds."""
    by_v: Array = np.zeros_like(v)
    by_v[-1] = v[-1]
    return 0.5 * float(v[-1] @ v[-1]), np.zeros_like(q), by_v


def _table(times: dict[Way, tuple[float, float]], steps: int) -> Table:
    rows: list[tuple[Any, ...]] = []
    for way, (alone, whole) in times.items():
        speeds = way.links * (1 + MODES if way.flexible else 1)
        cells = (1e3 * alone, 1e3 * whole, whole / alone)
        rows.append((way.label, speeds, way.method.replace("_", " "), *cells))
    header = ("chain", "speeds", "method", "run [ms]", "gradient [ms]", "gradient over run")
    return Table(f"{steps} steps", header, tuple(rows))


def _requirement(times: dict[Way, tuple[float, float]]) -> Requirement:
    ratios = {whole / alone: way for way, (alone, whole) in times.items()}
    worst = max(ratios)
    where = f"{ratios[worst].label}, {ratios[worst].method.replace('_', ' ')}"
    text = "gradient of a run over the run alone"
    return Requirement("gradients", text, "at most", AIM, worst, where, unit="×", aim=True)
