"""Benchmarks on this computer, printed on the terminal.

`python -m benchmarks.show rigid --quick` takes seconds and is rough.  All benchmarks, normal depth,
take three to four minutes, and longer the first time, when kernels are compiled.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import NAMES, run_benchmark
from benchmarks.depth import DEPTHS
from benchmarks.report import as_json, print_result
from lissom.errors import LissomError

PERIOD = 0.2  # [s], between two updates


def words_of_command() -> argparse.ArgumentParser:
    """Parser of the command line."""
    parser = argparse.ArgumentParser("python -m benchmarks.show", description="Measure speed.")
    parser.add_argument("which", nargs="*", metavar="WHICH", help=f"all, or of {', '.join(NAMES)}")
    depth = parser.add_mutually_exclusive_group()
    for name, about in (("quick", "small and rough: seconds"), ("full", "every size: minutes")):
        depth.add_argument(f"--{name}", action="store_const", const=name, dest="depth", help=about)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--cases", type=_numbers, help="order-n only: numbers of cases, such as 13,16"
    )
    parser.add_argument("--duration", type=float, help="order-n only: simulated time [s]")
    return parser


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected numbers, such as 13,16") from None


def main(arguments: Sequence[str]) -> int:
    """Exit code: 0, 1 if a benchmark cannot be run, 2 for wrong usage."""
    parser = words_of_command()
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.which if name not in NAMES]:
        parser.error(f"there is no benchmark {unknown[0]!r}; known: {', '.join(NAMES)}")
    options = {"cases": given.cases, "duration": given.duration}
    chosen = {name: value for name, value in options.items() if value is not None}
    if chosen and given.which != ["order-n"]:
        parser.error("--cases and --duration are options of order-n only")
    depth = DEPTHS[given.depth or "normal"]
    results = []
    try:
        for name in given.which or NAMES:
            with shown_progress(name) as progress:
                results.append(run_benchmark(name, depth, progress, **chosen))
            if not given.json:
                print_result(results[-1], Console())
    except LissomError as error:
        print(error, file=sys.stderr)
        return 1
    if given.json:
        print(as_json(results, depth=depth.name))
    return 0


@contextmanager
def shown_progress(name: str) -> Iterator[Callable[[str, int, int], None]]:
    """Progress bar while the block runs; one line if there is no terminal.

    Parameters
    ----------
    name : str
        Name of the benchmark.

    Yields
    ------
    callable
        Function of (activity, steps done, total steps).
    """
    error = Console(stderr=True)
    if not error.is_terminal:
        error.print(f"measuring: {name}", highlight=False)
        yield lambda _what, _done, _total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    # No separate thread: it would draw during timed calls.
    with Progress(*columns, console=error, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(name)
        drawn = 0.0

        def tell(what: str, done: int, total: int) -> None:
            nonlocal drawn
            bar.update(task, description=f"{name}: {what}", completed=done, total=total)
            if time.monotonic() - drawn > PERIOD or done == 0:
                bar.refresh()
                drawn = time.monotonic()

        yield tell


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
