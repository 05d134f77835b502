"""All benchmarks at full depth, and the page docs/benchmarks/index.md of their results.

`make bench` calls it; it takes up to half an hour.  `python -m benchmarks.run symbolic drift`
repeats these and keeps the other results, each with its date and commit.
`python -m benchmarks.run quick` is a trial run into another folder.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import NAMES, run_benchmark
from benchmarks.cpp_loop import section as cpp_section
from benchmarks.depth import DEPTHS, Depth
from benchmarks.figures import file_names, save
from benchmarks.limits import LIMITS
from benchmarks.operators import section as operator_section
from benchmarks.provenance import ROOT, commit
from benchmarks.report import as_json, markdown_requirements, markdown_table
from benchmarks.result import Requirement, Result
from lissom.selftest.versions import machine

FOLDER = ROOT / "docs" / "benchmarks"


# Provenance of a result, by name.
Made = dict[str, str]


def measure(depth: Depth, names: Sequence[str]) -> dict[str, tuple[Result, Made]]:
    """Results by name."""
    results = {}
    for name in names:
        start, reported = time.monotonic(), 0.0

        def tell(what: str, done: int, total: int, name: str = name) -> None:
            nonlocal reported
            if time.monotonic() - reported > 10:
                reported = time.monotonic()
                print(f"{name}: {what}, {done} of {total}", flush=True)

        results[name] = run_benchmark(name, depth, tell), made(depth)
        print(f"{name}: done in {time.monotonic() - start:.0f} s", flush=True)
    return results


def made(depth: Depth) -> Made:
    """Computer, versions, date and commit."""
    return machine() | {"depth": depth.name, "commit": commit()}


def kept(folder: Path) -> dict[str, tuple[Result, Made]]:
    """Results stored in the folder."""
    path = folder / "results.json"
    if not path.exists():
        return {}
    whole = json.loads(path.read_text(encoding="utf-8"))
    results = {}
    for name, data in whole["results"].items():
        was = data.pop("made", whole["made"])
        results[name] = Result.of_json(data), was
    return results


def missed_section(requirements: list[Requirement]) -> str:
    """List of missed bounds, with amounts and reasons."""
    lines = []
    for wanted in requirements:
        if wanted.met is not False:
            continue
        assert wanted.measured is not None
        short = abs(wanted.measured - wanted.required) / wanted.required
        why = LIMITS.get(wanted.key, "The reason is not yet known.")
        place = f" ({wanted.where})" if wanted.where else ""
        lines.append(f"- **{wanted.what}**{place}: missed by {100 * short:.0f} %. {why}")
    if not lines:
        return "All measured bounds are met.\n"
    return "\n".join(["Missed:", "", *lines, ""])


def result_section(result: Result, was: Made) -> str:
    """Text, figures and tables of one benchmark."""
    tables = "\n".join(markdown_table(table) for table in result.tables)
    figures = "\n\n".join(f"![{result.title}]({name})" for name in file_names(result))
    more = cpp_section(result) if result.name == "rigid" else ""
    return f"""## {result.title}

{result.about}

Measured {was["date"]}, commit {was["commit"]}, {was["packages"]}.

{figures}

{tables}
{more}"""


def page(results: Sequence[tuple[Result, Made]], depth: Depth, operators: str) -> str:
    """Page of results as Markdown."""
    facts = {"date": "", "commit": ""} | made(depth)
    rows = "\n".join(f"| {what} | {value} |" for what, value in facts.items())
    requirements = [wanted for result, _ in results for wanted in result.requirements]
    sections = "\n".join(result_section(*result) for result in results)
    return f"""# Benchmarks

Speed, measured by `make bench` (`benchmarks/run.py`). `python -m benchmarks.show` measures
the same on your own machine, in three to four minutes.

Method: the cells of a table are visited in turn, {depth.rounds} times or more; a visit calls one
function repeatedly for at least {1000 * depth.visit:.0f} ms; the fastest visit counts. Compared
calls alternate within the same seconds, so that another process on the computer slows down both or
neither. Times are CPU time of the process on one thread, except those of several threads, which are
wall-clock times. Every call goes through the public function and includes its checks; compilation
is not included. A visit begins with a call that is not timed, so that the caches are warm.
Simulations, which take longer, are also visited in turn, one run per visit, and the fastest counts.

| | |
|---|---|
{rows}

## Required and measured

The least favourable value of each kind. *Aim* marks a goal, *required* a condition that must hold.

{markdown_requirements(requirements)}
{missed_section(requirements)}
{sections}
{operators}
Measured {facts["date"]}, commit {facts["commit"]}, {facts["packages"]}.
"""


def main(arguments: list[str]) -> int:
    """Run the named benchmarks and write the page; exit code 2 if a name is unknown."""
    words = [word for word in arguments if word not in DEPTHS]
    unknown = [word for word in words if word not in NAMES]
    if unknown:
        print(f"there is no benchmark {unknown[0]!r}; known: {', '.join(NAMES)}")
        return 2
    depth = DEPTHS[next((word for word in arguments if word in DEPTHS), "full")]
    folder = FOLDER if depth.name == "full" else Path(tempfile.mkdtemp(prefix="lissom-bench-"))
    folder.mkdir(parents=True, exist_ok=True)
    found = kept(folder) | measure(depth, words or NAMES)
    results = [found[name] for name in NAMES if name in found]
    operators = operator_section()
    for result, _ in results:
        save(result, folder)
    each = {result.name: was for result, was in results}
    text = as_json((r for r, _ in results), made=each, depth=depth.name, commit=commit())
    (folder / "results.json").write_text(text + "\n", encoding="utf-8")
    (folder / "index.md").write_text(page(results, depth, operators), encoding="utf-8")
    print(f"wrote {folder / 'index.md'}, results.json and the figures")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
