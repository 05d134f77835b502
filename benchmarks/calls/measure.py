"""What a call costs from arrays: dynamics, a tick of a controller, a step, a short run."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..depth import Depth
from ..peers.twins import installed
from ..result import Cell, Requirement, Result, Table
from ..timing import Progress, best_times, merge_best
from .quantities import QUANTITIES, check_same, own_calls, peer_calls
from .robots import FILES, LIBRARY, Twin, from_file, from_library
from .rollouts import COUNTS as ROLLOUTS, MANY, STEPS, rollout_times
from .ticks import COUNTS, JOINTS, STEP, step_times, steppers, tick_calls

SIZES = {"quick": (3,), "normal": (7, 30), "full": (7, 30)}
OWN = ("state", "arrays", "evaluator")
PEER = "Pinocchio"

# Pinocchio's time over the evaluator's.
REQUIRED = {"forward dynamics": 1.0, "inverse dynamics": 1.0}
OTHERS, AIM = 0.8, 1.5

# (mechanism, joints, quantity, form) -> seconds
Times = dict[tuple[str, int, str, str], float]

ABOUT = f"""One call from Python with NumPy arrays q and v, in microseconds of processor time.
*state*: a function of lissom with a `State` that exists already; *arrays*: the same function with
`(q, v)`, checked as a state is; *evaluator*: `system.evaluator()`, with all checks. Before anything
is timed, all forms and Pinocchio are checked to give the same numbers; of Pinocchio's two
conventions the faster one counts. A tick of a controller is gravity, PD control, forward dynamics
and a step of {STEP:g} s by the semi-implicit Euler method for {JOINTS} joints, in Python; steps of
`Stepper` and MuJoCo's `mj_step` contain their forward dynamics. The times of single steps are
wall-clock times with a clock reading each, on a computer that does other things too, with the
garbage collector off."""


def run(depth: Depth, progress: Progress) -> Result:
    """Times of calls, ticks, steps and rollouts.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    peers = [name for name in ("pin", "mujoco") if installed(name)]
    times: Times = {}
    for number in range(depth.passes):
        for twin_name, twin in _twins(depth, peer="pin" in peers):
            progress(f"calls of {twin_name}", number, depth.passes)
            times = merge_best(times, _calls(twin_name, twin, depth))
    ticks = best_times(tick_calls(peers), depth)
    steps = {name: step_times(one, COUNTS[depth.name]) for name, one in steppers().items()}
    progress("rollouts", 0, 1)
    rollouts = rollout_times(ROLLOUTS[depth.name])
    return Result(
        name="calls",
        title="Calls from arrays",
        about=ABOUT,
        tables=(*_tables(times), *_other_tables(ticks, steps, rollouts)),
        requirements=tuple(_requirements(times)),
        records=tuple(_records(times, ticks, steps, rollouts)),
    )


def _twins(depth: Depth, *, peer: bool) -> list[tuple[str, Twin]]:
    found = [
        (name, from_library(name, n, peer=peer)) for name in LIBRARY for n in SIZES[depth.name]
    ]
    robots = ((name, from_file(name, peer=peer)) for name in FILES)
    return found + [(name, twin) for name, twin in robots if twin is not None]


def _calls(name: str, twin: Twin, depth: Depth) -> Times:
    n = twin.system.n_v
    q, v, f = np.random.default_rng(1992).standard_normal((3, n))
    own = own_calls(twin, q, v, f)
    theirs = {} if twin.model is None else peer_calls(twin, q, v, f)
    check_same(name, own, theirs, twin.order)
    calls = own | {(quantity, f"{PEER} {form}"): call for (quantity, form), call in theirs.items()}
    best = best_times(dict(sorted(calls.items())), depth)
    return {(name, n, quantity, form): seconds for (quantity, form), seconds in best.items()}


def _peer(times: Times, *where: Any) -> float | None:
    """Time of the faster form of the peer."""
    found = [t for key, t in times.items() if key[:3] == where and key[3].startswith(PEER)]
    return min(found, default=None)


