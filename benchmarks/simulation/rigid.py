"""Simulation of a rigid chain: lissom compared with MuJoCo, Pinocchio and Exudyn."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..depth import Depth
from ..peers.result import OUTPUT_STEP, PeerRun, differences
from ..peers.runs import RIGID_TIP, STEP, rigid_peers, rigid_start
from ..peers.twins import PeerError
from ..result import Cell, Requirement, Result, Table
from ..timing import Progress
from .own_runs import OwnRun, best_runs, body_points, own_run

SIZES = {"quick": (3,), "normal": (7, 30, 100), "full": (7, 30, 100)}
DURATION = {"quick": 0.05, "normal": 0.5, "full": 1.0}
ROUNDS = {"quick": 1, "normal": 6, "full": 12}

# Number of joints of the chain with bounds, and tolerance of the libraries' tip positions [m].
BOUND_SIZE, SAME = 30, 1e-6

RK4, ALL_STEPS, ADAPTIVE = "lissom", "lissom, every step recorded", "lissom, dop853"
PEERS = ("MuJoCo", "Pinocchio", "Exudyn")
OWN: dict[str, dict[str, Any]] = {
    RK4: {"integrator": "rk4", "step": STEP, "output_step": OUTPUT_STEP},
    ALL_STEPS: {"integrator": "rk4", "step": STEP, "output_step": STEP},
    ADAPTIVE: {"integrator": "dop853", "rtol": 1e-8, "output_step": OUTPUT_STEP},
}

ABOUT = """A chain of rigid bodies on revolute joints falls from rest, by Runge and Kutta's method
of fourth order with steps of 1 ms. Times are CPU milliseconds on one thread for a simulated second.
lissom's is that of the whole call of `simulate`; *integration alone* is the wall-clock time in its
statistics. The others' is their integration alone: MuJoCo's `rollout`, which runs all
steps in C, a loop in NumPy over Pinocchio's articulated-body algorithm, and Exudyn's `SolveDynamic`
of one `ObjectKinematicTree`. All record the tip every 10 ms, MuJoCo and Pinocchio the coordinates
at every step; *every step recorded* is lissom's time when it also records every step. Ratios are
relative to lissom's whole call; above 1 lissom is faster. Before times are compared, the tips are
checked to move alike: all take the same steps of the same method, so that rounding is the only
difference."""

# (joints, who) -> fastest run
Runs = dict[tuple[int, str], PeerRun]


def run(depth: Depth, progress: Progress) -> Result:
    """Times of simulations compared with the peers, and the error of an adaptive method.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    runs: Runs = {}
    exact: dict[int, PeerRun] = {}
    absent: set[str] = set()
    sizes = SIZES[depth.name]
    for done, n in enumerate(sizes):
        progress(f"rigid chain, {n} joints", done, len(sizes))
        peers = rigid_peers(n)
        absent |= {name for name, peer in peers.items() if peer is None}
        calls, converged = _own_calls(n, DURATION[depth.name])
        for name, peer in peers.items():
            if peer is not None:
                calls[name] = functools.partial(peer.run, DURATION[depth.name], STEP)
        best = best_runs(calls, ROUNDS[depth.name])
        _check(n, best)
        runs |= {(n, name): found for name, found in best.items()}
        exact[n] = converged
    progress("rigid chains", len(sizes), len(sizes))
    missing = f" Not installed here: {', '.join(sorted(absent))}." if absent else ""
    return Result(
        name="simulate-rigid",
        title="Simulation of a rigid chain",
        about=ABOUT + missing,
        tables=(_times(runs, sizes), _agreement(runs, sizes), _adaptive(runs, exact, sizes)),
        requirements=tuple(_requirements(runs)),
        records=tuple(
            {"n": n, "who": who, "seconds": found.cost, **differences(found, exact[n])}
            for (n, who), found in runs.items()
        ),
    )


