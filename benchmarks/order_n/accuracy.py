"""Agreement of runs of the Order-N platform: between methods and between steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lissom.algorithms import forward_dynamics, mass_matrix, pose
from lissom.results import Trajectory
from lissom.system import State

from .runs import METHODS, WAYS, Case, CaseRun, Runs, apart, case_of, timed_run

Array = np.ndarray

UNIT = float(np.finfo(float).eps) / 2

# Joint whose acceleration is shown in the paper's Figure 3.
PITCH = "leg2_shoulder_pitch"


def acceleration_record(case: Case, motion: Trajectory, states: int) -> dict[str, Any]:
    """Largest difference of the accelerations by the two methods, along a run.

    Parameters
    ----------
    case : Case
        Simulated case.
    motion : Trajectory
        Run of the case.
    states : int
        Number of its states to compare, evenly spaced.
    """
    rows = np.unique(np.linspace(0, len(motion.time) - 1, states).astype(int))
    worst = rounding = 0.0
    for row in rows:
        state = case.system.state(motion.q[row], motion.v[row])
        forces, external = _acting(case, state)
        one, other = (
            forward_dynamics(case.system, state, forces, external=external, method=method)
            for method in METHODS
        )
        worst = max(worst, float(np.abs(one - other).max() / np.abs(one).max()))
        rounding = max(rounding, UNIT * float(np.linalg.cond(mass_matrix(case.system, state))))
    return {
        "kind": "accelerations",
        "case": case.number,
        "states": len(rows),
        "largest": worst,
        "rounding": rounding,
    }


def _acting(case: Case, state: State) -> tuple[Array, dict[str, Array]]:
    """Forces like those of the runs: joint damping, and forces on the plate and the object."""
    forces = np.zeros(case.system.n_v)
    for name, joint in zip(case.system.names, case.system.joints, strict=True):
        if joint.n_v == 1:
            forces[case.system.layout.hinge_v(name)] = -20.0 * state[f"{name}.rates"]
    external = {}
    for body in case.watched:
        turn = pose(case.system, state, body).rotation.T
        external[body] = np.concatenate([turn @ [5.0, -5.0, 10.0], turn @ [20.0, 10.0, 5.0]])
    return forces, external


def converged(case: Case, duration: float) -> CaseRun:
    """Converged run as a reference: order eight, with steps that resolve every vibration.

    Parameters
    ----------
    case : Case
        Simulated case.
    duration : float
        Simulated time [s].
    """
    found = timed_run(case, duration, integrator="dop853", rtol=1e-8)
    if not found.finished:
        raise RuntimeError(f"the accurate run of case {case.number} ended: {found.motion.message}")
    return found


def implicit_records(
    case: Case,
    exact: CaseRun,
    runs: Runs,
    steps: Sequence[float],
    tell: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Cost and error of implicit runs with several steps, and of the paper's method.

    Parameters
    ----------
    case : Case
        Simulated case.
    exact : CaseRun
        Converged run.
    runs : dict
        Existing runs.
    steps : sequence of float
        Further steps to try [s].
    tell : callable
        Called with the current activity.
    """
    trials = {}
    for way in WAYS:
        options, found = case.options(way), runs[case.number, way, "articulated"]
        if found.duration < exact.duration:
            tell(f"case {case.number}, {way}, whole")
            found = timed_run(case, exact.duration, method="articulated", **options)
        trials[way, options["step"]] = found
    for step in steps:
        tell(f"case {case.number}, steps of {1e3 * step:g} ms")
        trials[WAYS[1], step] = timed_run(
            case, exact.duration, method="articulated", **case.options(WAYS[1]) | {"step": step}
        )
    return [
        {
            "kind": "implicit",
            "case": case.number,
            "way": way,
            "step": step,
            "duration": found.duration,
            "seconds": found.seconds,
            "wall seconds": found.wall,
            "status": found.motion.status,
            **{
                f"{body} error": apart(case, found, exact, (body,)) if found.finished else None
                for body in case.watched
            },
            **{f"{body} moved": _way_of(exact, body) for body in case.watched},
        }
        for (way, step), found in sorted(trials.items(), reverse=True)
    ]


def _way_of(run: CaseRun, body: str) -> float:
    """Largest displacement of a body's centre [m]."""
    places = run.places(body)
    return float(np.linalg.norm(places - places[0], axis=1).max())


def motion_records(chosen: Sequence[int], runs: Runs) -> list[dict[str, Any]]:
    """Motions for the figure: the last case by both methods, and its partner with rigid booms.

    Parameters
    ----------
    chosen : sequence of int
        Cases, ascending.
    runs : dict
        Existing runs.
    """
    last = chosen[-1]
    shown = [(last, method) for method in METHODS]
    if case_of(last).flexible and last - 4 in chosen:
        shown.append((last - 4, "articulated"))
    records = []
    for number, method in shown:
        case, found = case_of(number), runs[number, WAYS[1], method]
        pitch = found.motion.acceleration[:, case.system.layout.hinge_v(PITCH).start]
        records.append(
            {
                "kind": "motion",
                "case": number,
                "method": method,
                "time": _rounded(found.motion.time),
                "pitch": _rounded(pitch),
                **{body: [_rounded(row) for row in found.places(body)] for body in case.watched},
            }
        )
    return records


def _rounded(values: Array) -> list[float]:
    return [float(f"{x:.5g}") for x in values]
