"""The command `lissom bench`."""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated, Any

import typer

from .. import benchmarks
from .values import number


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
    ORDER_N = "order-n"
    SYMBOLIC = "symbolic"
    ALL = "all"


def bench(
    which: Annotated[
        Which, typer.Argument(metavar="WHICH", help=f"One of {', '.join(Which)} (the default).")
    ] = Which.ALL,
    json: Annotated[bool, typer.Option("--json", help="The same for programs.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small and rough: seconds, to see that it works.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Every size, many rounds: minutes.")] = False,
    cases: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Of order-n only: which of the sixteen, as 13,16."),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Of order-n only: time to simulate, up to 100 s."),
    ] = None,
) -> None:
    """Measure speed on this machine.

    Pinocchio, MuJoCo and Exudyn are measured beside it where they are installed. Everything takes
    three to four minutes, and longer the first time, when kernels are compiled.
    """
    if quick and full:
        raise typer.BadParameter("--quick and --full exclude each other; give one of them")
    # One thread for NumPy's own library; it must be told before NumPy is imported.
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
    """Arguments for the one benchmark that takes some."""
    if cases is None and duration is None:
        return {}
    if which is not Which.ORDER_N:
        raise typer.BadParameter("--cases and --duration are options of lissom bench order-n")
    try:
        chosen = None if cases is None else [int(case) for case in cases.split(",")]
    except ValueError:
        raise typer.BadParameter(f"--cases is {cases!r}; write numbers, such as 13,16") from None
    return {"cases": chosen, "duration": duration}
