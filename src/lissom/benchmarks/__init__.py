"""Speed, measured here and now: beside other libraries and against ourselves.

`lissom bench` runs it; so does `make bench` of the repository, deeper, for the page of results.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .depth import Depth
    from .result import Result
    from .timing import Progress

__all__ = ["NAMES", "run_benchmark"]

NAMES = (
    "rigid",
    "flexible",
    "counts",
    "crossover",
    "batch",
    "simulate-rigid",
    "simulate-flexible",
    "drift",
    "order-n",
    "symbolic",
)


def run_benchmark(name: str, depth: Depth, progress: Progress, **options: Any) -> Result:
    """Run one benchmark.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    depth : Depth
        How deep to measure.
    progress : callable
        Told (what, steps done, steps in all).
    **options
        What this benchmark can be told besides; "order-n": cases, duration.

    Returns
    -------
    Result
    """
    module = importlib.import_module(f".{name.replace('-', '_')}", __name__)
    return module.run(depth, progress, **options)
