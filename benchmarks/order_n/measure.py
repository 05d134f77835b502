"""The sixteen cases of the Order-N paper: articulated bodies compared with the mass matrix."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lissom.errors import LoadError

from ..depth import Depth
from ..result import Result
from ..timing import Progress
from .accuracy import acceleration_record, converged, implicit_records, motion_records
from .runs import (
    LAST_BIT,
    METHODS,
    WAYS,
    Case,
    CaseRun,
    Runs,
    apart,
    case_of,
    perturbed,
    timed_run,
)
from .tables import (
    acceleration_table,
    difference_table,
    implicit_table,
    requirements,
    times_table,
)

ALL = tuple(range(1, 17))


@dataclass(frozen=True)
class Plan:
    """Extent of the runs.

    Parameters
    ----------
    durations : tuple of float
        Simulated time of each of `WAYS` [s].
    rounds : int
        Visits to each timed run.
    states : int
        Number of states at which the accelerations of the two methods are compared.
    steps : tuple of float
        Steps of the implicit runs whose error is measured [s].
    """

    durations: tuple[float, float]
    rounds: int
    states: int
    steps: tuple[float, ...] = (2e-2, 1e-2, 5e-3)


PLANS = {
    "quick": Plan((0.2, 0.2), 1, 3, steps=(1e-2,)),
    "normal": Plan((1.0, 10.0), 1, 200),
    "full": Plan((10.0, 100.0), 2, 1000),
}

ABOUT = """A free base plate carries a top plate on three legs of six or seven joints; in
configuration 4 two arms on it hold an object. These are the sixteen cases of the Order-N paper of
NASA Johnson Space Center: configurations 1 to 4 with rigid and with flexible booms, as trees and
with the loops closed. The paper's data are lost, so lengths, masses and forces are chosen here
(`lissom.library.order_n`); topology, freedoms, integrator and steps are the paper's: Euler-Cromer,
1 ms with rigid booms and 0.1 ms with flexible ones, loops closed by Baumgarte's stabilization. The
forces are reversed every 20 s. *O(N)* is the articulated-body method, *mass matrix* the same
equations by a dense mass matrix; the paper compared the same two. Its times are from a computer of
its day: compare the ratios. Cells that are lost in its Table 2 are left empty.

Times are CPU seconds on one thread of the whole call of `simulate`, for 100 s of simulated time;
each table states the simulated time over which they were measured. The same cases are then run with
a method that the paper did not use: generalized-alpha, in steps of 10 ms, with the coordinates
projected onto the closed loops."""


def run(
    depth: Depth,
    progress: Progress,
    *,
    cases: Sequence[int] | None = None,
    duration: float | None = None,
) -> Result:
    """Times of the cases by both methods, differences of the methods, and cost of larger steps.

    Parameters
    ----------
    depth : Depth
        Measurement depth, which sets the simulated time.
    progress : callable
        Called with the current activity.
    cases : sequence of int, optional
        Numbers of the cases, 1 to 16; by default all.
    duration : float, optional
        Simulated time [s]; by default set by the depth.
    """
    plan, chosen = PLANS[depth.name], _checked(cases)
    if duration is not None:
        plan = dataclasses.replace(plan, durations=(_positive(duration),) * 2)
    last = case_of(chosen[-1])
    tell = _Teller(progress, len(chosen) * len(WAYS) * (2 * plan.rounds + 1) + len(plan.steps))
    runs: Runs = {}
    for number in chosen:
        runs |= _runs(case_of(number), plan, tell)
    tell(f"case {last.number}, converged")
    exact = converged(last, plan.durations[1])
    records = [
        _time_record(case_of(number), way, method, found)
        for (number, way, method), found in runs.items()
        if method in METHODS
    ]
    records += [r for n in chosen for way in WAYS if (r := _difference(case_of(n), way, runs))]
    records += [
        acceleration_record(case_of(n), runs[n, WAYS[1], "articulated"].motion, plan.states)
        for n in (last.number - 4, last.number)
        if n in chosen
    ]
    records += implicit_records(last, exact, runs, plan.steps, tell)
    records += motion_records(chosen, runs)
    kept = tuple(records)
    return Result(
        name="order-n",
        title="The Order-N platform: trees and closed loops",
        about=ABOUT,
        tables=(
            *(times_table(kept, way) for way in WAYS),
            difference_table(kept),
            acceleration_table(kept),
            implicit_table(kept),
        ),
        requirements=requirements(kept),
        records=kept,
    )


class _Teller:
    """Function that reports progress by one step per call."""

    def __init__(self, progress: Progress, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def __call__(self, what: str) -> None:
        self.progress(what, min(self.done, self.total), self.total)
        self.done += 1


def _runs(case: Case, plan: Plan, tell: Callable[[str], None]) -> Runs:
    """Fastest runs of a case, for both ways and methods in turn, and one from a perturbed start."""
    best: Runs = {}
    for way, duration in zip(WAYS, plan.durations, strict=True):
        options = case.options(way)
        for method in METHODS:  # compiling is not timed
            timed_run(case, 2 * options["step"], method=method, **options)
        for _ in range(plan.rounds):
            for method in METHODS:
                tell(f"case {case.number}, {way}, {METHODS[method]}")
                key = (case.number, way, method)
                found = timed_run(case, duration, method=method, **options)
                if key not in best or found.seconds < best[key].seconds:
                    best[key] = found
        tell(f"case {case.number}, {way}, last bit")
        best[case.number, way, LAST_BIT] = timed_run(
            perturbed(case), duration, method="articulated", **options
        )
    return best


def _difference(case: Case, way: str, runs: Runs) -> dict[str, Any] | None:
    """Distances between the methods, and between two starts of one; None if one ended early."""
    base, *others = (runs[case.number, way, what] for what in (*METHODS, LAST_BIT))
    if not all(found.finished for found in (base, *others)):
        return None
    methods, last_bit = (apart(case, base, found, at_end=True) for found in others)
    return {
        "kind": "difference",
        "case": case.number,
        "way": way,
        "duration": base.duration,
        "methods": methods,
        "last bit": last_bit,
    }


def _time_record(case: Case, way: str, method: str, found: CaseRun) -> dict[str, Any]:
    return {
        "kind": "time",
        "case": case.number,
        "configuration": case.configuration,
        "flexible": case.flexible,
        "loops": len(case.system.loops),
        "freedoms": (case.system.n_v - case.modes, case.modes),
        "way": way,
        "method": method,
        "seconds": found.seconds,
        "duration": found.duration,
        "step": case.options(way)["step"],
        "status": found.motion.status,
        "gap": found.gap(case),
    }


def _checked(cases: Iterable[int] | None) -> tuple[int, ...]:
    """Cases in ascending order."""
    chosen = tuple(sorted(set(ALL if cases is None else cases)))
    if not chosen or not set(chosen) <= set(ALL):
        named = ", ".join(map(str, chosen)) or "none"
        raise LoadError(f"cases are {named}; expected numbers from 1 to 16")
    return chosen


def _positive(duration: float) -> float:
    if not 0 < duration <= 100:
        raise LoadError(f"duration is {duration:g} s; expected more than 0 s, up to 100 s")
    return float(duration)
