"""Forward dynamics of rows of loops, against their length."""

from __future__ import annotations

import functools

import numpy as np

import lissom as ls

from .depth import Depth
from .loop_rows import ladder, ladder_state, window_row, window_state
from .result import Cell, Requirement, Result, Table
from .timing import Progress, best_times

WINDOWS = {
    "quick": (2, 4),
    "normal": (10, 40, 160),
    "full": (10, 20, 40, 80, 160, 320),
}
ROWS = {"windows": (window_row, window_state), "ladder": (ladder, ladder_state)}

ABOUT = """Mechanisms of many loops, each of which touches its neighbours only. *Windows*: parallel
cranks on the ground with couplers between their tips, the "N-four-bar" of the multibody benchmarks.
*Ladder*: free rungs with two bars between each and the next, every window standing on the one
before. Forward dynamics of one state by the public function, with all loops closed; five equations
for each pin, of which two can do work."""


def run(depth: Depth, progress: Progress) -> Result:
    """Times of both rows over the number of windows.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    lengths, calls = WINDOWS[depth.name], {}
    for done, (name, n) in enumerate(cells := [(x, n) for x in ROWS for n in lengths]):
        progress(f"building {name} of {n}", done, len(cells))
        make, placed = ROWS[name]
        system = make(n)
        state = placed(system, 0.3, 0.5)
        forces = np.ones(system.n_v)
        calls[name, n] = functools.partial(ls.forward_dynamics, system, state, forces)
    times = best_times(calls, depth, progress=functools.partial(progress, "rows of loops"))
    per = {cell: t / cell[1] for cell, t in times.items()}
    spread = {x: max(per[x, n] for n in lengths) / min(per[x, n] for n in lengths) for x in ROWS}
    worst = max(spread, key=spread.__getitem__)
    rows: list[tuple[Cell, ...]] = [
        (n, *(1e6 * value for x in ROWS for value in (times[x, n], per[x, n]))) for n in lengths
    ]
    header = ("windows", *(f"{x}{what} [µs]" for x in ROWS for what in ("", ", each")))
    return Result(
        name="loops",
        title="Rows of loops",
        about=ABOUT,
        tables=(Table("Forward dynamics", header, tuple(rows)),),
        requirements=(
            Requirement(
                "loops",
                "largest time per window over the smallest",
                "at most",
                1.5,
                spread[worst],
                worst,
                "×",
            ),
        ),
        records=tuple({"mechanism": x, "windows": n, "seconds": t} for (x, n), t in times.items()),
    )
