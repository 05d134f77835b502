"""NVIDIA's assembler, whose judgement of PTX is that of a driver; it needs no GPU."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from .parsing import PtxError


def assembler() -> str | None:
    """Path of `ptxas`: that of the package that has libdevice, or of a CUDA toolkit."""
    packages = Path(sysconfig.get_path("purelib"), "nvidia")
    return next(map(str, packages.glob("**/bin/ptxas")), None) or shutil.which("ptxas")


def assembled(text: str, capability: int) -> int:
    """Size of the machine code of a PTX text for a generation of GPUs; not linked."""
    program = assembler()
    if program is None:
        raise PtxError("there is no ptxas; pip install nvidia-cuda-nvcc-cu12")
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "code.ptx"), Path(folder, "code.o")
        source.write_text(text, encoding="utf-8")
        command = [program, f"--gpu-name=sm_{capability}", "--compile-only", "-o", made, source]
        found = subprocess.run(command, capture_output=True, text=True)
        if found.returncode:
            raise PtxError(f"ptxas refuses the code: {found.stderr.strip()[:500]}")
        return made.stat().st_size
