"""What `lissom.batch` adds to the arithmetic of its states, on all cores."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.kernels.quantities import INVERSE, MASS
from lissom.library import flexible_chain, humanoid, rigid_chain

from .cases import Case, moving_case
from .depth import Depth
from .drawing import BLUE, ORANGE, Records, new_panels, values
from .result import Cell, Requirement, Result, Table
from .timing import Progress, best_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MECHANISMS = {
    "rigid chain, 7 joints": lambda: rigid_chain(7),
    "humanoid, 30 joints": lambda: humanoid(30),
    "flexible chain, 10 links with 10 modes": lambda: flexible_chain(10, 10),
}
SIZES = {"quick": (100,), "normal": (1000, 10_000), "full": (100, 1000, 10_000, 100_000)}
MATRICES = 10_000  # most states whose mass matrices are asked for
LEAST = 0.95

ABOUT = """States per second of `ls.batch`, with all its checks and new arrays for results, over
those of its kernels alone: the compiled loop over states on as many threads, which wait for work,
on arrays that exist. Wall-clock time, both in turn, the shortest of each."""


def kernels(case: Case, what: str, pool: ThreadPoolExecutor, n: int) -> Callable[[], None]:
    """Call of the kernels alone."""
    system, threads = case.system, pool._max_workers
    q, v, f = (x[:n].ravel() for x in (case.many_q, case.many_v, case.many_forces))
    out = np.zeros((n * system.n_v, system.n_v if what == "mass_matrix" else 1))
    parts = list(pairwise(n * k // threads for k in range(threads + 1)))

    def work(part: tuple[int, int]) -> None:
        space = engine.workspace(system)
        if what == "forward_dynamics":
            rows = q, v, f, out.ravel()
            failed = space.accelerations(rows, space.composite, engine.CAREFUL, engine.ALL, *part)
        elif what == "inverse_dynamics":
            result = out.reshape(n, system.n_v)
            failed = space.evaluate(INVERSE, (q, v, f), engine.NOTHING, result, *part)
        else:
            failed = space.evaluate(MASS, (q, v, f), engine.NOTHING, out, *part)
        assert failed < 0

    def call() -> None:
        list(pool.map(work, parts))

    return call


def batch(case: Case, what: str, n: int) -> Callable[[], Any]:
    """The same call of a batch."""
    many = ls.batch(case.system)
    given = [case.many_q[:n], case.many_v[:n], case.many_forces[:n]]
    return functools.partial(getattr(many, what), *given[: 1 if what == "mass_matrix" else 3])


def run(depth: Depth, progress: Progress) -> Result:
    """Ratios of batches to their kernels.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    sizes, threads = SIZES[depth.name], os.cpu_count() or 1
    calls: dict[tuple[str, str, int, str], Callable[[], Any]] = {}
    with ThreadPoolExecutor(threads) as pool:
        for mechanism, make in MECHANISMS.items():
            case = moving_case(make(), size=max(sizes))
            for what in ("forward_dynamics", "inverse_dynamics", "mass_matrix"):
                for n in sizes:
                    if what == "mass_matrix" and n > MATRICES:
                        continue
                    calls[mechanism, what, n, "kernels"] = kernels(case, what, pool, n)
                    calls[mechanism, what, n, "batch"] = batch(case, what, n)
        best = best_times(
            calls,
            depth,
            clock=time.perf_counter,
            progress=functools.partial(progress, "batches beside their kernels"),
        )
    rows = {key[:3]: (best[(*key[:3], "kernels")], best[key]) for key in best if key[3] == "batch"}
    large = {key: a / b for key, (a, b) in rows.items() if key[2] >= min(10_000, max(sizes))}
    worst = min(large, key=lambda key: large[key])
    return Result(
        name="batches",
        title="Batches beside their kernels",
        about=f"{ABOUT} {threads} threads.",
        tables=tuple(
            Table(
                mechanism,
                ("function", "states", "kernels [1/s]", "ls.batch [1/s]", "batch over kernels"),
                tuple(_row(key, *pair) for key, pair in rows.items() if key[0] == mechanism),
            )
            for mechanism in MECHANISMS
        ),
        requirements=(
            Requirement(
                "batches",
                "states per second of a batch of 10,000 or more over those of its kernels",
                "at least",
                LEAST,
                large[worst],
                f"{worst[0]}, {worst[1]}, {worst[2]} states",
                unit="×",
            ),
        ),
        records=tuple(
            dict(zip(("mechanism", "function", "states"), key, strict=True))
            | {"kernels seconds": a, "batch seconds": b}
            for key, (a, b) in rows.items()
        ),
    )


def _row(key: tuple[str, str, int], alone: float, batch: float) -> tuple[Cell, ...]:
    _, what, n = key
    return (what, n, n / alone, n / batch, alone / batch)


def draw_batches(records: Records) -> Figure:
    """States per second over the number of states, of forward dynamics."""
    names = values(records, "mechanism")
    figure, (panels,) = new_panels(1, len(names), (9.0, 3.0))
    for panel, name in zip(panels, names, strict=True):
        own = [r for r in records if (r["mechanism"], r["function"]) == (name, "forward_dynamics")]
        for kind, colour in (("kernels", BLUE), ("batch", ORANGE)):
            rates = [r["states"] / r[f"{kind} seconds"] for r in own]
            panel.loglog([r["states"] for r in own], rates, "o-", color=colour, label=kind)
        panel.set_title(name, fontsize=9)
        panel.set_xlabel("states")
    panels[0].set_ylabel("states per second")
    panels[0].legend(fontsize=7)
    return figure
