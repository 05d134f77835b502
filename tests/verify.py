"""The long checks: runs each, echoes what it prints, writes docs/verification/index.md.

`make verify` calls it. Each check is a module that prints its findings, ends with one line of
result and has exit status 0 when all is well. With words, only the checks that contain one of them
are run; the rows of the others stay as they are, each with its own date and commit.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks.provenance import ROOT, commit, provenance_table

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


def row(o: Outcome) -> str:
    """The line of one check."""
    return (
        f"| {o.check.what} | `{o.check.command}` | {'passed' if o.passed else '**failed**'}: "
        f"{o.result.replace('|', '/')} | {o.duration:.0f} s | {datetime.now(UTC):%Y-%m-%d %H:%M} | "
        f"{commit()} |"
    )


def rows_so_far() -> dict[str, str]:
    """Lines of the page by the module that they are of."""
    if not PAGE.exists():
        return {}
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return {x.split("`python -m ")[1].split("`")[0].split()[0]: x for x in lines if "`python" in x}


def page(rows: dict[str, str]) -> str:
    """The page of results."""
    lines = "\n".join(rows.values())
    return f"""# Verification

The long checks of `make verify`. The page is written by `tests/verify.py`; the result is the last
line that each check prints.

{provenance_table()}
| check | command | result | duration | date (UTC) | commit |
|---|---|---|---|---|---|
{lines}
"""


def main() -> int:
    """Run all checks and write the page; the exit status is the number of failures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=5000, help="number of random trees")
    parser.add_argument("--loops", type=int, default=2000, help="number of random looped trees")
    parser.add_argument("only", nargs="*", help="words; only checks that contain one of them")
    options = parser.parse_args()
    trees, loops = str(options.trees), str(options.loops)
    checks = [
        Check(
            f"{trees} random trees against the independent model",
            "tests.verify_random_trees",
            (trees,),
        ),
        Check("compiled and readable text on 1000 random trees", "tests.verify_kernels", ("1000",)),
        Check("rods on 300 random trees, and against Exudyn", "tests.verify_rods", ("300",)),
        Check(
            "1000 random scenes of contact against SciPy", "tests.verify_contact_scenes", ("1000",)
        ),
        Check(
            "derivatives of 200 trees, 60 looped ones and 60 with springs",
            "tests.verify_derivatives",
            ("200", "60", "60"),
        ),
        Check(
            "derivatives of the kernels against the kernels themselves, with complex numbers",
            "tests.verify_complex_derivatives",
        ),
        Check("blocks of solid elements against CalculiX", "tests.verify_calculix_blocks"),
        Check("kernels compiled for a strided workspace", "tests.verify_strided"),
        Check("code for GPUs, executed on the CPU", "tests.verify_device_code"),
        Check("kernels built ahead as those that Numba compiles", "tests.verify_native"),
        Check("seeded faults are noticed", "tests.verify_faults"),
        Check("1000 random runs are right or say that they may not be", "tests.verify_honesty"),
        Check(
            "1000 small mechanisms have modes, linear models and rests, or a named error",
            "tests.verify_small_mechanisms",
            ("1000",),
        ),
        Check(
            "10,000 combinations of mechanisms, loads and operations",
            "tests.verify_matrix",
            ("10000",),
        ),
        Check("a free flexible spacecraft over 10,000 s", "tests.verify_long_runs"),
        Check("booms that spin up against geometrically exact beams", "tests.verify_spin_up"),
        Check(
            f"{loops} random trees with loops against the independent model",
            "tests.verify_loops",
            (loops,),
        ),
        Check(
            "programs of symbolic equations of 500 random trees against the independent model",
            "tests.verify_symbolic",
            ("500",),
        ),
        Check("a frame and a plate in CalculiX", "tests.verify_calculix_frames"),
        Check("tests that take long", "tests.verify_long_tests"),
        Check("code that Numba compiles is found again", "tests.verify_compiling"),
        Check("forty parallelograms through flat positions", "tests.verify_singular_positions"),
        Check("a closed flexible mechanism over 1,000 s", "tests.verify_loops_long_run"),
        Check("100,000 model files with random mistakes", "tests.verify_model_files", ("100000",)),
        Check("100,000 robots with random mistakes", "tests.verify_urdf", ("100000",)),
        Check("20,000 Collada meshes with random mistakes", "tests.verify_collada", ("20000",)),
        Check("meshes of published robots against Assimp", "tests.verify_meshes"),
        Check("10,000 damaged files of results", "tests.verify_damage", ("10000",)),
        Check("20,000 damaged finite-element files", "tests.verify_structure_files", ("20000",)),
        Check("bad input of real size is named within a second", "tests.verify_bad_input"),
        Check("bodies from CalculiX's files against the solver", "tests.verify_calculix"),
        Check("70 killed runs are resumed", "tests.verify_kills", ("10",)),
        Check("a sweep of 1,000 runs, killed and resumed, and on Dask", "tests.verify_sweeps"),
        Check("1,000 interrupts while results are saved", "tests.verify_interrupts", ("1000",)),
        Check("every benchmark at quick depth", "tests.verify_benchmarks"),
        Check("the site in a browser: its search, what it loads, its widths", "tests.verify_site"),
        Check("the oldest versions that pyproject.toml allows", "tests.verify_oldest"),
    ]
    wanted = [c for c in checks if not options.only or any(w in c.what for w in options.only)]
    failed = 0
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    for check in wanted:
        outcome = run(check)
        failed += not outcome.passed
        PAGE.write_text(page(rows_so_far() | {check.module: row(outcome)}), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
