"""Cost per state against the size of a batch and the number of threads."""

from __future__ import annotations

import functools
import os
import time

import numpy as np

from lissom.algorithms import forward_dynamics_batch
from lissom.library import flexible_chain, humanoid, rigid_chain

from .cases import moving_case
from .depth import Depth
from .peers.twins import Call
from .result import Cell, Result, Table
from .timing import Progress, best_times

MECHANISMS = {
    "rigid chain, 7 joints": lambda: rigid_chain(7),
    "humanoid, 30 joints": lambda: humanoid(30),
    "flexible chain, 10 links with 10 modes": lambda: flexible_chain(10, 10),
}
SIZES = {"quick": (1, 8), "normal": (1, 10, 100, 1000), "full": (1, 10, 100, 1000, 10_000)}
THREADS = (1, 2, 4)

ABOUT = """Forward dynamics of a batch of states, wall-clock time per state. A batch of one shows
the overhead of the call. Threads are Python threads around compiled code that releases the
interpreter; they do not help beyond the number of cores, or when the cores are busy."""


def run(depth: Depth, progress: Progress) -> Result:
    """Times of batches over sizes and threads.

    Parameters
    ----------
    depth : Depth
        Measurement depth.
    progress : callable
        Called with the current activity.
    """
    sizes = SIZES[depth.name]
    calls: dict[tuple[str, int, int], Call] = {}
    for done, (mechanism, make) in enumerate(MECHANISMS.items()):
        progress(f"building {mechanism}", done, len(MECHANISMS))
        case = moving_case(make(), size=max(sizes))
        out = np.empty_like(case.many_v)
        for size in sizes:
            for threads in THREADS:
                calls[mechanism, size, threads] = functools.partial(
                    forward_dynamics_batch,
                    case.system,
                    case.many_q[:size],
                    case.many_v[:size],
                    case.many_forces[:size],
                    threads=threads,
                    out=out[:size],
                )
    best = best_times(
        calls,
        depth,
        clock=time.perf_counter,
        progress=functools.partial(progress, "batches"),
    )
    times = {key: seconds / key[1] for key, seconds in best.items()}
    header = ("states", *(f"{k} thread{'s' if k > 1 else ''} [µs]" for k in THREADS))
    speedups = tuple(f"speed-up with {k}" for k in THREADS[1:])
    return Result(
        name="batch",
        title="Batches and threads",
        about=f"{ABOUT} This computer has {os.cpu_count()} cores.",
        tables=tuple(
            Table(m, (*header, *speedups), tuple(_row(m, size, times) for size in sizes))
            for m in MECHANISMS
        ),
        records=tuple(
            dict(zip(("mechanism", "states", "threads"), key, strict=True)) | {"seconds": seconds}
            for key, seconds in times.items()
        ),
    )


def _row(mechanism: str, size: int, times: dict[tuple[str, int, int], float]) -> tuple[Cell, ...]:
    found = [times[mechanism, size, k] for k in THREADS]
    return (size, *(1e6 * t for t in found), *(found[0] / t for t in found[1:]))
