"""Installed versions and the machine."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

__all__ = ["machine", "machine_facts"]

PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib", "h5py", "h5netcdf", "pydantic")
MEASURED = ("lissom", "numpy", "numba", "sympy", "pin", "mujoco", "exudyn")


def machine(packages: Sequence[str] = MEASURED) -> dict[str, str]:
    """The facts that a table of times carries, in reading order."""
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
            versions.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return versions


def machine_facts() -> dict[str, str]:
    """Versions, operating system, processor, and where compiled kernels come from."""
    from .. import __version__
    from ..kernels import entries  # noqa: F401  fills the list of entries
    from ..kernels.compiling import kernels_in_use

    facts = machine()
    versions = [f"{name} {metadata.version(name)}" for name in PACKAGES]
    return {
        "lissom": f"{__version__}, {facts['Python']}, {platform.system()} {platform.release()}",
        "packages": ", ".join(versions),
        "processor": f"{facts['machine'].rpartition(',')[0]}, {platform.machine()}",
        "kernels": kernels_in_use(),
    }
