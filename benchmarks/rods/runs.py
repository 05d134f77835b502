"""Runs of the motions of rods: lissom's rods and Exudyn's elements, and the converged motions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lissom.sim import GeneralizedAlpha

from ..peers.exudyn_rods import ExudynRods
from ..peers.result import PeerRun
from ..peers.twins import installed
from ..simulation.own_runs import OwnRun, body_points, own_run
from ..simulation.swinging_runs import GENERALIZED_ALPHA, Point
from .motions import RodMotion

EXPLICIT = "dop853"
ADAPTIVE = f"{GENERALIZED_ALPHA}, adaptive"
# Stretch and shear of lissom's rods: half as many functions as of curvature, or the default.
DEFAULT: dict[str, Any] = {"stretch": 1, "shear": 0}
SHEAR = {"": {}, ", default": DEFAULT}


@dataclass(frozen=True)
class Plan:
    """Extent of the runs.

    Parameters
    ----------
    functions, elements : tuple of int
        Functions of curvature of lissom's rods, elements of Exudyn's.
    parts : tuple of int
        Steps between two records, for fixed steps.
    rtols, explicit_rtols : tuple of float
        Tolerances of adaptive runs.
    peer_tolerances : tuple of float
        Tolerances of Exudyn's iteration.
    finest : tuple of int
        Functions and elements of the converged motions.
    part : float
        Part of the duration that is run.
    rounds : int
        Visits to each run.
    """

    functions: tuple[int, ...] = (3, 4, 6, 8)
    elements: tuple[int, ...] = (4, 8, 16, 32, 64, 128)
    parts: tuple[int, ...] = (2, 3, 4, 5, 10, 20, 40)
    rtols: tuple[float, ...] = (1e-2, 1e-3, 1e-4, 1e-5)
    explicit_rtols: tuple[float, ...] = (1e-2, 1e-3, 1e-4)
    peer_tolerances: tuple[float, ...] = (1e-6, 1e-4)
    finest: tuple[int, int] = (12, 128)
    part: float = 1.0
    rounds: int = 2

    def shortened(self, motion: RodMotion) -> RodMotion:
        """Motion over the part of its duration that is run."""
        records = max(1, round(self.part * motion.duration / motion.output_step))
        return replace(motion, duration=records * motion.output_step)


def error(run: PeerRun, exact: PeerRun, length: float) -> float:
    """Largest distance of an end from where it is in the converged motion, in lengths.

    Parameters
    ----------
    run, exact : PeerRun
        Runs with the same record.
    length : float
        Length of a rod [m].
    """
    if not np.allclose(run.time, exact.time, rtol=0.0, atol=1e-9):
        raise ValueError(f"{run.name} and {exact.name} were recorded at different times")
    return float(np.linalg.norm(run.ends - exact.ends, axis=2).max() / length)


def own_start(motion: RodMotion, functions: int, **asked: Any) -> Callable[..., OwnRun | None]:
    """Simulation by lissom, for options of `simulate`.

    Parameters
    ----------
    motion : RodMotion
        What moves.
    functions, **asked
        As for `RodMotion.model`.
    """
    system = motion.model(functions, **asked).compile()
    return functools.partial(
        own_run,
        system,
        body_points(system, [(end, (0.0, 0.0, 0.0)) for end in motion.ends]),
        duration=motion.duration,
        output_step=motion.output_step,
        loads=motion.loads,
    )


def planned(motion: RodMotion, plan: Plan) -> dict[Point, Callable[[], Any]]:
    """Calls by point.

    Parameters
    ----------
    motion : RodMotion
        What moves.
    plan : Plan
        Extent of the runs.
    """
    calls: dict[Point, Callable[[], Any]] = {}
    for functions in plan.functions:
        for word, asked in SHEAR.items():
            start, model = own_start(motion, functions, **asked), f"{functions} functions{word}"
            ways = [(GENERALIZED_ALPHA, "step", motion.output_step / n) for n in plan.parts]
            ways += [(ADAPTIVE, "rtol", rtol) for rtol in plan.rtols]
            if asked:  # shear has frequencies that no explicit method can follow
                ways += [(EXPLICIT, "rtol", rtol) for rtol in plan.explicit_rtols]
            for method, kind, value in ways:
                call = functools.partial(start, integrator=method.split(",")[0], **{kind: value})
                calls[Point("lissom", model, method, kind, value)] = call
    if installed("exudyn"):
        calls |= _peer_calls(motion, plan)
    return calls


def _peer_calls(motion: RodMotion, plan: Plan) -> dict[Point, Callable[[], Any]]:
    calls: dict[Point, Callable[[], Any]] = {}
    for elements in plan.elements:
        for tolerance in plan.peer_tolerances:
            peer = ExudynRods(motion, elements, tolerance=tolerance)
            method = f"generalised α, Newton {tolerance:.0e}"
            for n in plan.parts:
                point = Point(
                    "Exudyn", f"{elements} elements", method, "step", motion.output_step / n
                )
                calls[point] = functools.partial(peer_run, peer, point.value)
    return calls


def peer_run(peer: ExudynRods, step: float) -> PeerRun | None:
    """Simulation by Exudyn; None if its iteration fails.

    Parameters
    ----------
    peer : ExudynRods
        Model.
    step : float
        Fixed step [s].
    """
    try:
        return peer.run(peer.motion.duration, step, peer.motion.output_step)
    except peer.exu.SolverError:
        return None


def exact_motion(motion: RodMotion, plan: Plan) -> tuple[PeerRun, float | None]:
    """Converged motion by rods, and its distance from Exudyn's, in lengths.

    Rods: the most functions of all strains, two steps, extrapolated.  Exudyn: two meshes with two
    steps each, extrapolated in both.

    Parameters
    ----------
    motion : RodMotion
        What moves.
    plan : Plan
        Extent of the runs.
    """
    functions, elements = plan.finest
    exact = fine_motion(motion, functions, **whole(motion, functions))
    if not installed("exudyn"):
        return exact, None
    meshes = []
    for n in (elements // 2, elements):
        peer = ExudynRods(motion, n)
        steps = (motion.fine_step, motion.fine_step / 2)
        meshes.append(limit(*(peer_run(peer, step) for step in steps)))
    return exact, error(limit(*meshes), exact, motion.length)


def fine_motion(motion: RodMotion, functions: int, **asked: Any) -> PeerRun:
    """Motion of rods with two small steps, extrapolated.

    Parameters
    ----------
    motion : RodMotion
        What moves.
    functions, **asked
        As for `RodMotion.model`.
    """
    start = own_start(motion, functions, **asked)
    method = GeneralizedAlpha(spectral_radius=0.9, tolerance=1e-10)
    steps = (motion.fine_step, motion.fine_step / 2)
    return limit(*(start(integrator=method, step=step) for step in steps))


def whole(motion: RodMotion, functions: int) -> dict[str, Any]:
    """As many functions of stretch and shear as of curvature.

    Parameters
    ----------
    motion : RodMotion
        What moves.
    functions : int
        Their number.
    """
    return {"stretch": functions, "shear": (functions, 0) if motion.planar else functions}


def limit(coarse: PeerRun | None, fine: PeerRun | None) -> PeerRun:
    """Extrapolation of two runs of second order, the second with half the step or mesh.

    Parameters
    ----------
    coarse, fine : PeerRun
        The runs.
    """
    if coarse is None or fine is None:
        raise RuntimeError("a run for the converged motion ended early")
    return replace(fine, ends=(4 * fine.ends - coarse.ends) / 3)