def _own_calls(n: int, duration: float) -> tuple[dict[str, Callable[[], Any]], PeerRun]:
    """Runs of lissom by name, and an accurate one."""
    model, state = rigid_start(n)
    system = model.compile()
    places = body_points(system, [(system.names[-1], RIGID_TIP)])
    start = functools.partial(own_run, system, places, state, duration=duration)
    calls: dict[str, Callable[[], Any]] = {
        name: functools.partial(start, name=name, **options) for name, options in OWN.items()
    }
    converged = start(integrator="dop853", rtol=1e-12, output_step=OUTPUT_STEP)
    if converged is None:
        raise RuntimeError(f"the accurate simulation of {n} joints ended early")
    return calls, converged


def _thinned(found: PeerRun) -> PeerRun:
    """Run with only the records of every `OUTPUT_STEP`."""
    stride = max(1, round(OUTPUT_STEP / float(found.time[1] - found.time[0])))
    return PeerRun(found.name, found.seconds, found.time[::stride], found.ends[::stride])


def _check(n: int, best: dict[str, Any]) -> None:
    """Raise a `PeerError` unless all tips move alike; runs with more records are thinned."""
    best[ALL_STEPS] = _thinned(best[ALL_STEPS])
    for name in (ALL_STEPS, *PEERS):
        if name in best and not (far := differences(best[name], best[RK4])["tip"]) <= SAME:
            raise PeerError(
                f"{name} and lissom differ by {far:.1e} m at the tip of {n} joints; times of "
                "different motions are not compared"
            )


def _milli(runs: Runs, n: int, who: str) -> float | None:
    found = runs.get((n, who))
    return None if found is None else 1e3 * found.cost


def _ratio(runs: Runs, n: int, peer: str) -> float | None:
    own, other = _milli(runs, n, RK4), _milli(runs, n, peer)
    return other / own if own and other else None


def _times(runs: Runs, sizes: tuple[int, ...]) -> Table:
    header = ("joints", RK4, "integration alone", "every step recorded", *PEERS)
    rows: list[tuple[Cell, ...]] = []
    for n in sizes:
        own = runs[n, RK4]
        assert isinstance(own, OwnRun)
        alone = 1e3 * own.statistics["seconds"] / float(own.time[-1])
        others = (_milli(runs, n, who) for who in (ALL_STEPS, *PEERS))
        ratios = (_ratio(runs, n, peer) for peer in PEERS)
        rows.append((n, _milli(runs, n, RK4), alone, *others, *ratios))
    over = tuple(f"{peer} over lissom" for peer in PEERS)
    return Table("RK4 with 1 ms [ms for a simulated second]", (*header, *over), tuple(rows))


def _agreement(runs: Runs, sizes: tuple[int, ...]) -> Table:
    rows = tuple(
        (
            n,
            *(
                _scientific(differences(runs[n, p], runs[n, RK4])["tip"])
                if (n, p) in runs
                else None
                for p in PEERS
            ),
        )
        for n in sizes
    )
    return Table("Largest distance of the tip from lissom's [m]", ("joints", *PEERS), rows)


def _adaptive(runs: Runs, exact: dict[int, PeerRun], sizes: tuple[int, ...]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for n in sizes:
        for who, label in ((RK4, "RK4, 1 ms"), (ADAPTIVE, "dop853, rtol 1e-8")):
            found = runs[n, who]
            assert isinstance(found, OwnRun)
            counts = (found.statistics["steps"], found.statistics["evaluations"])
            error = _scientific(differences(found, exact[n])["tip"])
            rows.append((n, label, _milli(runs, n, who), *counts, error))
    header = ("joints", "method", "ms for a simulated second", "steps", "evaluations")
    note = (
        "Errors are the largest distances from dop853 at rtol 1e-12. Evaluations include those "
        "for records within adaptive steps."
    )
    return Table("Fixed and adaptive steps", (*header, "error of the tip [m]"), tuple(rows), note)


def _scientific(value: float) -> str:
    return f"{value:.1e}"


def _requirements(runs: Runs) -> list[Requirement]:
    ratio = _ratio(runs, BOUND_SIZE, "MuJoCo")
    what = f"MuJoCo over lissom: simulation of {BOUND_SIZE} rigid joints, RK4 with 1 ms"
    where = "" if ratio is None else f"{BOUND_SIZE} joints"
    return [
        Requirement("simulate rigid", what, "at least", bound, ratio, where, "×", aim)
        for bound, aim in ((1.0, False), (2.0, True))
    ]
