"""The command `lissom bench`."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated, Any

import typer

from .. import benchmarks
from .values import number


class Which(StrEnum):
    """Names of the benchmarks, and "all"."""

    RIGID = "rigid"
    FLEXIBLE = "flexible"
    COUNTS = "counts"
    CROSSOVER = "crossover"
    BATCH = "batch"
    SIMULATE_RIGID = "simulate-rigid"
    SIMULATE_FLEXIBLE = "simulate-flexible"
    DRIFT = "drift"
    ORDER_N = "order-n"
    SYMBOLIC = "symbolic"
    ALL = "all"


def bench(
    which: Annotated[
        Which, typer.Argument(metavar="WHICH", help=f"One of {', '.join(Which)} (the default).")
    ] = Which.ALL,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Rough and fast: a few seconds, to see that it works.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Every size, many rounds: minutes.")] = False,
    cases: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="For order-n only: numbers of the cases (1 to 16), such as 13,16."
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="For order-n only: simulated time, up to 100 s."),
    ] = None,
) -> None:
    """Measure speed on this machine.

    Pinocchio, MuJoCo and Exudyn are measured for comparison if they are installed. All benchmarks
    take three to four minutes, and longer the first time, when kernels are compiled.
    """
    if quick and full:
        raise typer.BadParameter("--quick and --full are mutually exclusive; give one of them")
    # One thread for NumPy's linear algebra; this must be set before NumPy is imported.
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    options = _order_n_options(which, cases, number(duration, "--duration", "time"))

    from ..benchmarks.depth import FULL, NORMAL, QUICK
    from ..benchmarks.report import as_json, print_result
    from .progress import console, shown_progress

    depth = QUICK if quick else FULL if full else NORMAL
    names = benchmarks.NAMES if which is Which.ALL else (which.value,)
    results = []
    for name in names:
        with shown_progress(name) as progress:
            result = benchmarks.run_benchmark(name, depth, progress, **options)
        results.append(result)
        if not json:
            print_result(result, console())
    if json:
        typer.echo(as_json(results, depth=depth.name))


def _order_n_options(which: Which, cases: str | None, duration: float | None) -> dict[str, Any]:
    """Arguments for the only benchmark that has any."""
    if cases is None and duration is None:
        return {}
    if which is not Which.ORDER_N:
        raise typer.BadParameter("--cases and --duration are options of lissom bench order-n")
    try:
        chosen = None if cases is None else [int(case) for case in cases.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"--cases is {cases!r}; give numbers from 1 to 16, such as 13,16"
        ) from None
    return {"cases": chosen, "duration": duration}
