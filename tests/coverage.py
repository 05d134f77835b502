"""Lines of the package that a choice of tests reaches, with kernels in plain Python.

    python -m tests.coverage                     the files below; `make coverage` does the same
    python -m tests.coverage tests/test_x.py     others
    python -m tests.coverage --list              those below

Compiled code leaves no trace of its lines, so that nothing is compiled here (NUMBA_DISABLE_JIT=1),
which takes tens of times as long: these files are chosen to use every room of the house in minutes.
Tests that need Numba (functions compiled by it, comparisons to the last bit) are not among them.
The pages with all lines go to out/coverage.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUT = ROOT / "out" / "coverage"
FILES = """
dynamics/algorithms dynamics/joints dynamics/rotations bodies/bodies models/model files/model_files
files/model_files_errors models/model_graphs files/urdf loops/closure loops/couplings linear/modes
dynamics/reach papers/duality batches/batches symbolic/equations symbolic/exports pictures/plots
pictures/drawing pictures/scene models/prints results/exports results/netcdf results/journals
results/opening results/trajectory_tables bodies/structures dynamics/frames models/frames_model
bodies/frame_misuse bodies/section_stress files/body_files bodies/calculix_files bodies/mesh_input
bodies/mesh_bodies dynamics/rods simulation/drives command_line/mistakes sweeps/misuse
dynamics/states_from_arrays models/immutable command_line/selftest project/project
"""


def environment(data: Path) -> dict[str, str]:
    """Environment of a process that writes what it reached into a file of its own."""
    own = {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "COVERAGE_FILE": str(data)}
    return os.environ | own


def reached(file: str, folder: Path) -> bool:
    """Run the tests of a file; whether they passed."""
    start = time.monotonic()
    command = [sys.executable, "-m", "coverage", "run", "--parallel-mode", "-m", "pytest"]
    command += ["-q", "-p", "no:cacheprovider", "--timeout", "900", file]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(folder / "lines"),
        capture_output=True,
        text=True,
        check=False,
    )
    last = (done.stdout.strip().splitlines() or [done.stderr])[-1]
    print(f"{file}: {last} ({time.monotonic() - start:.0f} s)", flush=True)
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-20:]))
    return done.returncode == 0


def table(folder: Path) -> str:
    """Rooms with their numbers of lines and the part of them that was reached, and all together."""
    command = [sys.executable, "-m", "coverage"]
    settings = {"cwd": ROOT, "env": environment(folder / "lines"), "check": True}
    subprocess.run([*command, "combine", "--quiet", str(folder)], **settings)
    subprocess.run([*command, "html", "--quiet", "-d", str(OUT)], **settings)
    subprocess.run([*command, "json", "--quiet", "-o", str(folder / "all.json")], **settings)
    files = json.loads((folder / "all.json").read_text(encoding="utf-8"))["files"]
    rooms: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, found in files.items():
        parts = Path(name).parts
        room = parts[parts.index("lissom") + 1].removesuffix(".py")
        for key in (room, "all"):
            rooms[key][0] += found["summary"]["num_statements"]
            rooms[key][1] += found["summary"]["covered_lines"]
    order = sorted(rooms, key=lambda room: (room == "all", room))
    return "\n".join(
        f"{room:14} {rooms[room][0]:6} lines {rooms[room][1] / max(rooms[room][0], 1):6.1%}"
        for room in order
    )


def main() -> int:
    """Run the tests and print the table; 1 if a test failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", help="files of tests")
    parser.add_argument("--list", action="store_true", help="say which files are run")
    given = parser.parse_args()
    files = given.files or [f"tests/{name.replace('/', '/test_')}.py" for name in FILES.split()]
    if given.list:
        print(*files, sep="\n")
        return 0
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(os.cpu_count()) as workers:
        folder = Path(name)
        passed = list(workers.map(lambda file: reached(file, folder), files))
        print(table(folder))
    print(f"all lines: {(OUT / 'index.html').relative_to(ROOT)}")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
