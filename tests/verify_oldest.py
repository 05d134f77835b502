"""The lowest versions that pyproject.toml allows: installed, and tested, in an environment of
their own.

    python -m tests.verify_oldest                 the tests below; `make oldest` does the same
    python -m tests.verify_oldest --list          what would be installed
    python -m tests.verify_oldest tests/test_x.py other tests
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXTRAS = ("casadi", "yaml", "xarray", "cluster", "fe")
TOOLS = ("pytest", "hypothesis")

# Tests that between them use every dependency.
TESTS = """
pictures/test_plots pictures/test_drawing pictures/test_gif results/test_netcdf results/test_exports
results/test_trajectory_tables files/test_model_files files/test_model_files_errors
command_line/test_files command_line/test_terminal command_line/test_mistakes
command_line/test_safety command_line/test_page command_line/test_selftest symbolic/test_equations
symbolic/test_casadi symbolic/test_exports bodies/test_structures dynamics/test_rotations
simulation/test_motions simulation/test_stiff files/test_urdf bodies/test_bodies
kernels/test_kernels project/test_public_api sweeps/test_sweep sweeps/test_files
"""


def requirements() -> dict[str, str]:
    """Name and lower bound of what the package, its extras and its tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(x for name in EXTRAS for x in extras[name])]
    wanted += [x for x in extras["dev"] if re.split(r"\W", x)[0] in TOOLS]
    return dict(lower_bound(text) for text in wanted)


def lower_bound(requirement: str) -> tuple[str, str]:
    """Name and version of a requirement "name>=version", with an upper bound or without."""
    found = re.fullmatch(r"([A-Za-z0-9_-]+)>=([0-9.]+)(?:,<[0-9.]+)?", requirement)
    if found is None:
        raise ValueError(
            f"{requirement!r} has no lower bound; write name>=version or name>=version,<version"
        )
    return found[1], found[2]


def pins() -> list[str]:
    """What pip is told: each lower bound exactly."""
    return [f"{name}=={version}" for name, version in requirements().items()]


def main() -> int:
    """Install and test; the exit status is that of pytest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="only say what would be installed")
    parser.add_argument("tests", nargs="*", help="files of tests; by default one set")
    options = parser.parse_args()
    if options.list:
        print("\n".join(pins()))
        return 0
    with tempfile.TemporaryDirectory(prefix="lissom-oldest-") as folder:
        return tested(Path(folder), options.tests)


def tested(folder: Path, tests: list[str]) -> int:
    """Run the tests with the lowest versions, installed into a folder."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *pins()], check=True, cwd=folder)
    paths = [ROOT / x for x in tests] or [ROOT / "tests" / f"{x}.py" for x in TESTS.split()]
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([str(python), "-c", where], check=True, capture_output=True, text=True)
    # The package as it is here, found also by programs that tests start with no environment.
    Path(site.stdout.strip(), "lissom.pth").write_text(f"{ROOT / 'src'}\n{ROOT}\n")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "kernels")}
    environment["LISSOM_KERNELS"] = "numba"  # the oldest Numba, not what a newer one has built
    environment.pop("PYTHONPATH", None)
    # Numba compiles here, which may take longer than a test may.
    given = ("-q", "-p", "no:cacheprovider", "--timeout=0")
    command = [str(python), "-m", "pytest", *given, *map(str, paths)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    print(done.stdout)
    count = re.search(r"(\d+) passed", done.stdout)
    versions = ", ".join(f"{name} {version}" for name, version in requirements().items())
    print(f"{count[1] if count else 'no'} tests with {versions}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
