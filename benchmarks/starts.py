"""From nothing to the end of a simulation: installation, first and second start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .depth import Depth
from .provenance import ROOT
from .result import Requirement, Result, Table
from .timing import Progress

HERE, WHEEL, CLONE = "this environment", "wheel", "clone"
STARTS = ("first", "second")
MOST = 1.0  # seconds of the second start

# The arm of the first example, without its pictures; a new process runs it.
ARM = """
import json, sys, time
import numpy as np
import lissom as ls
from lissom.kernels.compiling import kernels_in_use

boom = ls.beam(6.0, ls.Tube(radius=0.04, thickness=0.002), ls.CARBON, modes=4)
model = ls.Model("flexible arm")
model.add(ls.RigidBody.box(mass=4000, size=(3.0, 2.4, 2.4)), ls.Free(), name="hub")
model.add(boom, ls.Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
model.add(boom, ls.Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
model.add(ls.RigidBody.sphere(mass=40, radius=0.3), ls.Fixed(), to="lower.tip", name="payload")
system = model.compile()
times = np.linspace(0, 6, 61)
wave = np.sin(2 * np.pi * times / 6)
torques = [
    ls.Actuator("upper", ls.Table(times, 560 * wave, "smooth")),
    ls.Actuator("lower", ls.Table(times, 260 * wave, "smooth")),
]
start = system.state(upper=-1.1, lower=-0.9)
run = ls.simulate(system, start, duration=9, loads=torques, output_step=1e-3, progress=False)
print(json.dumps({
    "simulation": run.statistics["seconds"],
    "kernels": ", ".join(kernels_in_use().split(", ")[:2]),
    "compiler": "loaded" if "numba" in sys.modules else "not loaded",
}))
"""

ABOUT = """Wall-clock seconds on an empty folder until an arm with two flexible booms has been
simulated for nine seconds. *Installation* makes a virtual environment and installs the package with
all that it needs: from a wheel, in which the kernels are compiled, or from a clone of the
repository, where they are compiled once. Then a new process starts Python, imports the package,
builds the arm and simulates it; and a second one does the same. The first reads everything from
disk and writes Python's byte code."""


def run(depth: Depth, progress: Progress) -> Result:
    """Seconds of installation and of two processes, from a wheel and from a clone.

    Parameters
    ----------
    depth : Depth
        Measurement depth; "quick" only starts processes in the present environment.
    progress : callable
        Called with the current activity.
    """
    records = [_started(HERE, Path(sys.executable))]
    if depth.name != "quick":
        records += _installed(progress)
    header = ("from", "installation", "first start", "second start", "kernels", "compiler")
    rows = tuple(
        (
            r["from"],
            r.get("installation seconds"),
            *(r[f"{k} seconds"] for k in STARTS),
            r["kernels"],
            r["compiler"],
        )
        for r in records
    )
    slowest = max(records, key=lambda record: record["second seconds"])
    bound = Requirement(
        "starts",
        "second start to the end of a simulation of nine seconds",
        "at most",
        MOST,
        slowest["second seconds"],
        slowest["from"],
        unit="s",
    )
    compiled = [r["from"] for r in records if "built ahead" not in r["kernels"]]
    nothing = Requirement(
        "starts",
        "environments in which nothing is compiled any more",
        "at least",
        len(records),
        len(records) - len(compiled),
        ", ".join(compiled),
    )
    return Result(
        name="starts",
        title="From nothing to a result",
        about=ABOUT,
        tables=(Table("Seconds", header, rows),),
        requirements=(bound, nothing),
        records=tuple(records),
    )


def _installed(progress: Progress) -> Iterator[dict[str, Any]]:
    """Records of a wheel and of a clone, each installed into an empty folder."""
    ways: dict[str, Callable[[Path], Callable[[], Path]]] = {WHEEL: _wheel, CLONE: _clone}
    for number, (name, prepared) in enumerate(ways.items()):
        progress(f"installation from a {name}", number, len(ways))
        with tempfile.TemporaryDirectory() as folder:
            install = prepared(Path(folder))
            start = time.perf_counter()
            python = install()
            taken = time.perf_counter() - start
            yield {"installation seconds": taken, **_started(name, python)}


def _wheel(folder: Path) -> Callable[[], Path]:
    """Build a wheel; returns its installation."""
    _call(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")

    def install() -> Path:
        _call(sys.executable, "-m", "venv", str(folder / "venv"))
        python = folder / "venv" / "bin" / "python"
        _call(str(python), "-m", "pip", "install", str(wheel))
        return python

    return install


def _clone(folder: Path) -> Callable[[], Path]:
    """Clone the last commit; returns its installation."""
    where = folder / "clone"
    _call("git", "clone", "--quiet", str(ROOT), str(where))

    def install() -> Path:
        _call("make", "-C", str(where), "kernels", f"PYTHON={sys.executable}")
        return where / ".venv" / "bin" / "python"

    return install


def _started(name: str, python: Path) -> dict[str, Any]:
    """Record of two processes of an interpreter."""
    record: dict[str, Any] = {"from": name}
    for which in STARTS:
        start = time.perf_counter()
        found = _call(str(python), "-c", ARM, inherit=name == HERE)
        record[f"{which} seconds"] = time.perf_counter() - start
    return record | json.loads(found.splitlines()[-1])


def _call(*command: str, inherit: bool = False) -> str:
    """Output of a command in an empty folder and an environment without paths of this process."""
    own = {"PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL"}
    given = {k: v for k, v in os.environ.items() if inherit or k not in own}
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run(
            command, cwd=empty, env=given, capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        said = (done.stderr or done.stdout)[-2000:]
        raise RuntimeError(f"{' '.join(command[:4])} failed: {said}")
    return done.stdout
