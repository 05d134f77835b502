"""Operation counts of the paper and of our kernels, and execution times."""

from __future__ import annotations

import functools

from ..depth import Depth
from ..methods import METHODS, chain_case, method_calls
from ..peers.twins import Call
from ..result import Cell, Requirement, Result, Table
from ..timing import Progress, best_times
from . import paper
from .counting import Counts, counted

BODIES = 10
MODES = {
    "quick": (1, 2),
    "normal": (1, 2, 5, 10, 20),
    "full": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 40, 50),
}

ABOUT = f"""A chain of {BODIES} flexible bodies, as in Figure 2 of Jain & Rodriguez 1992. The paper
counts multiplications and additions of its two algorithms. Our counts come from running our
kernels on numbers that count the operations on them; they include divisions and functions. The
times are per state, of both methods in the same compiled loop, level `linear`."""


def run(depth: Depth, progress: Progress) -> Result:
    """Counts and times of both methods against the number of modes.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    modes = MODES[depth.name]
    own: dict[tuple[int, str], Counts] = {}
    calls: dict[tuple[int, str], Call] = {}
    states: dict[int, int] = {}
    for done, m in enumerate(modes):
        progress(f"counting operations, {m} modes", done, len(modes))
        own |= {(m, name): counts for name, counts in counted(BODIES, m, METHODS).items()}
        case = chain_case(BODIES, m)
        ways = method_calls(case)
        calls |= {(m, name): ways[name] for name in METHODS}
        states[m] = case.size
    best = best_times(calls, depth, progress=functools.partial(progress, "both methods"))
    times = {(m, name): seconds / states[m] for (m, name), seconds in best.items()}
    return Result(
        name="counts",
        title="Operation counts",
        about=ABOUT,
        tables=(_operations(modes, own), _times(modes, times)),
        requirements=(_reproduced(),),
        records=tuple(
            {
                "modes": m,
                "method": name,
                "paper": getattr(paper, name)(BODIES, m),
                "own": own[m, name].total,
                "seconds": times[m, name],
            }
            for m in modes
            for name in METHODS
        ),
    )


def _paper(modes: int) -> tuple[float, float]:
    return paper.articulated(BODIES, modes), paper.composite(BODIES, modes)


def _operations(modes: tuple[int, ...], own: dict[tuple[int, str], Counts]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for m in modes:
        articulated, composite = _paper(m)
        ours = [own[m, name].total for name in METHODS]
        paper = (round(articulated), round(composite), composite / articulated)
        rows.append((m, *paper, *ours, ours[1] / ours[0], articulated / ours[0]))
    columns = ("articulated", "composite", "ratio")
    header = ("modes", *(f"paper {c}" for c in columns), *(f"our {c}" for c in columns))
    header += ("paper over ours",)
    return Table("Operations of one forward dynamics", header, tuple(rows))


def _times(modes: tuple[int, ...], times: dict[tuple[int, str], float]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for m in modes:
        a, c = (times[m, name] for name in METHODS)
        articulated, composite = _paper(m)
        rows.append((m, 1e6 * a, 1e6 * c, c / a, composite / articulated))
    header = ("modes", "articulated [µs]", "composite [µs]", "measured ratio", "paper's ratio")
    return Table("Time of one forward dynamics", header, tuple(rows))


def _reproduced() -> Requirement:
    """Requirement for the paper's claim at ten modes, from its formulas."""
    articulated, composite = _paper(10)
    what = "the paper's counts give its claim at 10 modes: composite over articulated"
    return Requirement("paper", what, "at least", 7.0, composite / articulated, "10 bodies", "×")
