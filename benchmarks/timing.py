"""Smallest times of many calls made in turn."""

from __future__ import annotations

import math
import time
import timeit
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from .depth import Depth

Key = TypeVar("Key", bound=Hashable)

# Called with (activity, steps done, total steps) during a measurement.
Progress = Callable[[str, int, int], None]


def best_times(
    calls: Mapping[Key, Callable[[], object]],
    depth: Depth,
    *,
    clock: Callable[[], float] = time.process_time,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Key, float]:
    """Seconds per call, the smallest over rounds that visit all calls in turn.

    The rounds spread the visits to one call over the whole run, so that another process that is
    busy for some seconds does not affect a cell, and neighbours in the mapping see the same load of
    the computer.  A visit begins with a call that is not timed, so that the caches are warm, as in
    repeated calls.

    Parameters
    ----------
    calls : mapping
        Calls by key.  Calls to be compared should be neighbours.
    depth : Depth
        Number of rounds and length of a visit.
    clock : callable
        `time.process_time`: time of all threads of this process, without waiting for other
        processes.  `time.perf_counter`: wall-clock time, for calls that use threads.
    progress : callable, optional
        Called with (visits done, total visits).

    Returns
    -------
    dict
        Seconds per call by key.
    """
    timers = {key: timeit.Timer(call, timer=clock) for key, call in calls.items()}
    numbers = {key: _repetitions(timer, depth.visit) for key, timer in timers.items()}
    best = dict.fromkeys(timers, math.inf)
    total = depth.rounds * len(timers)
    for turn in range(depth.rounds):
        for place, (key, timer) in enumerate(timers.items()):
            timer.timeit(1)
            while not (elapsed := timer.timeit(numbers[key])) > 0:
                numbers[key] *= 2  # shorter than a tick of the clock, which tells nothing
            best[key] = min(best[key], elapsed / numbers[key])
            if progress is not None:
                progress(turn * len(timers) + place + 1, total)
    return best


def _repetitions(timer: timeit.Timer, visit: float) -> int:
    """Number of calls in a visit of about `visit` seconds."""
    timer.timeit(1)
    number = 1
    while (elapsed := timer.timeit(number)) < visit:
        grown = math.ceil(1.1 * number * visit / elapsed) if elapsed > 0 else 10 * number
        number = min(max(grown, number + 1), 10 * number)
    return number


def merge_best(*passes: Mapping[Key, float]) -> dict[Key, float]:
    """Smallest value of every key over several measurements of the same cells."""
    best: dict[Key, float] = {}
    for times in passes:
        for key, seconds in times.items():
            best[key] = min(seconds, best.get(key, math.inf))
    return best
