"""Building of wheels and editable installations: kernels are compiled into them.

Where that is not possible, for want of a C compiler, the pure package is made, which compiles what
is used for the first time.  Environment variables:

LISSOM_BUILD=0       no kernels, and no Numba in the environment of the build
LISSOM_TARGET        system to compile for, such as aarch64-unknown-linux-gnu
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path(__file__).resolve().parent / "src"
BINARY = "lissom/kernels/_native.abi3.so"
DEVICE = "lissom/kernels/_device.zip"  # code for GPUs, if `lissom build --device` made it
TOOLS = ["numba>=0.62,<0.69", "numpy>=2.0"]
# Not by PYTHONPATH: where the sources are installed for development, pip takes them out of it.
BUILDING = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from lissom.building.__main__ import main
sys.exit(main())
"""
WANTED = os.environ.get("LISSOM_BUILD", "1") not in ("", "0")
TARGET = os.environ.get("LISSOM_TARGET", "")


class KernelsHook(BuildHookInterface):
    """Compiles the kernels and puts them into the wheel."""

    def dependencies(self) -> list[str]:
        """What the environment of the build needs."""
        return TOOLS if WANTED and not why_not() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the binary below src/, where an editable installation finds it."""
        if not WANTED:
            return
        why = why_not() or self.failure(build_data)
        if why:
            self.app.display_warning(
                f"lissom is installed without compiled kernels: {why}. What is used for the first "
                "time is compiled then, for up to a minute; `lissom build` compiles all kernels"
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform_tag()}"

    def failure(self, build_data: dict[str, Any]) -> str:
        """Compile the kernels into the wheel; the reason in words, if they do not compile."""
        output = SOURCE / BINARY
        if TARGET:
            output = Path(tempfile.mkdtemp(prefix="lissom-"), "kernels.so")
        command = [sys.executable, "-c", BUILDING, str(SOURCE), "--output", str(output)]
        command += ["--target", TARGET] if TARGET else []
        if subprocess.run(command, check=False).returncode != 0:
            return "they do not compile"
        if (SOURCE / DEVICE).exists():
            build_data["artifacts"].append(f"/src/{DEVICE}")
        if TARGET:
            build_data["force_include"][str(output)] = BINARY
        else:
            build_data["artifacts"].append(f"/src/{BINARY}")
        return ""


def why_not() -> str:
    """Why kernels cannot be compiled here; empty if they can."""
    sys.path.insert(0, str(SOURCE))
    try:
        from lissom.building import check_system
        from lissom.errors import KernelError

        check_system()
    except KernelError as error:
        return str(error)
    finally:
        sys.path.remove(str(SOURCE))
    return ""


def platform_tag() -> str:
    """Name of the system in the file name of a wheel."""
    if TARGET:
        machine, *_, system, _ = TARGET.split("-")
        return f"{system}_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
