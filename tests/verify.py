"""The long checks: runs each, echoes what it prints, writes docs/verification/index.md.

`make verify` calls it. Each check is a module that prints its findings, ends with one line of
result and has exit status 0 when all is well.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass

from tests.provenance import ROOT, provenance_table

PAGE = ROOT / "docs" / "verification" / "index.md"


@dataclass(frozen=True)
class Check:
    """One module and what it shows."""

    what: str
    module: str
    arguments: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command as a reader would type it."""
        return " ".join(["python", "-m", self.module, *self.arguments])


@dataclass(frozen=True)
class Outcome:
    """What one check printed last, how long it took [s] and whether it passed."""

    check: Check
    result: str
    duration: float
    passed: bool


def run(check: Check) -> Outcome:
    """Run one check as a process of its own, echoing its output."""
    print(f"== {check.what}: {check.command}", flush=True)
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    start = time.perf_counter()
    last = "no output"
    with subprocess.Popen(
        [sys.executable, "-m", check.module, *check.arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.replace(f"{ROOT}{os.sep}", "").strip() or last
    return Outcome(check, last, time.perf_counter() - start, process.returncode == 0)


def page(outcomes: list[Outcome]) -> str:
    """The page of results."""
    rows = "\n".join(
        f"| {o.check.what} | `{o.check.command}` | {'passed' if o.passed else '**failed**'}: "
        f"{o.result.replace('|', '/')} | {o.duration:.0f} s |"
        for o in outcomes
    )
    return f"""# Verification

The long checks of the last `make verify`. The page is written by `tests/verify.py`; the result is
the last line that each check prints.

{provenance_table()}
| check | command | result | duration |
|---|---|---|---|
{rows}
"""


def main() -> int:
    """Run all checks and write the page; the exit status is the number of failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=5000, help="number of random trees")
    trees = str(parser.parse_args().trees)
    checks = [
        Check(
            f"{trees} random trees against the independent model",
            "tests.verify_random_trees",
            (trees,),
        ),
        Check("seeded faults are noticed", "tests.verify_faults"),
        Check("a free flexible spacecraft over 10,000 s", "tests.verify_long_runs"),
    ]
    outcomes = [run(check) for check in checks]
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page(outcomes), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return sum(not outcome.passed for outcome in outcomes)


if __name__ == "__main__":
    sys.exit(main())
