"""Where and with what a measurement was made."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Sequence
from pathlib import Path

__all__ = ["machine"]

PACKAGES = ("lissom", "numpy", "numba", "sympy", "pin", "mujoco", "exudyn")


def machine(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """The facts that a table of times carries, in reading order.

    Parameters
    ----------
    packages : sequence of str
        Whose versions to tell, where they are installed.

    Returns
    -------
    dict
        Date, machine, load, Python and versions of packages.
    """
    facts = {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{_cpu_model()}, {os.cpu_count()} cores, {platform.system()}",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(_versions(packages)),
    }
    if hasattr(os, "getloadavg"):
        facts["load"] = f"{os.getloadavg()[1]:.1f} processes on {os.cpu_count()} cores"
    return facts


def _cpu_model() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _versions(packages: Sequence[str]) -> list[str]:
    versions = []
    for package in packages:
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions
