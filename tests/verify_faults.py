"""Seeded faults: does the suite notice a wrong sign, a dropped term, a transposed block?

Each fault of tests/tools/faults.py is put alone into a copy of the source, and the tests are run
against that copy until one fails.  First the copy without a fault must pass all of them.  The exit
status is the number of faults that went unnoticed; the last line is the result.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.tools.faults import FAULTS, SUITE, Fault

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "lissom"

# Runs pytest in a process that has made sure of testing the copy and nothing else.
RUNNER = """
import sys, pathlib, lissom, pytest
copy = pathlib.Path(sys.argv[1]).resolve()
found = pathlib.Path(lissom.__file__).resolve()
if copy not in found.parents:
    sys.exit(f"the tests would import {found}, not the copy in {copy}")
sys.exit(pytest.main(sys.argv[2:]))
"""
# Without limits of time: each fault in a kernel compiles it anew.
OPTIONS = ("-x", "-q", "--tb=no", "-rfE", "-p", "no:cacheprovider", "--timeout=0")
PASSED, FAILED = 0, 1


@dataclass(frozen=True)
class Outcome:
    """What became of one fault: the test that noticed it, or "" if none did."""

    fault: Fault
    caught_by: str
    duration: float


def copied(folder: Path, fault: Fault | None) -> Path:
    """A copy of the package in the folder, with the fault if there is one."""
    package = folder / "lissom"
    shutil.copytree(SOURCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    if fault is not None:
        file = package / fault.path
        file.write_text(fault.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def run_tests(folder: Path, compiled: bool, *tests: str) -> subprocess.CompletedProcess[str]:
    """Run tests of one of the two texts against the copy in the folder, to the first failure."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LISSOM_READABLE": "0" if compiled else "1",
    }
    return subprocess.run(
        [sys.executable, "-c", RUNNER, str(folder), *OPTIONS, *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def failed_test(run: subprocess.CompletedProcess[str]) -> str:
    """Name of the test that failed, "" if all passed; anything else is an error of the check."""
    if run.returncode == PASSED:
        return ""
    match = re.search(r"^(?:FAILED|ERROR) tests/(.+?)(?: - .*)?$", run.stdout, flags=re.MULTILINE)
    if run.returncode != FAILED or match is None:
        raise RuntimeError(f"the tests did not run:\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
    return match[1]


def try_fault(fault: Fault) -> Outcome:
    """Seed one fault and run the tests, the likeliest first, until one fails."""
    start = time.perf_counter()
    caught_by = ""
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(Path(temporary), fault)
        for tests in (fault.first, *(other for other in SUITE if other != fault.first)):
            caught_by = failed_test(run_tests(folder, fault.compiled, tests))
            if caught_by:
                break
    return Outcome(fault, caught_by, time.perf_counter() - start)


def check_sound_source() -> float:
    """Make sure that the copy without a fault passes, and say how long that took [s]."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = copied(Path(temporary), None)
        for compiled in (False, True):
            failed = failed_test(run_tests(folder, compiled, *SUITE))
            if failed:
                raise SystemExit(f"the source without a fault fails already: {failed}")
    return time.perf_counter() - start


def main() -> int:
    """Try all faults, or those whose description contains the given words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("only", nargs="*", help="words; only faults that contain one of them")
    parser.add_argument("--unchecked", action="store_true", help="skip the run without a fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="faults at once")
    options = parser.parse_args()
    faults = [f for f in FAULTS if not options.only or any(w in f.what for w in options.only)]
    if not options.unchecked:
        print(f"without a fault: all tests pass, {check_sound_source():.0f} s", flush=True)
    outcomes = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(try_fault, faults):
            outcomes.append(outcome)
            verdict = outcome.caught_by or "NOT NOTICED"
            print(f"{outcome.fault.what:66s} {outcome.duration:4.0f} s  {verdict}", flush=True)
    missed = [o.fault.what for o in outcomes if not o.caught_by]
    if missed:
        print(f"{len(missed)} of {len(faults)} seeded faults went unnoticed: {'; '.join(missed)}")
    else:
        print(f"all {len(faults)} seeded faults were noticed")
    return len(missed)


if __name__ == "__main__":
    sys.exit(main())