def _ratio(times: Times, *where: Any) -> float | None:
    peer = _peer(times, *where)
    return None if peer is None else peer / times[(*where, "evaluator")]


def _tables(times: Times) -> list[Table]:
    header = ("mechanism", "joints", *OWN, PEER, f"{PEER} over evaluator")
    cases = dict.fromkeys((mechanism, n) for mechanism, n, _, _ in times)
    return [
        Table(
            f"{quantity.capitalize()} [µs]",
            header,
            tuple(_row(times, mechanism, n, quantity) for mechanism, n in cases),
        )
        for quantity in QUANTITIES
    ]


def _row(times: Times, *where: Any) -> tuple[Cell, ...]:
    mechanism, n, _ = where
    peer = _peer(times, *where)
    own = (1e6 * times[(*where, form)] for form in OWN)
    return (mechanism, n, *own, None if peer is None else 1e6 * peer, _ratio(times, *where))


def _other_tables(
    ticks: dict[str, float], steps: dict[str, np.ndarray], rollouts: dict[str, float]
) -> list[Table]:
    rows = tuple((name, 1e6 * seconds) for name, seconds in ticks.items())
    found = [Table("One tick of a controller [µs]", ("library", "time"), rows)]
    header = ("steps of", "number", "median", "99.9th percentile", "largest")
    spread: list[tuple[Cell, ...]] = [
        (name, len(t), *(1e6 * x for x in _spread(t))) for name, t in steps.items()
    ]
    found.append(Table("Single steps [µs]", header, tuple(spread)))
    short = tuple((name, 1e3 * t, MANY * t) for name, t in rollouts.items())
    title = f"Rollouts of {STEPS} steps: UR5 with a flexible forearm, compiled controller"
    return [*found, Table(title, ("by", "one [ms]", f"{MANY} [s]"), short)]


def _spread(times: np.ndarray) -> tuple[float, float, float]:
    return float(np.median(times)), float(np.quantile(times, 0.999)), float(times.max())


def _requirements(times: Times) -> list[Requirement]:
    found = []
    for quantity in QUANTITIES:
        ratios = {
            (mechanism, n): ratio
            for mechanism, n, q, form in times
            if q == quantity
            and form == "evaluator"
            and (ratio := _ratio(times, mechanism, n, quantity)) is not None
        }
        chains = {key: x for key, x in ratios.items() if key[0] == "rigid chain"}
        groups = [(quantity, "", ratios, REQUIRED.get(quantity, OTHERS))]
        if quantity == "mass matrix":
            groups.append((quantity, " of the chain", chains, 1.0))
        for what, more, cells, required in groups:
            for bound, aim in ((required, False), (AIM, True)):
                found.append(_requirement(f"{what}{more}", cells, bound, aim=aim))
    return found


def _requirement(
    what: str, ratios: dict[tuple[str, int], float], bound: float, *, aim: bool
) -> Requirement:
    worst = min(ratios, key=lambda key: ratios[key], default=None)
    return Requirement(
        "calls",
        f"{PEER} over evaluator: {what}",
        "at least",
        bound,
        None if worst is None else ratios[worst],
        "" if worst is None else f"{worst[0]}, {worst[1]} joints",
        unit="×",
        aim=aim,
    )


def _records(
    times: Times, ticks: dict[str, float], steps: dict[str, np.ndarray], rollouts: dict[str, float]
) -> list[dict[str, Any]]:
    names = ("mechanism", "n", "quantity", "form")
    found: list[dict[str, Any]] = [
        dict(zip(names, key, strict=True)) | {"seconds": t} for key, t in times.items()
    ]
    found += [{"tick": name, "seconds": t} for name, t in ticks.items()]
    for name, each in steps.items():
        median, late, largest = _spread(each)
        found.append(
            {"steps": name, "number": len(each), "seconds": median}
            | {"late_seconds": late, "largest_seconds": largest}
        )
    return found + [{"rollout": name, "seconds": t} for name, t in rollouts.items()]
