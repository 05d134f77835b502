"""Simulations by lissom in the form of the other libraries, and the fastest of several runs."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from lissom.algorithms import pose
from lissom.errors import SimulationWarning
from lissom.sim import Load, simulate
from lissom.system import State, System

from ..peers.result import PeerRun
from ..peers.trees import Point
from .reference_solution import link_points

Array = np.ndarray
Key = TypeVar("Key", bound=Hashable)
SomeRun = TypeVar("SomeRun", bound=PeerRun)

# Ends and middles of links from coordinates and speeds (n, n_q), (n, n_v).
Places = Callable[[Array, Array], tuple[Array, Array | None]]


@dataclass(frozen=True)
class OwnRun(PeerRun):
    """One simulation by lissom; seconds: CPU time of the whole call.

    Parameters
    ----------
    statistics : dict
        Statistics of the run: steps, evaluations, wall-clock seconds of the integration alone.
    """

    statistics: dict[str, Any] = field(default_factory=dict)


def own_run(
    system: System,
    places: Places,
    state: State | None = None,
    *,
    duration: float,
    output_step: float,
    loads: Sequence[Load] = (),
    name: str = "lissom",
    **options: Any,
) -> OwnRun | None:
    """Simulation; None if the run ended early, as explicit methods do if the step is too large.

    Parameters
    ----------
    system : System
        Simulated system.
    places : callable
        Points to record, from coordinates and speeds.
    state : State, optional
        Initial state.
    duration, output_step : float
        Simulated time and time between records [s].
    loads : sequence of Load
        Loads on the system.
    name : str
        Name of the result.
    **options
        Arguments of `simulate`: integrator, step, rtol.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        begin = time.process_time()
        run = simulate(
            system,
            state,
            duration=duration,
            output_step=output_step,
            loads=loads,
            progress=False,
            **options,
        )
        seconds = time.process_time() - begin
    if run.status != "finished":
        return None
    ends, middles = places(run.q, run.v)
    return OwnRun(name, seconds, run.time, ends, middles, dict(run.statistics))


def link_places(system: System) -> Places:
    """Ends and middles of links with nodes "tip" and "middle".

    Parameters
    ----------
    system : System
        System such as `swinging_links`.
    """
    return lambda q, v: link_points(system, q, v)


def body_points(system: System, ends: Sequence[Point], middles: Sequence[Point] = ()) -> Places:
    """Given points of bodies as ends and middles of links.

    Parameters
    ----------
    system : System
        System with the bodies.
    ends, middles : sequence of Point
        Names of bodies, and points in their frames [m].
    """

    def at(points: Sequence[Point], states: list[State]) -> Array:
        found = []
        for state in states:
            frames = [pose(system, state, body) for body, _ in points]
            spots = [np.asarray(place, dtype=float) for _, place in points]
            found.append([f.position + f.rotation @ s for f, s in zip(frames, spots, strict=True)])
        return np.array(found)

    def places(q: Array, v: Array) -> tuple[Array, Array | None]:
        states = [system.state(*row) for row in zip(q, v, strict=True)]
        return at(ends, states), at(middles, states) if middles else None

    return places


def best_runs(
    calls: Mapping[Key, Callable[[], SomeRun | None]],
    rounds: int,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Key, SomeRun]:
    """Fastest run of each call, over rounds that visit all of them in turn.

    Like `best_times` for short calls: compared runs see the same load of the computer.  There is no
    separate warm-up, since runs take long; the first round serves as one.

    Parameters
    ----------
    calls : mapping
        Calls by key; a call that returns None is not repeated and is left out.
    rounds : int
        Number of visits to each.
    progress : callable, optional
        Called with (visits done, total visits).
    """
    best: dict[Key, SomeRun] = {}
    failed: set[Key] = set()
    for turn in range(rounds):
        for place, (key, call) in enumerate(calls.items()):
            if progress is not None:
                progress(turn * len(calls) + place, rounds * len(calls))
            run = None if key in failed else call()
            if run is None:
                failed.add(key)
            elif key not in best or run.seconds < best[key].seconds:
                best[key] = run
    return best
