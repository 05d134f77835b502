"""Smallest times of many calls that take turns."""

from __future__ import annotations

import math
import time
import timeit
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

from .depth import Depth

__all__ = ["Progress", "best_times", "merge_best"]

Key = TypeVar("Key", bound=Hashable)

# Told (what, steps done, steps in all) while a measurement runs.
Progress = Callable[[str, int, int], None]


def best_times(
    calls: Mapping[Key, Callable[[], object]],
    depth: Depth,
    *,
    clock: Callable[[], float] = time.process_time,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Key, float]:
    """Seconds of one call of each, the smallest over rounds that visit all of them in turn.

    The rounds spread the visits to one call over the whole run, so that another process that is
    busy for some seconds does not decide a cell, and neighbours in the mapping meet the same
    machine.  A visit begins with a call that is not timed, so that the caches hold what the call
    needs, as they do when it is made again and again.

    Parameters
    ----------
    calls : mapping
        What to time, by a key.  Put what will be compared side by side.
    depth : Depth
        How many rounds, and how long a visit is.
    clock : callable
        `time.process_time`: time of all threads of this process, without waiting for other
        processes.  `time.perf_counter`: time on the wall, for calls that use threads.
    progress : callable, optional
        Told (visits done, visits in all).

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
            best[key] = min(best[key], timer.timeit(numbers[key]) / numbers[key])
            if progress is not None:
                progress(turn * len(timers) + place + 1, total)
    return best


def _repetitions(timer: timeit.Timer, visit: float) -> int:
    """How many calls make a visit of about `visit` seconds."""
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
