"""Building of wheels and editable installations: kernels are compiled into them.

Where that is not possible, for want of a C compiler, the pure package is made, which compiles what
is used for the first time.  Environment variables:

LISSOM_BUILD=0       no kernels, and no Numba in the environment of the build
LISSOM_TARGET        system to compile for, such as aarch64-unknown-linux-gnu
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BINARY = "lissom/kernels/_native.abi3.so"
TOOLS = ["numba>=0.62", "numpy>=2.0"]
TARGET = os.environ.get("LISSOM_TARGET", "")


class KernelsHook(BuildHookInterface):
    """Compiles the kernels and puts them into the wheel."""

    def dependencies(self) -> list[str]:
        """What the environment of the build needs."""
        return [] if why_not() else TOOLS

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the binary below src/, where an editable installation finds it."""
        if os.environ.get("LISSOM_BUILD", "1") in ("", "0"):
            return
        if why_not() or not self.built(build_data):
            self.app.display_warning(
                f"lissom is installed without compiled kernels{why_not()}: what is used for the "
                "first time is compiled then, for up to a minute; `lissom build` compiles all"
            )
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform_tag()}"

    def built(self, build_data: dict[str, Any]) -> bool:
        """Whether the kernels were compiled and are part of the wheel."""
        root = Path(self.root)
        output = root / "src" / BINARY
        if TARGET:
            output = Path(tempfile.mkdtemp(prefix="lissom-"), "kernels.so")
            build_data["force_include"][str(output)] = BINARY
        else:
            build_data["artifacts"].append(f"/src/{BINARY}")
        paths = [str(root / "src"), os.environ.get("PYTHONPATH", "")]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [sys.executable, "-m", "lissom.building", "--output", str(output)]
        command += ["--target", TARGET] if TARGET else []
        return subprocess.run(command, cwd=root, env=environment, check=False).returncode == 0


def why_not() -> str:
    """Why kernels cannot be compiled here, in words; empty if they can."""
    if os.environ.get("LISSOM_BUILD", "1") in ("", "0"):
        return " (LISSOM_BUILD=0)"
    if ".abi3.so" not in EXTENSION_SUFFIXES:
        return " (this Python has no stable ABI)"
    given = os.environ.get("CC") or sysconfig.get_config_var("CC") or ""
    commands = [given] if os.environ.get("CC") else [given, "cc"]
    if not any(x and shutil.which(shlex.split(x)[0]) for x in commands):
        return " (there is no C compiler)"
    return ""


def platform_tag() -> str:
    """Name of the system in the file name of a wheel."""
    if TARGET:
        machine, *_, system, _ = TARGET.split("-")
        return f"{system}_{machine}"
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
