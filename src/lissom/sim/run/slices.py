"""Slices of compiled code, after which Python looks at a run."""

from __future__ import annotations

import time

SHORTEST, MOST = 1e-5, 1e9  # time of a slice [s], and its evaluations


def next_budget(budget: float, begun: float, aim: float) -> float:
    """Evaluations of the next slice, so that it takes the time aimed at.

    `begun`: when it began, by `time.perf_counter` [s]; `aim`: time of a slice that is aimed at [s].
    """
    taken = max(time.perf_counter() - begun, SHORTEST)
    return min(max(1.0, budget * min(max(aim / taken, 0.1), 4.0)), MOST)
