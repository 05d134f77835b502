"""Chains of flexible links: cost as a function of the numbers of links and modes."""

from __future__ import annotations

import functools

import numpy as np

from lissom.algorithms import forward_dynamics, forward_dynamics_batch
from lissom.library import flexible_chain

from .cases import moving_case
from .depth import Depth
from .peers.twins import Call
from .result import Cell, Requirement, Result, Table
from .timing import Progress, best_times

# level -> depth -> (links, modes)
GRIDS = {
    "linear": {
        "quick": ((1, 3), (0, 2)),
        "normal": ((1, 10, 100, 1000), (0, 4, 10, 50)),
        "full": ((1, 3, 10, 30, 100, 300, 1000), (0, 2, 4, 10, 20, 50, 100)),
    },
    "full": {
        "quick": ((2,), (2,)),
        "normal": ((1, 10, 100), (4, 10)),
        "full": ((1, 10, 100, 1000), (2, 4, 10, 20, 50)),
    },
}
FORMS = ("call", "batch")

ABOUT = """Forward dynamics of a chain of equal tubes on revolute joints, axes y and z in turn,
under gravity. Zero modes is a chain of rigid rods. At level `linear` the inertia of a body is that
of the undeformed body; at `full` it follows the deformation, at a cost that grows with the square
of the number of modes. *Call* is one call from Python, *batch* the time per state of one call for
many states on one thread."""

# (level, links, modes, form) -> seconds per state
Times = dict[tuple[str, int, int, str], float]


def run(depth: Depth, progress: Progress) -> Result:
    """Times of forward dynamics over links and modes, at both levels.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    cells = [
        (level, n, m)
        for level, grids in GRIDS.items()
        for n in grids[depth.name][0]
        for m in grids[depth.name][1]
    ]
    calls: dict[tuple[str, int, int, str], Call] = {}
    states = {}
    for done, (level, n, m) in enumerate(cells):
        progress(f"building {n} links with {m} modes, {level}", done, len(cells))
        case = moving_case(flexible_chain(n, m, level))
        system, out = case.system, np.empty_like(case.many_v)
        states[level, n, m] = case.size
        calls[level, n, m, "call"] = functools.partial(
            forward_dynamics, system, case.state, case.forces
        )
        calls[level, n, m, "batch"] = functools.partial(
            forward_dynamics_batch, system, case.many_q, case.many_v, case.many_forces, out=out
        )
    best = best_times(calls, depth, progress=functools.partial(progress, "flexible chains"))
    times = {key: t / (states[key[:3]] if key[3] == "batch" else 1) for key, t in best.items()}
    return Result(
        name="flexible",
        title="Flexible mechanisms",
        about=ABOUT,
        tables=tuple(_table(level, form, times) for level in GRIDS for form in FORMS),
        requirements=tuple(_requirements(times)),
        records=tuple(
            dict(zip(("level", "links", "modes", "form"), key, strict=True)) | {"seconds": seconds}
            for key, seconds in times.items()
        ),
    )


def _table(level: str, form: str, times: Times) -> Table:
    links = sorted({n for lv, n, _, _ in times if lv == level})
    modes = sorted({m for lv, _, m, _ in times if lv == level})
    rows: list[tuple[Cell, ...]] = [
        (n, *(1e6 * times[level, n, m, form] for m in modes)) for n in links
    ]
    title = f"Level {level}, {'one call' if form == 'call' else 'in a batch, per state'} [µs]"
    return Table(title, ("links", *(f"{m} modes" for m in modes)), tuple(rows))


def _requirements(times: Times) -> list[Requirement]:
    grows: dict[str, dict[str, float]] = {form: {} for form in FORMS}
    for level, n, m, form in times:
        if n == 1000:
            ratio = times[level, 1000, m, form] / times[level, 100, m, form]
            grows[form][f"{m} modes, {level}"] = ratio
    modes = {
        f"links {n}": times["linear", n, 50, "batch"] / times["linear", n, 4, "batch"]
        for level, n, m, form in times
        if (level, m, form) == ("linear", 50, "batch")
    }
    call = times.get(("linear", 10, 10, "call"))
    small = {} if call is None else {"": 1e6 * call}
    return [
        _at_most(
            "links", "cost of a call, 1000 links over 100, same modes", 11.0, grows["call"], "×"
        ),
        _at_most(
            "links, batch",
            "cost of a state in a batch, 1000 links over 100, same modes",
            11.0,
            grows["batch"],
            "×",
            aim=True,
        ),
        _at_most("modes", "cost of 50 modes over that of 4, linear, batch", 2.0, modes, "×"),
        _at_most("call", "one call, 10 links with 10 modes, linear", 12.0, small, "µs", aim=True),
    ]


def _at_most(
    key: str, what: str, bound: float, values: dict[str, float], unit: str, aim: bool = False
) -> Requirement:
    worst = max(values, key=values.__getitem__, default=None)
    if worst is None:
        return Requirement(key, what, "at most", bound, None, "", unit, aim)
    return Requirement(key, what, "at most", bound, values[worst], worst, unit, aim)
