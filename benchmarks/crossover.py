"""Articulated bodies compared with the mass matrix, and the choice of "auto"."""

from __future__ import annotations

import functools

from lissom.algorithms.tree import engine

from .depth import Depth
from .methods import METHODS, chain_case, method_calls
from .peers.twins import Call
from .result import Cell, Requirement, Result, Table
from .timing import Progress, best_times

GRIDS = {
    "quick": ((1, 3), (0, 2)),
    "normal": ((1, 2, 4, 7, 10, 20), (0, 2, 4, 10)),
    "full": ((1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30), (0, 1, 2, 3, 4, 6, 8, 10, 15, 20)),
}
TIE = 1.05  # times within this ratio count as equal

ABOUT = """Forward dynamics of a chain of equal links by its two methods, in the same compiled loop
over states: articulated bodies, whose cost is linear in the number of bodies, and the mass matrix
with a dense solution. Zero modes is the chain of rigid rods, the case in which the NASA Order-N
report found the dense method faster for small systems. The cells are the time of the composite
method over that of the articulated one: below 1 the mass matrix is faster. The choice of
`method="auto"` is marked with the letter a (articulated) or c (composite), and with an exclamation
mark where it takes over 5 % more time than the better method: it chose the other one, or it started
with the mass matrix and fell back on articulated bodies because of rounding errors."""

# (links, modes, method) -> seconds per state
Times = dict[tuple[int, int, str], float]


def run(depth: Depth, progress: Progress) -> Result:
    """Times of both methods over bodies and modes, and the choice between them.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    links, modes = GRIDS[depth.name]
    calls: dict[tuple[int, int, str], Call] = {}
    chosen: dict[tuple[int, int], str] = {}
    states: dict[tuple[int, int], int] = {}
    for done, (n, m) in enumerate(cells := [(n, m) for n in links for m in modes]):
        progress(f"building {n} links with {m} modes", done, len(cells))
        case = chain_case(n, m)
        chosen[n, m], states[n, m] = engine.chosen_method(case.system), case.size
        calls |= {(n, m, name): call for name, call in method_calls(case).items()}
    best = best_times(calls, depth, progress=functools.partial(progress, "both methods"))
    times = {(n, m, name): t / states[n, m] for (n, m, name), t in best.items()}
    losses = {cell: times[(*cell, "auto")] / _better(times, cell) for cell in chosen}
    worst = max(losses, key=losses.__getitem__)
    return Result(
        name="crossover",
        title="Articulated or composite",
        about=ABOUT,
        tables=(_map(links, modes, times, chosen, losses), _wrong(times, chosen, losses)),
        requirements=(
            Requirement(
                "auto",
                "time of auto over that of the better method",
                "at most",
                1.25,
                losses[worst],
                f"links {worst[0]}, modes {worst[1]}",
                "×",
                aim=True,
            ),
        ),
        records=tuple(
            {"links": n, "modes": m, "chosen": method, "loss": losses[n, m]}
            | {f"{name} seconds": times[n, m, name] for name in (*METHODS, "auto")}
            for (n, m), method in chosen.items()
        ),
    )


def _better(times: Times, cell: tuple[int, int]) -> float:
    return min(times[(*cell, method)] for method in METHODS)


def _map(
    links: tuple[int, ...],
    modes: tuple[int, ...],
    times: Times,
    chosen: dict[tuple[int, int], str],
    losses: dict[tuple[int, int], float],
) -> Table:
    def cell(n: int, m: int) -> str:
        ratio = times[n, m, "composite"] / times[n, m, "articulated"]
        return f"{ratio:.2f} {chosen[n, m][0]}{'!' if losses[n, m] > TIE else ''}"

    rows: list[tuple[Cell, ...]] = [(n, *(cell(n, m) for m in modes)) for n in links]
    header = ("links", *(f"{m} modes" for m in modes))
    title = "Composite over articulated, and the choice of auto"
    dense = [str(n) for n in links if times[n, 0, "composite"] < times[n, 0, "articulated"]]
    found = f"it is with {', '.join(dense)} links" if dense else "it never is"
    note = (
        f"Is the mass matrix faster for small rigid chains, as it was in the report? Here {found}."
    )
    return Table(title, header, tuple(rows), note)


def _wrong(
    times: Times, chosen: dict[tuple[int, int], str], losses: dict[tuple[int, int], float]
) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (n, m, method, 1e6 * times[n, m, "auto"], 1e6 * _better(times, (n, m)), losses[n, m])
        for (n, m), method in chosen.items()
        if losses[n, m] > TIE
    ]
    note = "" if rows else "None."
    header = ("links", "modes", "chosen", "auto [µs]", "better [µs]", "cost")
    return Table("Where auto is not the faster one", header, tuple(rows), note)
