"""Rows of a batch on threads that stay, where they are worth it.

The calling thread computes the first rows and so learns what a row costs.  The rest is divided
among threads if that takes much longer than to wake them; results do not depend on it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")

FIRST = 16  # rows that are timed
WORTH = 2e-4  # [s]; work of one thread that is worth a division, some times what waking costs

_POOLS: dict[int, ThreadPoolExecutor] = {}  # by number of threads
_WORKER = threading.local()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_POOLS.clear)  # threads do not survive a fork


def in_threads(count: int, threads: int, work: Callable[[int, int], T]) -> list[T]:
    """Results of work(start, stop) for parts of the rows 0 to count, in order."""
    first = min(count, FIRST)
    began = time.perf_counter()
    results = [work(0, first)]
    rest = count - first
    if not rest:
        return results
    expected = (time.perf_counter() - began) * rest / first
    threads = min(threads, rest)
    if threads < 2 or expected < WORTH or getattr(_WORKER, "busy", False):
        return [*results, work(first, count)]
    parts = list(pairwise(first + rest * k // threads for k in range(threads + 1)))
    pool = _pool(threads - 1)
    others = [pool.submit(work, *part) for part in parts[1:]]
    try:
        results.append(work(*parts[0]))
    finally:
        wait(others)
    return [*results, *(other.result() for other in others)]


def _pool(n: int) -> ThreadPoolExecutor:
    return _POOLS.setdefault(n, ThreadPoolExecutor(n, "lissom", initializer=_mark))


def _mark() -> None:
    """Rows that a row asks for are computed by its own thread, or all could wait for each other."""
    _WORKER.busy = True
