"""The command `lissom bench`."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from .. import benchmarks

__all__ = ["bench"]


class Which(StrEnum):
    """Benchmarks by name, and all of them."""

    RIGID = "rigid"
    FLEXIBLE = "flexible"
    COUNTS = "counts"
    CROSSOVER = "crossover"
    BATCH = "batch"
    SIMULATE_RIGID = "simulate-rigid"
    SIMULATE_FLEXIBLE = "simulate-flexible"
    DRIFT = "drift"
    ALL = "all"


def bench(
    which: Annotated[Which, typer.Argument(help="What to measure.")] = Which.ALL,
    json: Annotated[bool, typer.Option("--json", help="Write JSON, not tables.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small and rough: seconds, to see that it works.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Every size, many rounds: minutes.")] = False,
) -> None:
    """Measure speed on this machine, beside Pinocchio, MuJoCo and Exudyn where they are installed.

    Everything takes about two minutes, and longer the first time, when the kernels are compiled.
    """
    if quick and full:
        raise typer.BadParameter("--quick and --full exclude each other")
    # One thread for NumPy's own library; it must be told before NumPy is imported.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")

    from ..benchmarks.depth import FULL, NORMAL, QUICK
    from ..benchmarks.report import as_json, print_result
    from .progress import console, shown_progress

    depth = QUICK if quick else FULL if full else NORMAL
    names = benchmarks.NAMES if which is Which.ALL else (which.value,)
    results = []
    for name in names:
        with shown_progress(name) as progress:
            result = benchmarks.run_benchmark(name, depth, progress)
        results.append(result)
        if not json:
            print_result(result, console())
    if json:
        typer.echo(as_json(results, depth=depth.name))
