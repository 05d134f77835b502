"""Installed versions and the machine."""

from __future__ import annotations

import platform
from importlib import metadata

from ..benchmarks.machine import machine

PACKAGES = ("numpy", "scipy", "numba", "sympy", "matplotlib", "h5py", "h5netcdf", "pydantic")


def machine_facts() -> dict[str, str]:
    """Versions, operating system, processor, and folder of compiled kernels."""
    from .. import __version__

    facts = machine()
    versions = [f"{name} {metadata.version(name)}" for name in PACKAGES]
    return {
        "lissom": f"{__version__}, {facts['Python']}, {platform.system()} {platform.release()}",
        "packages": ", ".join(versions),
        "processor": f"{facts['machine'].rpartition(',')[0]}, {platform.machine()}",
        "kernels": _kernel_folder(),
    }


def _kernel_folder() -> str:
    """Folder of compiled kernels; loads one of them."""
    from ..algorithms._kernels import entries  # noqa: F401  fills the list
    from ..algorithms._kernels.compiling import ENTRIES

    cache = getattr(ENTRIES[0].load(), "_cache", None)
    return str(getattr(cache, "cache_path", None) or "not kept: compiled at each start")
