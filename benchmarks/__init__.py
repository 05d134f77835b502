"""Speed benchmarks: comparison with other libraries and between methods.

`make bench` measures everything and writes the page of results (`benchmarks.run`);
`python -m benchmarks.show` measures the named benchmarks and prints the results.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .depth import Depth
    from .result import Result
    from .timing import Progress

__all__ = ["NAMES", "run_benchmark"]

# One thread, set before NumPy is imported: on a busy computer, waiting for a second thread
# dominates.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

MODULES = {  # module of each benchmark, with its function `run`
    "rigid": "rigid",
    "calls": "calls.measure",
    "derivatives": "derivatives",
    "linear": "linear",
    "sensitivities": "sensitivities",
    "flexible": "flexible",
    "counts": "counts.measure",
    "crossover": "crossover",
    "batch": "batch",
    "batches": "batches",
    "loops": "loops",
    "simulate-rigid": "simulation.rigid",
    "simulate-flexible": "simulation.flexible",
    "rods": "rods.measure",
    "drift": "drift",
    "order-n": "order_n.measure",
    "symbolic": "symbolic.measure",
    "structures": "structures",
    "sweeps": "sweeps",
    "starts": "starts",
}
NAMES = tuple(MODULES)


def run_benchmark(name: str, depth: Depth, progress: Progress, **options: Any) -> Result:
    """Run one benchmark.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    depth : Depth
        Measurement depth.
    progress : callable
        Called with (activity, steps done, total steps).
    **options
        Further options of the benchmark; "order-n": cases, duration.

    Returns
    -------
    Result
    """
    return importlib.import_module(f".{MODULES[name]}", __name__).run(depth, progress, **options)
