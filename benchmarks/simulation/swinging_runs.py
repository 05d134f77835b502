"""Runs of swinging flexible links in every model by every method, and the converged motions.

A *model* is one set of equations: links with modes, rigid segments with springs, beam elements.  A
*curve* is one method of one library on one model; its points are steps or tolerances.  The error of
a point is its distance from the converged motion of the same model.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lissom.library import swinging_links
from lissom.sim import JointSpring
from lissom.system import System

from ..peers.exudyn_beams import ExudynBeams
from ..peers.exudyn_floating import ExudynFloating
from ..peers.result import Peer, PeerRun
from ..peers.runs import flexible_peers
from ..peers.segments import segmented_links
from .own_runs import OwnRun, body_points, link_places, own_run

SEGMENTS, BEAMS = "segments", "beam elements"
# Three static shapes in the plane of the motion; with two a link between hinges has no bow.
SHAPES = {"3 shapes": "full", "3 shapes, stiffened": "stiffened"}
GENERALIZED_ALPHA = "generalized_alpha"


def modal(modes: int) -> str:
    """Name of the model with `modes` modes per link."""
    return f"{modes} modes"


@dataclass(frozen=True, order=True)
class Point:
    """One simulation: a point of a curve.

    Parameters
    ----------
    library, model, method : str
        Names of library, model and method.
    kind : {"step", "rtol"}
        Kind of the value: a fixed step [s] or a relative tolerance.
    value : float
        Step or tolerance.
    """

    library: str
    model: str
    method: str
    kind: str
    value: float

    @property
    def setting(self) -> str:
        """Value as text."""
        return f"{1e3 * self.value:.3g} ms" if self.kind == "step" else f"rtol {self.value:.0e}"

    @property
    def curve(self) -> tuple[str, str, str]:
        """Library, model and method."""
        return self.library, self.model, self.method


@dataclass(frozen=True)
class Plan:
    """Extent of the runs.

    Parameters
    ----------
    n_link, duration : int, float
        Number of links, and simulated time [s].
    modes, swept : tuple of int
        Numbers of modes per link; those with curves, not only runs at 1 ms.
    steps, rtols, peer_steps, segment_steps : tuple of float
        Points of the curves [s], of lissom's adaptive methods, of Exudyn's models, of segments.
    beam_steps : tuple of float
        Two steps whose extrapolation is the converged motion of beam elements [s].
    rounds, sweep_rounds : int
        Visits to runs at 1 ms, and to the others.
    """

    n_link: int = 10
    duration: float = 1.0
    modes: tuple[int, ...] = (4, 10)
    swept: tuple[int, ...] = (4, 10)
    steps: tuple[float, ...] = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 2e-2)
    rtols: tuple[float, ...] = tuple(10.0**-k for k in range(3, 10))
    peer_steps: tuple[float, ...] = (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4)
    # Runge and Kutta's method is stable up to 1.9 ms with four segments.
    segment_steps: tuple[float, ...] = (0.02 / 12, 1.25e-3, 1e-3, 5e-4, 2.5e-4)
    beam_steps: tuple[float, float] = (1e-4, 5e-5)
    rounds: int = 6
    sweep_rounds: int = 2
    output_step: float = field(default=0.02, init=False)


def planned(plan: Plan, at: float) -> tuple[dict[Point, Callable[[], Any]], list[str]]:
    """Calls by point, and the libraries that are not installed.

    Parameters
    ----------
    plan : Plan
        Extent of the runs.
    at : float
        Step for all models, including those without curves [s].
    """
    calls: dict[Point, Callable[[], Any]] = {}
    absent: dict[str, None] = {}
    for modes in plan.modes:
        sweep = modes in plan.swept
        peers = flexible_peers(plan.n_link, modes)
        calls |= _own_modal(plan, modes, plan.steps if sweep else (at,), sweep)
        first = modes == plan.modes[0]
        for name, peer in peers.items():
            model = modal(modes) if name == ExudynFloating.name else _other_model(name)
            if peer is None:
                absent[name.split(",")[0]] = None
            elif model == modal(modes) or first:
                steps = plan.segment_steps if model == SEGMENTS else plan.peer_steps
                calls |= _peer_calls(plan, name, model, peer, steps if sweep else (at,))
    calls |= _own_segments(plan)
    for model in SHAPES:
        calls |= _own_calls(model, _shaped_start(plan, model), _ways(plan, plan.steps, sweep=True))
    return dict(sorted(calls.items())), list(absent)


def _other_model(name: str) -> str:
    return BEAMS if name == ExudynBeams.name else SEGMENTS


def _peer_calls(
    plan: Plan, name: str, model: str, peer: Peer, steps: tuple[float, ...]
) -> dict[Point, Callable[[], Any]]:
    library = name.split(",")[0]
    method = "generalised α" if library == "Exudyn" else "rk4"
    return {
        Point(library, model, method, "step", step): functools.partial(
            peer.run, plan.duration, step, plan.output_step
        )
        for step in steps
    }


def _own_calls(
    model: str, start: Callable[..., Any], ways: Mapping[str, tuple[Any, str, tuple[float, ...]]]
) -> dict[Point, Callable[[], Any]]:
    """Calls of lissom: ways are method -> (integrator, kind, values)."""
    return {
        Point("lissom", model, method, kind, value): functools.partial(
            start, integrator=integrator, **{kind: value}
        )
        for method, (integrator, kind, values) in ways.items()
        for value in values
    }


def _own_modal(
    plan: Plan, modes: int, steps: tuple[float, ...], sweep: bool
) -> dict[Point, Callable[[], Any]]:
    start = _started(plan, swinging_links(plan.n_link, modes).compile())
    return _own_calls(modal(modes), start, _ways(plan, steps, sweep=sweep))


def _ways(
    plan: Plan, steps: tuple[float, ...], *, sweep: bool
) -> dict[str, tuple[Any, str, tuple[float, ...]]]:
    """Methods of lissom for links that bend: method -> (integrator, kind, values)."""
    ways: dict[str, tuple[Any, str, tuple[float, ...]]] = {
        name: (name, "step", steps)
        for name in (GENERALIZED_ALPHA, "linearly_implicit_euler", "euler_cromer", "rk4")
    }
    ways["dop853"] = ("dop853", "rtol", plan.rtols if sweep else (1e-3, 1e-8))
    if sweep:
        # Tighter tolerances cost more than explicit methods of the same accuracy.
        few = tuple(r for r in plan.rtols if r > 3e-7)
        ways["generalized_alpha, adaptive"] = (GENERALIZED_ALPHA, "rtol", few)
    return ways


def _shaped_start(plan: Plan, model: str) -> Callable[..., OwnRun | None]:
    links = swinging_links(plan.n_link, 3, SHAPES[model], planar=True, shapes="static")
    return _started(plan, links.compile())


def _started(plan: Plan, system: System) -> Callable[..., OwnRun | None]:
    return functools.partial(
        own_run,
        system,
        link_places(system),
        duration=plan.duration,
        output_step=plan.output_step,
    )


def _segment_start(plan: Plan, segments: int = 4) -> Callable[..., OwnRun | None]:
    cut = segmented_links(plan.n_link, segments)
    system = cut.model.compile()
    springs = [
        JointSpring(name, float(stiffness))
        for name, stiffness in zip(system.names, cut.stiffness, strict=True)
        if stiffness
    ]
    places = body_points(system, cut.ends, cut.middles)
    return functools.partial(
        own_run,
        system,
        places,
        loads=springs,
        duration=plan.duration,
        output_step=plan.output_step,
    )


def _own_segments(plan: Plan) -> dict[Point, Callable[[], Any]]:
    large = tuple(step for step in plan.steps if step >= 1e-3)
    return _own_calls(
        SEGMENTS,
        _segment_start(plan),
        {
            "rk4": ("rk4", "step", plan.segment_steps),
            GENERALIZED_ALPHA: (GENERALIZED_ALPHA, "step", large),
            "dop853": ("dop853", "rtol", plan.rtols),
        },
    )


def exact_motions(plan: Plan, fine: bool) -> dict[str, PeerRun]:
    """Converged motion of each model that can be run here.

    Links with modes and segments: lissom's dop853 with a relative tolerance of 1e-11.  Beam
    elements: Exudyn with two small steps, extrapolated.

    Parameters
    ----------
    plan : Plan
        Extent of the runs.
    fine : bool
        Whether to add finer models: ten segments and eight elements per link.
    """
    starts = {
        modal(modes): _started(plan, swinging_links(plan.n_link, modes).compile())
        for modes in plan.modes
    }
    starts |= {model: _shaped_start(plan, model) for model in SHAPES}
    starts[SEGMENTS] = _segment_start(plan)
    if fine:
        starts[f"10 {SEGMENTS}"] = _segment_start(plan, 10)
    found: dict[str, PeerRun] = {}
    for model, start in starts.items():
        run = start(integrator="dop853", rtol=1e-11)
        if run is None:
            raise RuntimeError(f"the accurate simulation with {model} ended early")
        found[model] = run
    if flexible_peers(1)[ExudynBeams.name] is not None:
        found[BEAMS] = _exact_beams(plan, 4)
        if fine:
            found[f"8 {BEAMS}"] = _exact_beams(plan, 8)
    return found


def _exact_beams(plan: Plan, elements: int) -> PeerRun:
    peer = ExudynBeams(plan.n_link, elements)
    coarse, small = (peer.run(plan.duration, s, plan.output_step) for s in plan.beam_steps)
    far = (plan.beam_steps[0] / plan.beam_steps[1]) ** 2

    def limit(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray:
        assert a is not None and b is not None
        return (far * b - a) / (far - 1)

    ends, middles = limit(coarse.ends, small.ends), limit(coarse.middles, small.middles)
    return PeerRun("Exudyn, beam elements", small.seconds, small.time, ends, middles)
